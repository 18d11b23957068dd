// The smaller pictures: bars, occupancy, traffic, roofline, register pressure.
import { extent, max } from 'd3-array';
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLinear, scaleLog } from 'd3-scale';
import { pointer, select as d3select } from 'd3-selection';
import { area, curveStepAfter, line } from 'd3-shape';
import { all_clocks, by_family, data, families, h, hex, hide_tip, hot, integer, on_select, percent, scaled, select, show_tip, units } from './base.js';

// An element of a drawing inside `parent`.
function draw(parent, tag, attributes = {}, text = '') {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.textContent = text;
  parent?.append(e);
  return e;
}
const axis = (svg, x, y, scale) => d3select(draw(svg, 'g', { class: 'axis', transform: `translate(${x},${y})` })).call(scale);

export const bar = (part, hue) => h('span', { class: 'bar' }, h('i', { style: `width:${(100 * Math.min(1, part)).toFixed(2)}%;background:var(--${hue})` }));
// Parts of a whole, of families and first `own`, as one bar.
export function stack(own, parts, whole) {
  const piece = (name, hue, n) => (n > 0 ? h('i', { title: `${name} ${percent(n / whole)}`, class: hue && 'waits',
      style: `width:${(100 * n / whole).toFixed(2)}%;--hue:var(--${hue ?? 'ink'})` }) : '');
  return h('span', { class: 'bar stack' }, piece('working', undefined, own), parts.map((n, k) => piece(`waits for ${families[k].name}`, families[k].hue, n)));
}
const row = (name, ...cells) => h('tr', {}, h('th', { scope: 'row' }, name), cells.map((c) => h('td', {}, c)));

export function busy() {
  const t = data.time, matrix = t.flops ? [['matrix pipes', t.matrix_utilisation, 'matrix'], [`matrix, full ${data.kernel.cu}`, t.steady_matrix_utilisation,
      'matrix']] : [];
  const all = [...matrix, ['VALU', t.valu_utilisation, 'valu'], ['LDS', t.lds_utilisation, 'lds'], ['issue slots', t.issue_utilisation, 'slot']];
  return h('table', { class: 'bars' }, all.map(([name, part, hue]) => row(name, bar(part, hue), percent(part))));
}

export function waits() {
  const rows = data.code.pc.map((_, i) => i), sums = by_family(rows), issue = data.spent.issue.reduce((a, b) => a + b, 0);
  const parts = [{ name: 'issues instructions', hue: 'ink', n: issue },
      ...families.map((f, k) => ({ name: `waits: ${f.name}`, hue: f.hue, n: sums[k] }))].filter((p) => p.n > 0.0005 * all_clocks);
  return [stack(issue, sums, all_clocks), h('table', { class: 'bars' },
      parts.map((p) => row(p.name, bar(p.n / all_clocks, p.hue), percent(p.n / all_clocks))))];
}

export function occupancy() {
  const { occupancy: o, kernel: k } = data;
  const detail = { VGPRs: `${o.vgprs_granted} granted`, SGPRs: o.sgprs_granted ? `${o.sgprs_granted} granted` : '',
      LDS: `${integer(o.lds_granted || k.lds_bytes)} granted` };
  return h('table', { class: 'bars', id: 'occupancy' }, o.limits.map((l) => {
    const binds = l.groups === o.groups && l.waves_per_simd === o.waves_per_simd && (l.by === o.limited_by || l.waves_per_simd < o.max_waves);
    return h('tr', { class: binds ? 'binds' : '', 'data-by': l.by }, h('th', { scope: 'row' }, l.by),
        h('td', {}, bar(l.waves_per_simd / o.max_waves, binds ? 'matrix' : 'slot')), h('td', {}, `${l.waves_per_simd} / ${o.max_waves}`),
             h('td', { class: 'muted' }, binds ? h('b', {}, 'binds') : '', binds && detail[l.by] ? ', ' : '', detail[l.by] ?? ''));
  }));
}

