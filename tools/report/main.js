// Puts the page together: header, tiles, cards, timeline, registers, code; scheme and keys.
import { data, families, h, hex, integer, on_select, percent, scaled, units } from './base.js';
import { busy, mix, occupancy, pressure, resources, roofline, traffic, waits } from './charts.js';
import { listing, loops } from './listing.js';
import { timeline } from './timeline.js';

const { kernel, occupancy: o, time } = data;
const tile = (name, value, note, id) => h('div', { class: 'tile', id }, h('span', {}, name), h('b', {}, value), h('small', {}, note ?? ''));
const card = (title, ...content) => h('section', { class: 'card' }, h('h3', {}, title), content);
const section = (id, title, note, ...content) => h('section', { id, tabindex: -1 }, h('div', { class: 'title' }, h('h2', {}, title), h('span', { class: 'muted' }, note ?? '')), content);

function tiles() {
  const waves = tile('Occupancy', `${o.waves_per_simd} of ${o.max_waves} waves`, `a SIMD, limited by ${o.limited_by}; ${o.groups} work-group${o.groups === 1 ? '' : 's'} a ${kernel.cu}`, 'tile-occupancy');
  if (!time)
    return [waves, tile('Registers', `${kernel.vgprs} VGPRs`, `${kernel.most_agprs ? `${kernel.agprs} AGPRs, ` : ''}${kernel.sgprs} SGPRs`), tile('LDS', `${integer(kernel.lds_bytes)} bytes`, `of ${integer(kernel.most_lds_bytes)}`), tile('Work-group', `up to ${integer(kernel.max_workgroup_size)}`, `work-items, waves of ${kernel.wave_size}`),
            tile('Code', `${integer(data.code.pc.length)} instructions`, `${integer(kernel.code_bytes)} bytes`)];
  return [tile('Limited by', time.limited_by, time.gpu, 'tile-limit'), tile('Cycles', integer(time.cycles), `± ${percent(time.error)} for what was not simulated`, 'tile-cycles'),
          tile('Matrix pipes', `${percent(time.matrix_utilisation)} busy`, `${percent(time.steady_matrix_utilisation)} of a full ${kernel.cu}`), tile('Time', scaled(time.seconds, 's'), `at ${integer(time.clock_mhz)} MHz`),
          time.flops ? tile('Rate', scaled(time.flops / time.seconds, 'flop/s'), data.peaks.matrix ? `${percent(time.flops / time.seconds / data.peaks.matrix, 0)} of the peak at that clock` : '') : tile('Memory', scaled(time.bytes.memory / time.seconds, 'B/s'), `${percent(time.bytes.memory / time.seconds / data.peaks.memory, 0)} of the peak`), waves];
}

function assumed() {
  const facts = time ? [
    ['GPU', `${time.gpu} (${time.target}), ${integer(time.cus)} ${kernel.cu}s`],
    ['Clock', `${integer(time.clock_mhz)} MHz; the vendor's boost clock is ${integer(data.peaks.boost_mhz)} MHz`], ['Grid', `${integer(time.workgroups)} work-groups, ${time.rounds.toFixed(2)} rounds`],
    ['Simulated', `${scaled(time.simulated, '')} of ${scaled(time.instructions, '')} instructions; the rest is extrapolated with an error of ± ${percent(time.error)}`],
    ['Launch', `${scaled(time.launch_seconds, 's')} of the time`], ...time.assumptions.map((a) => { const at = a.indexOf(': '); return [a.slice(0, at), a.slice(at + 2)]; })] : [];
  return h('dl', {}, [...facts, ['File', data.file], ['Kernel', kernel.name]].map(([name, text]) => [h('dt', {}, name), h('dd', {}, text)]));
}
const args = () => (kernel.args.length ? h('table', { class: 'args' }, kernel.args.map((a) => h('tr', {}, h('td', { class: 'n muted' }, `${a.offset}`), h('th', { scope: 'row' }, a.name || '(no name)'), h('td', {}, a.type), h('td', { class: 'n muted' }, `${a.size} bytes`)))) : h('p', { class: 'muted' }, 'none'));

