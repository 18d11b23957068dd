// Puts the page together: header, tiles, cards, timeline, registers, code; scheme and keys.
import { data, families, h, integer, percent, scaled, units } from './base.js';
import { busy, mix, occupancy, pressure, resources, roofline, traffic, waits } from './charts.js';
import { listing, loops } from './listing.js';
import { timeline } from './timeline.js';

const { kernel, occupancy: o, time, peaks } = data;
const muted = (text) => h('span', { class: 'muted' }, text), count = (n, what) => `${integer(n)} ${what}${n === 1 ? '' : 's'}`;
const tile = (name, value, note, id) => h('div', { class: 'tile', id }, h('span', {}, name), h('b', {}, value), h('small', {}, note ?? ''));
const card = (title, ...content) => h('section', { class: 'card' }, h('h3', {}, title), content);
const section = (id, title, note, ...content) => h('section', { id, tabindex: -1 }, h('div', { class: 'title' }, h('h2', {}, title), muted(note)), content);

function tiles() {
  const waves = `a SIMD, limited by ${o.limited_by}; ${count(o.groups, 'workgroup')} a ${kernel.cu}`;
  const held = tile('Occupancy', `${o.waves_per_simd} of ${o.max_waves} waves`, waves, 'tile-occupancy');
  if (!time)
    return [held, tile('Registers', `${kernel.vgprs} VGPRs`, `${kernel.most_agprs ? `${kernel.agprs} AGPRs, ` : ''}${kernel.sgprs} SGPRs`),
            tile('LDS', `${integer(kernel.lds_bytes)} bytes`, `of ${integer(kernel.most_lds_bytes)}`),
            tile('Workgroup', `up to ${integer(kernel.max_workgroup_size)}`, `work-items, waves of ${kernel.wave_size}`),
            tile('Code', count(data.code.pc.length, 'instruction'), `${integer(kernel.code_bytes)} bytes`)];
  const shared = [tile('Limited by', time.limited_by, time.limited_by_reason, 'tile-limit'),
                  tile('Cycles', integer(time.cycles), `± ${percent(time.error)} for the extrapolated part`, 'tile-cycles'),
                  tile('Time', scaled(time.seconds, 's'), `at ${integer(time.clock_mhz)} MHz`)];
  if (time.flops)
    return [...shared, tile('Matrix pipes', `${percent(time.matrix_utilisation)} busy`, `${percent(time.steady_matrix_utilisation)} of a full ${kernel.cu}`),
            tile('Rate', scaled(time.flops / time.seconds, 'flop/s'), `${percent(time.flops / time.seconds / peaks.matrix, 0)} of the peak at that clock`),
                held];
  const [far, name] = [['memory', 'memory'], ['mall', 'the memory-side cache'], ['l2', 'the L2'], ['l1', 'the L1']].find(([level]) => time.bytes[level] > 0) ?? ['l1',
      'the L1'];
  const rate = time.bytes[far] / time.seconds;
  return [...shared, tile('VALU', `${percent(time.valu_utilisation)} busy`),
      tile('Moved', scaled(rate, 'B/s'), `from and to ${name}, ${percent(rate / peaks[far], 0)} of its peak`), held];
}

function assumed() {
  const facts = [];
  if (time) {
    facts.push(['GPU', `${time.gpu} (${time.target}), ${count(time.cus, kernel.cu)}`]);
    facts.push(['Clock', `${integer(time.clock_mhz)} MHz (${time.clock_reason}); the vendor's boost clock is ${integer(peaks.boost_mhz)} MHz`]);
    facts.push(['Grid', `${count(time.workgroups, 'workgroup')}, ${time.rounds.toFixed(2)} rounds`]);
    facts.push(['Simulated', `${scaled(time.simulated, '')} of ${scaled(time.instructions, '')} instructions; the error of the extrapolated rest is ± ${percent(time.error)}`]);
    facts.push(['Launch', `${scaled(time.launch_seconds, 's')} of the time`]);
    for (const a of time.assumptions) facts.push([a.slice(0, Math.max(0, a.indexOf(': '))), a.slice(a.indexOf(': ') + 2)]);
  }
  return h('dl', {}, [...facts, ['File', data.file], ['Kernel', kernel.name]].map(([name, text]) => [h('dt', {}, name), h('dd', {}, text)]));
}
function args() {
  const line = (a) => h('tr', {}, h('td', { class: 'n muted' }, `${a.offset}`), h('th', { scope: 'row' }, a.name || '(no name)'), h('td', {}, a.type),
                        h('td', { class: 'n muted' }, `${a.size} bytes`));
  return kernel.args.length ? h('div', { class: 'scroll' }, h('table', { class: 'args' }, kernel.args.map(line))) : h('p', { class: 'muted' }, 'none');
}

