// The smaller pictures: bars, occupancy, traffic, roofline, register pressure.
import { bisectLeft, extent, max } from 'd3-array';
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLinear, scaleLog } from 'd3-scale';
import { create, pointer } from 'd3-selection';
import { area, curveStepAfter, line } from 'd3-shape';
import { all_clocks, by_family, data, families, h, hex, hide_tip, hot, integer, on_select, percent, scaled, select, show_tip, units } from './base.js';

export const bar = (part, hue) => h('span', { class: 'bar' }, h('i', { style: `width:${(100 * Math.min(1, part)).toFixed(2)}%;background:var(--${hue})` }));
// Parts of a whole, of families and first `own`, as one bar.
export function stack(own, parts, whole) {
  const pieces = [['working', 'ink', own], ...parts.map((p, k) => [`waits for ${families[k].name}`, families[k].hue, p])];
  return h('span', { class: 'bar stack' }, pieces.filter((p) => p[2] > 0).map(([name, hue, n]) => h('i', { title: `${name} ${percent(n / whole)}`, class: hue === 'ink' ? '' : 'waits', style: `width:${(100 * n / whole).toFixed(2)}%;--hue:var(--${hue})` })));
}
const row = (name, ...cells) => h('tr', {}, h('th', { scope: 'row' }, name), cells.map((c) => h('td', {}, c)));

export function busy() {
  const t = data.time;
  return h('table', { class: 'bars' }, [['matrix pipes', t.matrix_utilisation, 'matrix'], ['VALU', t.valu_utilisation, 'valu'], ['LDS', t.lds_utilisation, 'lds'], ['issue slots', t.issue_utilisation, 'slot']].map(
    ([name, part, hue]) => row(name, bar(part, hue), percent(part))), row(`matrix, full ${data.kernel.cu}`, bar(t.steady_matrix_utilisation, 'matrix'), percent(t.steady_matrix_utilisation)));
}

export function waits() {
  const rows = data.code.pc.map((_, i) => i), sums = by_family(rows), issue = data.spent.issue.reduce((a, b) => a + b, 0);
  const parts = [{ name: 'issues instructions', hue: 'ink', n: issue }, ...families.map((f, k) => ({ name: `waits: ${f.name}`, hue: f.hue, n: sums[k] }))].filter((p) => p.n > 0.0005 * all_clocks);
  return [stack(issue, sums, all_clocks), h('table', { class: 'bars' }, parts.map((p) => row(p.name, bar(p.n / all_clocks, p.hue), percent(p.n / all_clocks))))];
}

export function occupancy() {
  const { occupancy: o, kernel: k } = data;
  const detail = { VGPRs: `${o.vgprs_granted} granted`, SGPRs: o.sgprs_granted ? `${o.sgprs_granted} granted` : '', LDS: `${integer(o.lds_granted || k.lds_bytes)} granted` };
  return h('table', { class: 'bars', id: 'occupancy' }, o.limits.map((l) => {
    const binds = l.by === o.limited_by;
    return h('tr', { class: binds ? 'binds' : '', 'data-by': l.by }, h('th', { scope: 'row' }, l.by), h('td', {}, bar(l.waves_per_simd / o.max_waves, binds ? 'matrix' : 'slot')), h('td', {}, `${l.waves_per_simd} / ${o.max_waves}`),
             h('td', { class: 'muted' }, binds ? h('b', {}, 'binds') : '', binds && detail[l.by] ? ', ' : '', detail[l.by] ?? ''));
  }));
}

// How many instructions each unit has in the code, and in the hot loops alone.
export function mix() {
  const count = (rows) => data.units.map((_, u) => rows.filter((r) => data.code.unit[r] === u).length), all = data.code.pc.map((_, r) => r);
  const whole = count(all), inside = count(all.filter((r) => hot.some((l) => r >= l.first && r <= l.last))), sum = inside.reduce((a, b) => a + b, 0);
  return h('table', { class: 'bars' }, h('tr', {}, h('th'), h('td'), h('td', { class: 'muted' }, sum ? 'innermost loops' : ''), h('td', { class: 'muted' }, 'all')),
    data.units.map((u, k) => (whole[k] ? row(units[u].name, bar((sum ? inside : whole)[k] / (sum || all.length), units[u].hue), sum ? integer(inside[k]) : '', integer(whole[k])) : '')));
}

export function resources() {
  const { kernel: k, occupancy: o } = data, most = (key) => max(data.code[key]) ?? 0;
  const line = (name, used, live, all) => row(name, bar(used / all, 'slot'), `${integer(used)} of ${integer(all)}`, live === undefined ? '' : `live at most ${live}`);
  return [h('table', { class: 'bars' }, line('VGPRs', k.vgprs, most('vgprs'), k.most_vgprs), k.most_agprs ? line('AGPRs', k.agprs, most('agprs'), k.most_agprs) : '', line('SGPRs', k.sgprs, most('sgprs'), k.most_sgprs),
           line('LDS, bytes', k.lds_bytes, undefined, k.most_lds_bytes), k.private_bytes ? row('scratch', '', `${integer(k.private_bytes)} bytes a lane`) : ''),
          o.vgprs_free > 0 ? h('p', { class: 'muted' }, `${o.vgprs_free} more vector registers a lane would leave the occupancy as it is.`) : ''];
}