// How many instructions each unit has in the code, and in the innermost loops alone.
export function mix() {
  const all = data.code.pc.map((_, r) => r), looped = all.filter((r) => hot.some((l) => r >= l.first && r <= l.last)), base = looped.length ? looped : all;
  const count = (rows, u) => rows.filter((r) => data.code.unit[r] === u).length, head = (text) => h('td', { class: 'muted' }, text);
  return h('table', { class: 'bars' }, h('tr', {}, h('th'), h('td'), head(looped.length ? 'innermost loops' : ''), head('all')), data.units.map((u, k) => {
    const whole = count(all, k), inside = count(base, k);
    return whole ? row(units[u].name, bar(inside / base.length, units[u].hue), looped.length ? integer(inside) : '', integer(whole)) : '';
  }));
}

export function resources() {
  const { kernel: k, occupancy: o } = data, most = (key) => max(data.code[key]) ?? 0;
  const line = (name, used, live, all) => row(name, bar(used / all, 'slot'), `${integer(used)} of ${integer(all)}`, live === undefined ? ''
      : `live at most ${live}`);
  return [h('table', { class: 'bars' }, line('VGPRs', k.vgprs, most('vgprs'), k.most_vgprs), k.most_agprs ? line('AGPRs', k.agprs, most('agprs'), k.most_agprs)
      : '', line('SGPRs', k.sgprs, most('sgprs'), k.most_sgprs),
           line('LDS, bytes', k.lds_bytes, undefined, k.most_lds_bytes), k.private_bytes ? row('scratch', '', `${integer(k.private_bytes)} bytes per lane`) : ''),
          o.vgprs_free > 0 ? h('p', { class: 'muted' }, `${o.vgprs_free} more vector registers per lane would not lower the occupancy.`) : ''];
}

const levels = [['lds', 'LDS'], ['l1', 'vector L1'], ['l2', 'L2'], ['mall', 'memory-side cache'], ['memory', 'memory']];
export function traffic() {
  const { time: t, peaks } = data;
  return h('table', { class: 'bars' }, levels.filter(([key]) => t.bytes[key] > 0).map(([key, name]) => {
    const rate = t.bytes[key] / t.seconds, peak = peaks[key];
    return row(name, scaled(t.bytes[key], 'B'), peak ? bar(rate / peak, 'vmem') : '', peak ? percent(rate / peak, 0) : '',
        `${scaled(rate, 'B/s')}${peak ? ` of ${scaled(peak, 'B/s')}` : ''}`);
  }));
}

// Ticks of a logarithmic scale: 1, 2, 5 of each decade, only the decades where there are many.
function decades(scale) {
  const leading = (digits) => scale.ticks().filter((v) => digits.includes(v.toExponential()[0]) && /^.(\.0*)?e/.test(v.toExponential()));
  return leading('125').length > 8 ? leading('1') : leading('125');
}
const si = (v) => scaled(v, '').replace(/\.0+ /, ' ');