function legend() {
  const key = (hue, name, waits) => h('span', { class: 'key' }, h('i', { class: waits ? 'waits' : '', style: `--hue:var(--${hue})` }), name);
  const work = ['matrix', 'valu', 'trans', 'lds', 'vmem'].map((u) => key(units[u].hue, units[u].name));
  return h('div', { class: 'legend' }, work, key('salu', 'scalar, branch'), muted('waits for'), families.map((f) => key(f.hue, f.name, true)));
}

const keys = [['1', ' to the last digit: sections'], ['t', ' light or dark'], ['/', ' find (Enter next, Shift Enter previous)'], ['j', ' next instruction'],
    ['k', ' previous one'],
              ['e', ' expand or collapse'], ...(time ? [['← →', ' move the timeline'], ['+ −', ' zoom it'], ['0', ' all of it']] : [])];
const footer = () => h('footer', { class: 'muted' }, keys.map(([key, what]) => [h('kbd', {}, key), `${what}  `]));

const code = listing(), line = time ? timeline() : null, main = document.querySelector('main'), root = document.documentElement;
main.append(h('section', { class: 'tiles', id: 'summary', tabindex: -1 }, tiles()));
main.append(h('div', { class: 'cards' },
  time ? [card('Wave clocks by reason', waits()), card('Busy units, of the whole device', busy()),
      card('Bytes moved, and the rate relative to its peak', traffic())] : '',
  card('Waves per SIMD that each limit would allow', occupancy()), card('Resources of the kernel', resources()),
  time ? card('Roofline', roofline()) : card('Instructions by unit', mix()), card(time ? 'Assumed' : 'Kernel', assumed()), card('Arguments', args())));
if (line) {
  const cut = data.timeline.whole ? '' : ' The file holds the beginning; the rest was not recorded.';
  const how = 'Drag to move; zoom by double click, or by the wheel with Ctrl or after a click. A click on a bar selects its instruction everywhere.';
  main.append(section('timeline', `Timeline of one ${kernel.cu}`, how + cut, line.controls, legend(), h('div', { class: 'canvas' }, line.canvas)));
}
const indirect = data.code.indirect ? ` ${count(data.code.indirect, 'jump')} through registers: not followed.` : '';
main.append(section('registers', 'Register pressure',
    `Live registers at each instruction; dashed: what the kernel allocates.${indirect}`, pressure()));
main.append(section('code', 'Code', time ? 'Clocks of the waves simulated in detail; live registers.' : 'Live registers.',
                    time ? [loops(), legend()] : '', code.controls, code.table));
main.append(footer());
document.title = `${kernel.name}, ${time ? time.gpu : kernel.target}`;

const schemes = { auto: '◐ auto', light: '○ light', dark: '● dark' };
function set_scheme(name) {
  if (name === 'auto') delete root.dataset.scheme; else root.dataset.scheme = name;
  scheme.textContent = schemes[name], scheme.dataset.now = name;
  line?.recolour();
}
const next_scheme = () => { const names = Object.keys(schemes); set_scheme(names[(names.indexOf(scheme.dataset.now) + 1) % names.length]); };
const scheme = h('button', { id: 'scheme', title: 'light or dark (t)', onclick: next_scheme });
const places = [...document.querySelectorAll('main > section[id]')], titles = { summary: 'Summary', timeline: 'Timeline', registers: 'Registers',
    code: 'Code' };
document.querySelector('header').append(h('strong', { title: kernel.name }, kernel.name), h('span', { class: 'chip' }, time ? `${time.gpu} · ${kernel.target}`
    : kernel.target),
  h('nav', {}, places.map((p, k) => h('a', { href: `#${p.id}`, title: `${k + 1}` }, titles[p.id]))), scheme);
set_scheme('auto');
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => line?.recolour());
line?.start();

document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches('input')) return;
  const acts = { t: next_scheme, e: code.unfold, j: () => code.move(1), k: () => code.move(-1), '/': () => code.search.focus() };
  const place = e.target.matches('canvas') ? undefined : places[Number(e.key) - 1];
  const act = acts[e.key] ?? (place && (() => { place.scrollIntoView(), place.focus({ preventScroll: true }); }));
  if (act) e.preventDefault(), act();
});
root.dataset.ready = 'yes';