const key = (hue, name, waits) => h('span', { class: 'key' }, h('i', { class: waits ? 'waits' : '', style: `--hue:var(--${hue})` }), name);
const legend = () => h('div', { class: 'legend' }, ['matrix', 'valu', 'trans', 'lds', 'vmem', 'salu'].map((u) => key(units[u].hue, u === 'salu' ? 'scalar, branch' : units[u].name)), h('span', { class: 'muted' }, 'waits for'), families.map((f) => key(f.hue, f.name, true)));

const code = listing(), line = time ? timeline() : null;
const list = [h('section', { class: 'tiles', id: 'summary', tabindex: -1 }, tiles())];
list.push(h('div', { class: 'cards' }, time ? [card('Where the clocks of waves go', waits()), card('Units busy, of the whole device', busy()), card('Bytes moved, and the rate of its peak', traffic())] : '', card('Waves a SIMD, as each limit would allow', occupancy()), card('Resources of the kernel', resources()), time ? card('Roofline', roofline()) : card('Instructions by unit', mix()),
                             card(time ? 'Assumed' : 'Kernel', assumed()), card('Arguments', h('div', { class: 'scroll' }, args()))));
if (line) {
  const cut = data.timeline.whole ? '' : ' The file holds its beginning; the later part was not recorded.';
  list.push(section('timeline', `Timeline of one ${kernel.cu}`, `Drag moves, double click zooms; so does the wheel with Ctrl, or after a click. A click on a bar marks its instruction everywhere.${cut}`, line.controls, legend(), h('div', { class: 'canvas' }, line.canvas)));
}
list.push(section('registers', 'Register pressure', `Registers that hold a value still wanted, at each instruction; dashed: what the kernel asks for. ${data.code.indirect ? `${data.code.indirect} jumps through registers are not followed.` : ''}`, pressure()));
list.push(section('code', 'Code', time ? 'Clocks are those of the waves simulated in detail; registers are live ones.' : 'Registers are live ones.', time ? [loops(), legend()] : '', code.controls, code.table));
list.push(h('footer', { class: 'muted' }, 'Keys: ', h('kbd', {}, '1'), ` to ${line ? 4 : 3} sections, `, h('kbd', {}, 't'), ' light or dark, ', h('kbd', {}, '/'), ' find (Enter next, Shift Enter previous), ', h('kbd', {}, 'j'), ' ', h('kbd', {}, 'k'), ' next and previous instruction, ',
  h('kbd', {}, 'e'), ' unfold or fold', line ? ['; in the timeline ', h('kbd', {}, '← →'), ' move, ', h('kbd', {}, '+ −'), ' zoom, ', h('kbd', {}, '0'), ' all'] : '', '.'));
document.querySelector('main').append(...list);
document.title = `${kernel.name}, ${time ? time.gpu : kernel.target}`;

const schemes = { auto: '◐ auto', light: '○ light', dark: '● dark' }, root = document.documentElement;
function set_scheme(name) {
  if (name === 'auto') delete root.dataset.scheme; else root.dataset.scheme = name;
  scheme.textContent = schemes[name], scheme.dataset.now = name;
  line?.recolour();
}
const next_scheme = () => { const names = Object.keys(schemes); set_scheme(names[(names.indexOf(scheme.dataset.now) + 1) % names.length]); };
const scheme = h('button', { id: 'scheme', title: 'light or dark (t)', onclick: next_scheme });
const places = [...document.querySelectorAll('main > section[id]')], titles = { summary: 'Summary', timeline: 'Timeline', registers: 'Registers', code: 'Code' };
document.querySelector('header').append(h('strong', { title: kernel.name }, kernel.name), h('span', { class: 'chip' }, time ? `${time.gpu} · ${kernel.target}` : kernel.target),
  h('nav', {}, places.map((p, k) => h('a', { href: `#${p.id}`, title: `${k + 1}` }, titles[p.id]))), scheme);
set_scheme('auto');
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => line?.recolour());
line?.start();

document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches('input')) return;
  const keys = { t: next_scheme, e: code.unfold, j: () => code.move(1), k: () => code.move(-1), '/': () => code.search.focus() };
  const place = e.target.matches('canvas') ? undefined : places[Number(e.key) - 1];
  const act = keys[e.key] ?? (place && (() => { place.scrollIntoView(), place.focus({ preventScroll: true }); }));
  if (act) e.preventDefault(), act();
});
root.dataset.ready = 'yes';