const slopes = { l2: { dashes: '6 3', hue: 'vmem' }, mall: { dashes: '2 3', hue: 'lds' }, memory: { dashes: '', hue: 'valu' } };
export function roofline() {
  const { time: t, peaks } = data, note = (text) => h('p', { class: 'muted' }, text);
  const work = t.flops + t.vector_flops, peak = peaks.matrix ?? peaks.vector, unit = peaks.matrix ? 'matrix' : peaks.vector_instruction;
  if (!peak || !work) return note('No flops were counted, so there is no point to draw. The bytes moved show how close memory is to its limit.');
  const rate = work / t.seconds;
  const points = levels.filter(([key]) => slopes[key] && t.bytes[key] > 0
      && peaks[key] > 0).map(([key, name]) => ({ name, x: work / t.bytes[key], bytes: peaks[key], ...slopes[key] }));
  if (!points.length) return note('No bytes moved beyond the vector L1, so there is no slope to draw.');

  const wide = 460, high = 300, edge = { l: 52, r: 14, t: 14, b: 36 }, ridges = points.map((p) => peak / p.bytes),
      span = extent([...points.map((p) => p.x), ...ridges]);
  const x = scaleLog([span[0] / 4, span[1] * 4], [edge.l, wide - edge.r]),
      y = scaleLog([Math.min(peak / 300, rate / 3), peak * 2], [high - edge.b, edge.t]);
  const svg = draw(null, 'svg', { id: 'roofline', viewBox: `0 0 ${wide} ${high}`, role: 'img', 'aria-label': 'roofline' }), top = y(peak);
  axis(svg, 0, high - edge.b, axisBottom(x).tickValues(decades(x)).tickFormat((v) => (v < 1 ? `${Number(v.toPrecision(1))}` : si(v))));
  axis(svg, edge.l, 0, axisLeft(y).tickValues(decades(y)).tickFormat(si));
  draw(svg, 'text', { class: 'label', x: wide - edge.r, y: high - 4, 'text-anchor': 'end' }, 'flop per byte');
  draw(svg, 'text', { class: 'label', x: 2, y: 9 }, 'flop/s');
  draw(svg, 'line', { class: 'roof', x1: x(Math.min(...ridges)), x2: wide - edge.r, y1: top, y2: top });
  draw(svg, 'text', { class: 'label', x: wide - edge.r, y: top - 5, 'text-anchor': 'end' },
      `${unit} peak ${scaled(peak, 'flop/s')} at ${integer(t.clock_mhz)} MHz`);
  if (peaks.matrix && peaks.vector && t.vector_flops > 0.01 * work) {   // what the VALU alone could do, below
    draw(svg, 'line', { class: 'roof', 'stroke-dasharray': '1 3', x1: edge.l, x2: wide - edge.r, y1: y(peaks.vector), y2: y(peaks.vector) });
    draw(svg, 'text', { class: 'label', x: edge.l + 4, y: y(peaks.vector) - 4 }, `${peaks.vector_instruction} ${scaled(peaks.vector, 'flop/s')}`);
  }
  points.forEach((p, k) => {
    const from = Math.max(x.domain()[0], y.domain()[0] / p.bytes), look = { class: 'roof', 'stroke-dasharray': p.dashes, style: `stroke:var(--${p.hue})` },
        at = high - edge.b - 16 * (points.length - k);
    draw(svg, 'line', { ...look, x1: x(from), y1: y(from * p.bytes), x2: x(peak / p.bytes), y2: top });
    draw(svg, 'line', { ...look, class: 'drop', 'stroke-dasharray': '', x1: x(p.x), x2: x(p.x), y1: y(rate), y2: y(Math.min(peak, p.bytes * p.x)) });
    const point = draw(svg, 'circle', { cx: x(p.x), cy: y(rate), r: 4.5, style: `fill:var(--${p.hue})`, 'data-level': p.name });
    draw(point, 'title', {}, `${p.name}: ${p.x.toPrecision(3)} flop per byte, ${scaled(rate, 'flop/s')}`);
    draw(svg, 'line', { ...look, x1: wide - 210, x2: wide - 188, y1: at + 4, y2: at + 4 });
    draw(svg, 'text', { class: 'label', x: wide - 182, y: at + 8 }, `${p.name} ${scaled(p.bytes, 'B/s')}`);
  });
  return h('figure', {}, svg, h('figcaption', { class: 'muted' },
      `The kernel at ${scaled(rate, 'flop/s')}${t.flops && t.vector_flops > 0.01 * work ? ` (${percent(t.vector_flops / work)} of it VALU instructions)` : ''}, once for the bytes of each level; the thin line up shows what that level would still allow.`));
}