const levels = [['lds', 'LDS'], ['l1', 'vector L1'], ['l2', 'L2'], ['mall', 'MALL'], ['memory', 'memory']];
export function traffic() {
  const { time: t, peaks } = data;
  return h('table', { class: 'bars' }, levels.filter(([key]) => t.bytes[key] > 0).map(([key, name]) => {
    const rate = t.bytes[key] / t.seconds, peak = peaks[key];
    return row(name, scaled(t.bytes[key], 'B'), peak ? bar(rate / peak, 'vmem') : '', peak ? percent(rate / peak, 0) : '', `${scaled(rate, 'B/s')}${peak ? ` of ${scaled(peak, 'B/s')}` : ''}`);
  }));
}

// Ticks of a logarithmic scale: 1, 2, 5 of each decade, only the decades where there are many.
const decades = (scale) => { const all = scale.ticks().filter((v) => /^[125]/.test(v.toExponential())); return all.length > 8 ? all.filter((v) => /^1(\.0*)?e/.test(v.toExponential())) : all; };
export function roofline() {
  const { time: t, peaks } = data;
  if (!peaks.matrix) return h('p', { class: 'muted' }, 'No matrix instructions: the model counts no other floating-point work, so there is no point to draw. The traffic table says how near memory is.');
  const points = levels.slice(2).filter(([key]) => t.bytes[key] > 0 && peaks[key] > 0).map(([key, name]) => ({ name, x: t.flops / t.bytes[key], y: t.flops / t.seconds, bytes: peaks[key] }));
  if (!points.length) return h('p', { class: 'muted' }, 'No bytes went beyond the vector L1: there is no slope to draw.');
  const wide = 460, high = 300, edge = { l: 52, r: 14, t: 14, b: 36 };
  const ridges = points.map((p) => peaks.matrix / p.bytes), xs = extent([...points.map((p) => p.x), ...ridges]);
  const x = scaleLog([xs[0] / 4, xs[1] * 4], [edge.l, wide - edge.r]), y = scaleLog([Math.min(peaks.matrix / 300, points[0].y / 3), peaks.matrix * 2], [high - edge.b, edge.t]);
  const svg = create('svg').attr('viewBox', `0 0 ${wide} ${high}`).attr('role', 'img').attr('aria-label', 'roofline').attr('id', 'roofline');
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${high - edge.b})`).call(axisBottom(x).tickValues(decades(x)).tickFormat((v) => scaled(v, '').replace(/\.0+ /, ' ')));
  svg.append('g').attr('class', 'axis').attr('transform', `translate(${edge.l},0)`).call(axisLeft(y).tickValues(decades(y)).tickFormat((v) => scaled(v, '').replace(/\.0+ /, ' ')));
  svg.append('text').attr('class', 'label').attr('x', wide - edge.r).attr('y', high - 4).attr('text-anchor', 'end').text('flop a byte');
  svg.append('text').attr('class', 'label').attr('x', 2).attr('y', 9).text('flop/s');
  const top = y(peaks.matrix), looks = ['6 3', '2 3', ''], hues = ['var(--vmem)', 'var(--lds)', 'var(--valu)'];
  svg.append('line').attr('class', 'roof').attr('x1', x(Math.min(...ridges))).attr('x2', wide - edge.r).attr('y1', top).attr('y2', top);
  svg.append('text').attr('class', 'label').attr('x', wide - edge.r).attr('y', top - 5).attr('text-anchor', 'end').text(`matrix peak ${scaled(peaks.matrix, 'flop/s')} at ${integer(t.clock_mhz)} MHz`);
  points.forEach((p, k) => {
    const k3 = levels.slice(2).findIndex(([, name]) => name === p.name), from = Math.max(x.domain()[0], y.domain()[0] / p.bytes), ridge = peaks.matrix / p.bytes;
    svg.append('line').attr('class', 'roof').attr('stroke-dasharray', looks[k3]).style('stroke', hues[k3]).attr('x1', x(from)).attr('y1', y(from * p.bytes)).attr('x2', x(ridge)).attr('y2', top);
    svg.append('line').attr('class', 'drop').style('stroke', hues[k3]).attr('x1', x(p.x)).attr('x2', x(p.x)).attr('y1', y(p.y)).attr('y2', y(Math.min(peaks.matrix, p.bytes * p.x)));
    svg.append('circle').attr('cx', x(p.x)).attr('cy', y(p.y)).attr('r', 4.5).style('fill', hues[k3]).attr('data-level', p.name).append('title').text(`${p.name}: ${p.x.toPrecision(3)} flop a byte, ${scaled(p.y, 'flop/s')}`);
    const legend = svg.append('g').attr('transform', `translate(${wide - 210},${high - edge.b - 16 * (points.length - k)})`);
    legend.append('line').attr('class', 'roof').attr('stroke-dasharray', looks[k3]).style('stroke', hues[k3]).attr('x2', 22).attr('y1', 4).attr('y2', 4);
    legend.append('text').attr('class', 'label').attr('x', 28).attr('y', 8).text(`${p.name} ${scaled(p.bytes, 'B/s')}`);
  });
  return h('figure', {}, svg.node(), h('figcaption', { class: 'muted' }, `The kernel at ${scaled(points[0].y, 'flop/s')}, once for the bytes of each level; the thin line up is what that level would still allow.`));
}

// Live registers over the program; a point of the path is the most of the rows that share its pixel.
export function pressure() {
  const { code, kernel } = data, box = h('div', { class: 'pressure' }), high = 230, edge = { l: 40, r: 96, t: 12, b: 22 }, n = code.pc.length;
  const files = [['vgprs', 'VGPRs', 'valu', kernel.vgprs], ['agprs', 'AGPRs', 'matrix', kernel.agprs], ['sgprs', 'SGPRs', 'lds', kernel.sgprs < kernel.most_sgprs ? kernel.sgprs : 0]].filter(([key, , , held]) => held > 0 || key === 'sgprs');   // SGPRs all of which every wave gets anyway are no limit to draw
  let drawn = 0;
  function draw() {
    const wide = Math.max(320, box.clientWidth);
    if (wide === drawn) return;
    drawn = wide;
    const x = scaleLinear([0, n], [edge.l, wide - edge.r]), y = scaleLinear([0, Math.max(16, ...files.map((f) => f[3]), ...files.map(([key]) => max(code[key])))], [high - edge.b, edge.t]).nice(4);
    const svg = create('svg').attr('viewBox', `0 0 ${wide} ${high}`).attr('width', wide).attr('height', high).attr('role', 'img').attr('aria-label', 'live registers at each instruction');
    for (const r of hot) svg.append('rect').attr('class', 'band').attr('x', x(r.first)).attr('y', edge.t).attr('width', Math.max(1, x(r.last + 1) - x(r.first))).attr('height', high - edge.b - edge.t);
    svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${high - edge.b})`).call(axisBottom(x).ticks(wide / 140));
    svg.append('g').attr('class', 'axis').attr('transform', `translate(${edge.l},0)`).call(axisLeft(y).ticks(4));
    svg.append('text').attr('x', wide - edge.r + 6).attr('y', high - edge.b + 12).text('instruction');
    const step = Math.max(1, n / (wide - edge.l - edge.r)), labels = [];
    files.forEach(([key, name, hue, held], k) => {
      const points = [];
      for (let at = 0; at < n; at += step) points.push([at, max(code[key].slice(Math.floor(at), Math.max(Math.floor(at) + 1, Math.floor(at + step))))]);
      points.push([n, points.at(-1)?.[1] ?? 0]);
      if (k === 0) svg.append('path').attr('d', area((p) => x(p[0]), y(0), (p) => y(p[1])).curve(curveStepAfter)(points)).style('fill', `var(--${hue})`).style('opacity', 0.12);
      svg.append('path').attr('class', 'curve').style('stroke', `var(--${hue})`).attr('d', line((p) => x(p[0]), (p) => y(p[1])).curve(curveStepAfter)(points));
      if (held) svg.append('line').attr('class', 'held').style('stroke', `var(--${hue})`).attr('x1', edge.l).attr('x2', wide - edge.r).attr('y1', y(held)).attr('y2', y(held));
      labels.push({ y: y(held || max(code[key])), text: held ? `${name}: ${held}` : name, hue });
    });
    labels.sort((a, b) => a.y - b.y).forEach((l, k) => {
      if (k) l.y = Math.max(l.y, labels[k - 1].y + 13);
      svg.append('text').attr('class', 'label').attr('x', wide - edge.r + 6).attr('y', l.y + 4).style('fill', `var(--${l.hue})`).text(l.text);
    });
    const mark = svg.append('line').attr('class', 'mark').attr('y1', edge.t).attr('y2', high - edge.b).style('display', 'none');
    const at = (e) => Math.max(0, Math.min(n - 1, Math.floor(x.invert(pointer(e, svg.node())[0]))));
    svg.on('pointermove', (e) => {
      const i = at(e);
      show_tip(e, h('code', {}, `${hex(code.pc[i])}  ${code.text[i]}`), h('br'), files.map(([key, name]) => `${code[key][i]} ${name}`).join(', '));
    }).on('pointerleave', hide_tip).on('click', (e) => select(at(e), 'pressure'));
    box.replaceChildren(svg.node());
    box.mark = (row) => mark.style('display', row < 0 ? 'none' : null).attr('x1', x(row + 0.5)).attr('x2', x(row + 0.5));
  }
  new ResizeObserver(draw).observe(box);
  on_select((row) => box.mark?.(row));
  return box;
}
