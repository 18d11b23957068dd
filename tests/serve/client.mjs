// Drives `wavesmith serve` with the reference client: `node client.mjs PROGRAM KERNEL.s`. Run in the folder where
// package-lock.json is installed. Prints one JSON document of what was seen; the test judges it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(`${process.cwd()}/package.json`);
const load = (part) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${part}.js`)));
const [{ Client }, { StdioClientTransport }] = [await load('index'), await load('stdio')];

const [program, kernel] = process.argv.slice(2);
const client = new Client({ name: 'wavesmith-test', version: '1' });
await client.connect(new StdioClientTransport({ command: program, args: ['serve', '--seconds', '20'] }));
await client.ping();

const text = readFileSync(kernel, 'utf8');
const mended = text.replace('\tv_add_f32', '\ts_waitcnt vmcnt(0)\n\tv_add_f32');
const endless = mended.replace('\ts_endpgm', 'again:\n\ts_add_u32 s2, s2, 1\n\ts_branch again');
const numbers = Array.from({ length: 64 }, (_, i) => i);
const launch = (source) => ({ file: ['k.s'], grid: '1', block: '64', buffer: ['x=inout:x.npy'], arg: ['ptr:x'],
  files: { 'k.s': source, 'x.npy': { array: numbers, type: 'f32' } } });
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);

const seen = { server: client.getServerVersion(), tools: (await client.listTools()).tools.map((t) => t.name) };
seen.broken = await call('run', launch(text));
seen.checked = await call('check', { file: ['k.s'], files: { 'k.s': text } });
seen.mended = await call('run', launch(mended));
seen.timed = await call('time', { file: 'k.s', grid: '1', block: '64', buffer: ['x=zeros:256'], arg: ['ptr:x'], gpu: 'MI300X', files: { 'k.s': mended } });
seen.refused = await call('run', { ...launch(mended), grids: '1' });
seen.unknown = await call('no_such_tool', {}).catch((e) => e.code);
const stop = new AbortController();
setTimeout(() => stop.abort('enough'), 300);
const began = Date.now();
seen.cancelled = await call('run', { ...launch(endless), 'max-instructions': 1e15 }, { signal: stop.signal }).then(() => 'answered', () => 'cancelled');
seen.after = await call('isa', { instruction: 's_endpgm', arch: 'gfx942' });
seen.milliseconds = Date.now() - began;
await client.close();
console.log(JSON.stringify(seen));
