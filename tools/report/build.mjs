// Makes the page of the reports: `node build.mjs NPM OUT`. Packages are installed beside OUT, as package-lock.json says, never in the
// source tree; scripts and styles go into the page itself.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [npm, out] = process.argv.slice(2);
const source = dirname(fileURLToPath(import.meta.url)), work = join(dirname(out), 'work'), stamp = join(work, 'installed');
const lock = readFileSync(join(source, 'package-lock.json'), 'utf8');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(source, name), join(work, name));
  try {
    execFileSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1'], { cwd: work, stdio: 'pipe' });
  } catch (e) {
    const why = String(e.stderr ?? e).match(/npm \S+ code (\S+)/)?.[1] ?? e.message.split('\n')[0];
    console.error(`wavesmith: npm cannot install what the report page is made of (${why}): the build needs the npm registry, or a cache that has tools/report/package-lock.json's packages`);
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}

const { buildSync } = createRequire(join(work, 'package.json'))('esbuild');
const bundle = (entry) => buildSync({ entryPoints: [join(source, entry)], bundle: true, minify: true, write: false, target: 'es2022', format: 'iife',
    charset: 'ascii', nodePaths: [join(work, 'node_modules')] }).outputFiles[0].text;
const parts = { styles: bundle('style.css'), script: bundle('main.js').replaceAll('</script', '<\\/script') };
const page = readFileSync(join(source, 'page.html'), 'utf8').replace(/\{\{(styles|script)\}\}/g, (_, name) => parts[name].trim());
writeFileSync(`${out}.new`, page);
renameSync(`${out}.new`, out);
