// What every part of the page uses: the data, elements, numbers as text, colours. A hue is a resource of the machine; a unit at work has
// it, and so does a wave that waits for that unit. The hues are Okabe and Ito's, told apart by people of all kinds of colour vision.
export const data = JSON.parse(document.getElementById('data').textContent);

export function h(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) e.setAttribute(name, value === true ? '' : value);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== ''));
  return e;
}

export const integer = (x) => Math.round(x).toLocaleString('en');
export const percent = (x, digits = 1) => `${(100 * x).toFixed(digits)} %`;
export const hex = (x) => `0x${x.toString(16)}`;
export function scaled(x, unit) {
  const prefixes = ['n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P'];
  let p = 3;
  while (Math.abs(x) >= 999.5 && p < 8) x /= 1000, ++p;
  while (x && Math.abs(x) < 1 && p > 0) x *= 1000, --p;
  return `${x.toPrecision(3)} ${prefixes[p]}${unit}`;
}

// Lanes of a wave in the timeline, and which lane and hue each unit has (data.units).
export const lanes = ['matrix', 'VALU', 'LDS', 'VMEM', 'SALU', 'stall'];
export const units = {
  matrix: { lane: 0, hue: 'matrix', name: 'matrix' },
  valu: { lane: 1, hue: 'valu', name: 'VALU' }, trans: { lane: 1, hue: 'trans', name: 'transcendental', short: 'trans' },
  lds: { lane: 2, hue: 'lds', name: 'LDS' }, vmem: { lane: 3, hue: 'vmem', name: 'VMEM' },
  salu: { lane: 4, hue: 'salu', name: 'SALU' }, smem: { lane: 4, hue: 'salu', name: 'SMEM' }, branch: { lane: 4, hue: 'salu', name: 'branch' },
  internal: { lane: 4, hue: 'slot', name: 'none' },
};
// What a wave waits for: reasons (data.stalls) of one hue.
export const families = [
  { name: 'matrix pipe', hue: 'matrix', of: ['matrix busy'] },
  { name: 'VALU', hue: 'valu', of: ['valu busy'] },
  { name: 'LDS, scalar data', hue: 'lds', of: ['lds queue', 'wait lgkm', 'wait km'] },
  { name: 'vector memory', hue: 'vmem', of: ['vmem queue', 'wait vm', 'wait vs', 'wait sample', 'wait bvh', 'wait async', 'wait tensor', 'wait x',
      'wait exp'] },
  { name: 'barrier', hue: 'barrier', of: ['barrier'] },
  { name: 'a result', hue: 'dependency', of: ['dependency'] },
  { name: 'turn, fetch, s_nop', hue: 'slot', of: ['arbitration', 'fetch', 'branch', 'nop'] },
];
export const family_of = data.stalls.map((s) => {
  const k = families.findIndex((f) => f.of.includes(s));
  if (k < 0) throw new Error(`no family has the stall '${s}'`);
  return k;
});

export const hues = ['matrix', 'valu', 'trans', 'lds', 'vmem', 'salu', 'barrier', 'dependency', 'slot', 'ink', 'muted', 'line', 'card', 'select'];
export function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(hues.map((n) => [n, style.getPropertyValue(`--${n}`).trim()]));
}

// Black or white, whichever reads better on #rrggbb.
export function text_on(colour) {
  const [r, g, b] = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
  return 0.3 * r + 0.59 * g + 0.11 * b > 140 ? '#000000' : '#ffffff';
}

const tip = document.getElementById('tip');
export function show_tip(event, ...content) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const x = event.clientX + 14, y = event.clientY + 14;
  tip.style.left = `${Math.max(8, x + tip.offsetWidth > innerWidth - 8 ? event.clientX - tip.offsetWidth - 14 : x)}px`;
  tip.style.top = `${Math.max(8, y + tip.offsetHeight > innerHeight - 8 ? event.clientY - tip.offsetHeight - 14 : y)}px`;
}
export const hide_tip = () => { tip.hidden = true; };

// The instruction that all views mark: a row of data.code, or -1. Views listen; who selects says which view it was.
const listeners = [];
export const selection = { row: -1 };
export const on_select = (f) => listeners.push(f);
export function select(row, from) {
  selection.row = row;
  for (const f of listeners) f(row, from);
}

// Clocks of waves that a row takes, issue and stalls; the sum of all rows.
const { spent } = data;
export const clocks_of = (row) => { let n = spent.issue[row]; for (let i = 1; i < spent.stalled[row].length; i += 2) n += spent.stalled[row][i]; return n; };
export const all_clocks = spent ? spent.issue.reduce((sum, _, row) => sum + clocks_of(row), 0) : 0;
export function by_family(rows) {
  const sums = families.map(() => 0);
  for (const row of rows) for (let i = 0; i < spent.stalled[row].length; i += 2) sums[family_of[spent.stalled[row][i]]] += spent.stalled[row][i + 1];
  return sums;
}

// Branches to what encloses them, by a walk in depth from the entry: [from, to].
function back_edges() {
  const { pc, next, target, entry } = data.code, state = new Uint8Array(pc.length), found = [];   // state 1: on the path, 2: done
  for (const root of [entry, ...pc.keys()]) for (const stack = state[root] ? [] : [[root, 0]]; stack.length;) {   // further roots: functions
    state[root] ||= 1;
    const top = stack.at(-1), [row, tried] = top, to = tried < 2 ? [next, target][tried][row] : -1;
    if (tried === 2) state[row] = 2, stack.pop();
    else if (++top[1], to >= 0 && state[to] === 1) found.push([row, to]);
    else if (to >= 0 && state[to] === 0) state[to] = 1, stack.push([to, 0]);
  }
  return found;
}

// Loops worth opening: with times those that take at least 5 %, else the innermost ones; ranges of rows, outer ones swallow inner ones.
function find_hot() {
  const { pc, target } = data.code;
  let found = [];
  if (data.time) for (const l of data.time.loops) { if (l.share >= 0.05) found.push({ first: pc.indexOf(l.first), last: pc.lastIndexOf(l.last), loop: l }); }
  else {
    found = back_edges().filter(([from, to]) => to <= from).map(([from, to]) => ({ first: to, last: from }));
    found = found.filter((a) => !found.some((b) => b.first >= a.first && b.last <= a.last && (b.first !== a.first || b.last !== a.last)));
  }
  found.sort((a, b) => a.first - b.first || b.last - a.last);
  const merged = [];
  for (const f of found) {
    const last = merged.at(-1);
    if (last && f.first <= last.last) last.last = Math.max(last.last, f.last), f.loop && last.loops.push(f.loop);
    else merged.push({ first: f.first, last: f.last, loops: f.loop ? [f.loop] : [] });
  }
  return data.time ? merged.flatMap(busy_runs) : merged;
}
// A loop's range may hold code that is jumped over, of another loop or after it: what is issued a quarter as often as the most, gaps of a few rows in.
function busy_runs(range) {
  let most = 0;
  for (let row = range.first; row <= range.last; ++row) most = Math.max(most, spent.issued[row]);
  const runs = [];
  for (let row = range.first; row <= range.last; ++row) {
    if (4 * spent.issued[row] < most) continue;
    if (runs.length && row - runs.at(-1).last <= 16) runs.at(-1).last = row; else runs.push({ first: row, last: row });
  }
  return runs;
}
export const hot = find_hot();