// Live registers over the program; a point of the path is the most of the rows that share its pixel.
export function pressure() {
  const { code, kernel } = data, box = h('div', { class: 'pressure' }), high = 230, edge = { l: 40, r: 96, t: 12, b: 22 }, n = code.pc.length;
  const sgprs = kernel.sgprs < kernel.most_sgprs ? kernel.sgprs : 0;   // all of them, which every wave gets: no limit to draw
  const files = [['vgprs', 'VGPRs', 'valu', kernel.vgprs], ['agprs', 'AGPRs', 'matrix', kernel.agprs],
      ['sgprs', 'SGPRs', 'lds', sgprs]].filter(([key, , , held]) => held > 0 || key === 'sgprs');
  const most = Math.max(16, ...files.map(([key, , , held]) => Math.max(held, max(code[key]))));
  let drawn = 0;
  function picture() {
    const wide = Math.max(320, box.clientWidth), right = wide - edge.r, foot = high - edge.b;
    if (wide === drawn) return;
    drawn = wide;
    const x = scaleLinear([0, n], [edge.l, right]), y = scaleLinear([0, most], [foot, edge.t]).nice(4), step = Math.max(1, n / (right - edge.l)), labels = [];
    const svg = draw(null, 'svg', { width: wide, height: high, role: 'img', 'aria-label': 'live registers at each instruction' });
    for (const r of hot) draw(svg, 'rect', { class: 'band', x: x(r.first), y: edge.t, width: Math.max(1, x(r.last + 1) - x(r.first)), height: foot - edge.t });
    axis(svg, 0, foot, axisBottom(x).ticks(wide / 140)), axis(svg, edge.l, 0, axisLeft(y).ticks(4));
    draw(svg, 'text', { x: right + 6, y: foot + 12 }, 'instruction');
    for (const [key, name, hue, held] of files) {
      const points = [], px = (p) => x(p[0]), py = (p) => y(p[1]);
      for (let at = 0; at < n; at += step) points.push([at, max(code[key].slice(Math.floor(at), Math.max(Math.floor(at) + 1, Math.floor(at + step))))]);
      points.push([n, points.at(-1)?.[1] ?? 0]);
      if (key === 'vgprs') draw(svg, 'path', { d: area(px, y(0), py).curve(curveStepAfter)(points), style: `fill:var(--${hue});opacity:0.12` });
      draw(svg, 'path', { class: 'curve', d: line(px, py).curve(curveStepAfter)(points), style: `stroke:var(--${hue})` });
      if (held) draw(svg, 'line', { class: 'held', x1: edge.l, x2: right, y1: y(held), y2: y(held), style: `stroke:var(--${hue})` });
      labels.push({ y: y(held || max(code[key])), text: held ? `${name}: ${held}` : name, hue });
    }
    labels.sort((a, b) => a.y - b.y).forEach((l, k) => {
      if (k) l.y = Math.max(l.y, labels[k - 1].y + 13);
      draw(svg, 'text', { class: 'label', x: right + 6, y: l.y + 4, style: `fill:var(--${l.hue})` }, l.text);
    });
    const mark = draw(svg, 'line', { class: 'mark', y1: edge.t, y2: foot, visibility: 'hidden' });
    box.mark = (row) => { for (const end of ['x1', 'x2']) mark.setAttribute(end, x(row + 0.5)); mark.setAttribute('visibility', row < 0 ? 'hidden' : 'visible');
        };
    box.row_at = (e) => Math.max(0, Math.min(n - 1, Math.floor(x.invert(pointer(e, svg)[0]))));
    box.replaceChildren(svg);
  }
  box.addEventListener('pointermove', (e) => {
    const i = box.row_at(e);
    show_tip(e, h('code', {}, `${hex(code.pc[i])}  ${code.text[i]}`), h('br'), files.map(([key, name]) => `${code[key][i]} ${name}`).join(', '));
  });
  box.addEventListener('pointerleave', hide_tip);
  box.addEventListener('click', (e) => select(box.row_at(e), 'pressure'));
  new ResizeObserver(picture).observe(box);
  on_select((row) => box.mark?.(row));
  return box;
}
