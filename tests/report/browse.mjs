// Opens a report in headless Chromium and says what it finds there, as one JSON document: `node browse.mjs CHROMIUM PAGE [STEPS]`. STEPS is
// JSON, a list of {size: [w, h]}, {scheme: "dark"}, {click: selector}, {key: "+"}, {move: selector}, {wheel: [selector, delta]}, {eval: expression}, {shot:
// file}.
// The browser is spoken to over a pipe (its DevTools protocol), so that nothing but node is needed.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [chromium, page, steps = '[]'] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'wavesmith_browser_'));
const browser = spawn(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run', '--disable-dev-shm-usage',
    '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
                      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const limit = setTimeout(() => {
  browser.kill('SIGKILL');
  console.error('the browser did not answer within 90 s');
  rmSync(profile, { recursive: true, force: true });
  process.exit(1);
}, 90_000);

let number = 0, rest = '';
const waiting = new Map(), events = [];
browser.stdio[4].on('data', (chunk) => {
  const parts = (rest + chunk).split('\0');
  rest = parts.pop();
  for (const m of parts.map((p) => JSON.parse(p))) {
    if (!m.id) { events.push(m); continue; }
    const { done, fail } = waiting.get(m.id);
    if (m.error) fail(new Error(m.error.message)); else done(m.result);
  }
});
let sessionId;
const send = (method, params = {}) => new Promise((done, fail) => {
  waiting.set(++number, { done, fail });
  browser.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId })}\0`);
});
const evaluate = async (expression) => {
  const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
};
const frames = () => evaluate('new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f())))');
const centre = (selector) => evaluate(`(() => {
  const e = document.querySelector(${JSON.stringify(selector)});
  e.scrollIntoView({ block: 'center' });
  const b = e.getBoundingClientRect();
  return [b.left + b.width / 2, b.top + Math.min(b.height, innerHeight) / 2];
})()`);

const found = { errors: [], requests: [], values: [] };
try {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  sessionId = (await send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
  await send('Emulation.setDeviceMetricsOverride', { width: 1366, height: 768, deviceScaleFactor: 1, mobile: false });
  await send('Page.navigate', { url: pathToFileURL(resolve(page)).href });
  const ready = "document.documentElement?.dataset.ready === 'yes'";
  for (let tries = 0; tries < 300 && !(await evaluate(ready)); ++tries) await new Promise((f) => setTimeout(f, 100));
  if (!(await evaluate(ready))) found.errors.push('the page did not get ready');
  await frames();
  for (const s of JSON.parse(steps)) {
    if (s.size) await send('Emulation.setDeviceMetricsOverride', { width: s.size[0], height: s.size[1], deviceScaleFactor: 1, mobile: false });
    if (s.scheme) await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: s.scheme }] });
    if (s.eval) found.values.push(await evaluate(s.eval));
    const text = s.key?.length === 1 ? s.key : undefined;
    for (const type of s.key ? ['keyDown', 'keyUp'] : []) await send('Input.dispatchKeyEvent',
        { type, key: s.key, text: type === 'keyDown' ? text : undefined });
    if (s.click || s.move) {
      const [x, y] = await centre(s.click ?? s.move);
      await send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
      for (const type of s.click ? ['mousePressed', 'mouseReleased'] : []) await send('Input.dispatchMouseEvent',
          { type, x, y, button: 'left', clickCount: 1 });
    }
    if (s.wheel) {
      const [x, y] = await centre(s.wheel[0]);
      await send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY: s.wheel[1], modifiers: 2 });
    }
    await frames();
    if (s.shot) writeFileSync(s.shot, Buffer.from((await send('Page.captureScreenshot', { format: 'png' })).data, 'base64'));
  }
} catch (e) { found.errors.push(String(e.message ?? e)); }

for (const { method, params } of events) {
  if (method === 'Runtime.exceptionThrown') found.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
  const complains = method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type);
  if (complains) found.errors.push(params.args.map((a) => a.value ?? a.description).join(' '));
  if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level)) found.errors.push(params.entry.text);
  if (method === 'Network.requestWillBeSent' && !/^(file|data|about):/.test(params.request.url)) found.requests.push(params.request.url);
}
console.log(JSON.stringify(found));
clearTimeout(limit);
const gone = new Promise((f) => browser.once('exit', f));
sessionId = undefined;
send('Browser.close').catch(() => {});
await gone;
for (let tries = 20; tries--;) {                           // its helpers may write for a moment longer
  try { rmSync(profile, { recursive: true, force: true }); break; } catch { await new Promise((f) => setTimeout(f, 100)); }
}
