// One CU over time: waves as rows, in each row a lane a unit and one for what the wave waits for. Every bar is added to the coverage of its
// lane's pixels, and the picture is made of coverage: 200,000 bars cost little more than the pixels there are, and a lane that is half busy
// looks half as strong from afar.
import { bisectRight } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { select as d3select } from 'd3-selection';
import { zoom as d3zoom, zoomIdentity } from 'd3-zoom';
import { colours, data, families, family_of, h, hex, hide_tip, integer, lanes, on_select, select, selection, show_tip, text_on, units } from './base.js';

const gutter = 112, top = 22, group_gap = 10;
const unit_names = data.units, kinds = unit_names.length + families.length;
const hue_of = [...unit_names.map((u) => units[u].hue), ...families.map((f) => f.hue)];
const lane_of = [...unit_names.map((u) => units[u].lane), ...families.map(() => lanes.length - 1)];

function unpack(wave, number) {
  const n = wave.events.length / 4, w = { ...wave, number_in_file: number, start_at: new Float64Array(n), end_at: new Float64Array(n) };
  Object.assign(w, { reach: new Float64Array(n), step: new Int32Array(n), kind: new Uint8Array(n), why: new Int8Array(n) });
  let at = 0, reach = 0;
  for (let i = 0; i < n; ++i) {
    const [gap, length, step, why] = wave.events.slice(4 * i, 4 * i + 4);
    at += gap;
    w.start_at[i] = at, w.end_at[i] = at + length, w.step[i] = step, w.why[i] = why;
    w.reach[i] = reach = Math.max(reach, at + length);     // nothing before the first i with reach > t is still there at t
    w.kind[i] = why < 0 ? data.code.unit[step] : unit_names.length + family_of[why];
  }
  return w;
}

// Waves that follow each other in one slot of a SIMD share a row.
function slots_of(waves) {
  const slots = [];
  for (const w of [...waves].sort((a, b) => a.start - b.start || a.number_in_file - b.number_in_file)) {
    const free = slots.find((s) => s.at(-1).end <= w.start);
    if (free) free.push(w); else slots.push([w]);
  }
  return slots;
}

export function timeline() {
  const waves = data.timeline.waves.map(unpack), simds = [...new Set(waves.map((w) => w.simd))].sort((a, b) => a - b);
  const total = Math.max(1, ...waves.map((w) => Math.max(w.reach.at(-1) ?? 0, data.timeline.whole ? w.end : 0)));
  const slots = new Map(simds.map((s) => [s, slots_of(waves.filter((w) => w.simd === s))]));
  const canvas = h('canvas', { tabindex: 0, role: 'img', 'aria-label': 'Timeline of one CU. Arrow keys move, plus and minus zoom, 0 shows all.' });
  const c = canvas.getContext('2d');
  const where = h('output', { class: 'muted' });
  let shown = simds[0], rows = [], width = 0, height = 0, colour = colours(), pending = false, coverage = [];
  let image, pixels, across = 0, ratio = 1, pixel = {};    // the picture in pixels of the screen; `across`: right of the gutter
  const x = scaleLinear();                                 // of the whole launch to the whole width
  let view = x;                                            // as zoomed
  const takes = (e) => !e.button && (e.type !== 'wheel' || e.ctrlKey || e.metaKey || document.activeElement === canvas);
  const zoom = d3zoom().filter(takes).on('zoom', ({ transform }) => { view = transform.rescaleX(x), draw_soon(); });
  const zoomed = d3select(canvas).call(zoom);

  function lay_out() {
    width = Math.max(320, canvas.parentElement.clientWidth);
    const own = shown === 'CU' ? simds : [shown], most = own.reduce((n, s) => n + slots.get(s).length + 1, 0);
    const lane = Math.max(3, Math.min(14, Math.floor(0.62 * innerHeight / most / (lanes.length + 0.4))));   // all rows on a screen, where that can be
    rows = [];
    let y = top;
    for (const s of own) {
      const alone = slots.get(s).length === 1;              // then the SIMD does what its wave does
      if (!alone) rows.push({ y, lane, simd: s, waves: [], name: `SIMD ${s}`, units: true }), y += lane * (lanes.length - 1) + 5;
      for (const [k, slot] of slots.get(s).entries()) {
        const name = alone ? `SIMD ${s}` : slot.length === 1 ? `wg ${slot[0].workgroup} w ${slot[0].number}` : `slot ${k}`;
        rows.push({ y, lane, simd: s, waves: slot, name });
        y += lane * lanes.length + 4;
      }
      y += group_gap;
    }
    height = y - group_gap + 2;
    ratio = devicePixelRatio || 1, across = Math.floor((width - gutter) * ratio);
    canvas.width = width * ratio, canvas.height = height * ratio, canvas.style.height = `${height}px`;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const domain = view.domain();
    x.domain([0, total]).range([gutter, width]);
    zoom.extent([[gutter, 0], [width, height]]).translateExtent([[gutter, 0], [width, height]]).scaleExtent([1, Math.max(1, total / 40)]);
    coverage = Array.from({ length: kinds }, () => ({ used: false, of: new Float32Array(across + 2) }));
    image = c.createImageData(canvas.width, canvas.height), pixels = new Uint32Array(image.data.buffer);
    rows.at(0) && show(...(domain[1] > 1 ? domain : [0, total]));
    const bars = waves.reduce((n, w) => n + w.step.length, 0);
    Object.assign(canvas.dataset, { waves: waves.length, rows: rows.filter((r) => !r.units).length, bars, simd: shown });
  }
  function show(from, to) {
    const k = total / Math.max(1, to - from);
    zoomed.call(zoom.transform, zoomIdentity.translate(gutter - k * x(from), 0).scale(k));
  }

  function cover(kind, from, to) {                         // pixels of the screen, from the gutter; partly covered ones by their part
    const { of } = coverage[kind], a = Math.max(0, from), b = Math.min(across, to), first = Math.floor(a), last = Math.floor(b);
    coverage[kind].used = true;
    if (first === last) { of[first] += b - a; return; }
    of[first] += first + 1 - a;
    for (let p = first + 1; p < last; ++p) of[p] += 1;
    of[last] += b - last;
  }
  const mix = (under, over, part) => {
    const one = (shift) => ((under >>> shift & 255) + ((over >>> shift & 255) - (under >>> shift & 255)) * part) << shift;
    return (one(0) & 0xff | one(8) & 0xff00 | one(16) & 0xff0000 | 0xff000000) >>> 0;
  };
  // The lanes of a row out of their coverage, which is left empty. What is there at all stays visible.
  function paint(row) {
    const scanline = new Uint32Array(across), ground = row.units ? mix(pixel.card, pixel.line, 0.45) : pixel.card;
    for (let lane = 0; lane < lanes.length - (row.units ? 1 : 0); ++lane) {
      scanline.fill(ground);
      for (const [kind, { used, of }] of coverage.entries()) {
        if (!used || lane_of[kind] !== lane) continue;
        for (let p = 0; p < across; ++p) if (of[p] > 0.004) scanline[p] = mix(scanline[p], pixel[hue_of[kind]], Math.min(1, Math.max(0.25, of[p])));
        of.fill(0), coverage[kind].used = false;
      }
      const from = Math.round((row.y + lane * row.lane) * ratio), to = Math.round((row.y + (lane + 1) * row.lane - 1) * ratio);
      const stall = lane === lanes.length - 1;
      for (let y = from; y < to; ++y) {
        const at = y * image.width + image.width - across;
        pixels.set(scanline, at);
        for (let p = -y % 6; stall && p < across; p += 6)  // the legend's hatching
          for (const q of [p, p + 1]) if (q >= 0 && q < across && scanline[q] !== ground) pixels[at + q] = mix(scanline[q], pixel.card, 0.5);
      }
    }
  }

  function each_visible(w, f) {
    const [from, to] = view.domain();
    for (let i = bisectRight(w.reach, from); i < w.step.length && w.start_at[i] < to; ++i) f(i);
  }
  const scale_px = () => { const [from, to] = view.domain(); return { from, px: (width - gutter) / (to - from) }; };

  // Units of a SIMD: what all its waves have there.
  function collect(row) {
    // ends: of each lane the last label, which must not run into the next bar
    const { from, px } = scale_px(), k = px * ratio, words = { marks: [], labels: [] }, ends = [];
    for (const w of row.units ? waves.filter((v) => v.simd === row.simd) : row.waves) {
      each_visible(w, (i) => {
        const a = (w.start_at[i] - from) * k, b = (w.end_at[i] - from) * k, kind = w.kind[i], lane = lane_of[kind], stall = w.why[i] >= 0;
        if (row.units) { if (!stall) cover(kind, a, b); return; }
        cover(kind, a, b - a > 4 ? b - 1 : b);
        if (w.step[i] === selection.row && !stall) words.marks.push([a / ratio, b / ratio, lane]);
        if (row.lane < 10) return;
        if (ends[lane]) ends[lane][1] = Math.min(ends[lane][1], a / ratio), ends[lane] = null;
        if ((b - a) / ratio < 46) return;
        ends[lane] = [a / ratio, b / ratio, lane, stall ? data.stalls[w.why[i]] : data.code.text[w.step[i]].split(' ')[0], hue_of[kind]];
        words.labels.push(ends[lane]);
      });
    }
    return words;
  }
  function write(row, { marks, labels }) {
    c.font = '10px ui-monospace, monospace';
    for (const [a, b, lane, text, hue] of labels) {
      const left = Math.max(0, a) + 3, room = Math.floor((Math.min(width - gutter, b) - left - 2) / 6);
      if (room <= 3) continue;
      const fits = text.length > room ? `${text.slice(0, room - 1)}…` : text, y = row.y + lane * row.lane;
      // no hatching under words
      if (lane === lanes.length - 1) c.fillStyle = colour[hue], c.fillRect(gutter + left - 2, y, c.measureText(fits).width + 4, row.lane - 1);
      c.fillStyle = text_on(colour[hue]), c.fillText(fits, Math.round(gutter + left), Math.round(y + row.lane / 2 + 2.6));
    }
    c.strokeStyle = c.fillStyle = colour.ink;
    for (const [a, b, lane] of marks) {
      if (b - a > 3) c.strokeRect(gutter + Math.max(-2, a) + 0.5, row.y + lane * row.lane + 0.5, Math.min(width, b) - Math.max(-2, a) - 1, row.lane - 2);
      else c.fillRect(gutter + Math.max(0, a), row.y - 2, 1.5, 3);
    }
  }

  function draw() {
    pending = false;
    pixels.fill(pixel.card);
    const words = rows.map((row) => { const found = collect(row); paint(row); return found; });
    c.putImageData(image, 0, 0);
    c.font = '11px sans-serif', c.lineWidth = 1;
    const ticks = view.ticks(Math.max(3, Math.floor(width / 160)));
    for (const t of ticks) {
      c.globalAlpha = 0.6, c.fillStyle = colour.line, c.fillRect(Math.round(view(t)), top - 6, 1, height - top + 6), c.globalAlpha = 1;
      c.fillStyle = colour.muted, c.textAlign = view(t) > width - 40 ? 'right' : view(t) < gutter + 30 ? 'left' : 'center', c.fillText(integer(t), view(t), 12);
    }
    c.textAlign = 'left';
    for (const [k, row] of rows.entries()) {
      write(row, words[k]);
      c.font = row.units ? '600 11px sans-serif' : '11px sans-serif', c.fillStyle = row.units ? colour.ink : colour.muted;
      if (row.lane >= 3 || row.units) c.fillText(row.name, 2, row.y + Math.min(11, row.lane * 4));
      if (row.lane >= 10) {
        c.font = '9px sans-serif', c.textAlign = 'right', c.fillStyle = colour.muted;
        lanes.forEach((name, k) => { if (!row.units || k < lanes.length - 1) c.fillText(name, gutter - 5, row.y + k * row.lane + row.lane / 2 + 3); });
        c.textAlign = 'left';
      }
    }
    const [from, to] = view.domain();
    Object.assign(canvas.dataset, { from: from.toFixed(1), to: to.toFixed(1) });
    where.value = `clocks ${integer(Math.max(0, from))} to ${integer(to)} of ${integer(total)}`;
  }
  function recolour() {
    colour = colours();
    for (const [name, value] of Object.entries(colour)) {  // #rrggbb; the picture has ABGR
      const [red, green, blue] = [1, 3, 5].map((at) => value.slice(at, at + 2));
      pixel[name] = parseInt(`ff${blue}${green}${red}`, 16);
    }
    draw_soon();
  }
  function draw_soon() { if (!pending && pixels) pending = true, requestAnimationFrame(draw); }

  // What is under the pointer: the bar of the lane, else what the wave does at that time.
  function under(event) {
    const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top, t = view.invert(px);
    const row = rows.find((r) => !r.units && py >= r.y && py < r.y + r.lane * lanes.length), slack = 2 / scale_px().px;
    const w = row?.waves.find((v) => t >= v.start - slack && t <= v.end + slack);
    if (!w || px < gutter) return null;
    const lane = Math.floor((py - row.y) / row.lane);
    let best = -1, distance = Infinity;
    for (let i = Math.max(0, bisectRight(w.reach, t - slack)); i < w.step.length && w.start_at[i] <= t + slack; ++i) {
      const d = Math.max(w.start_at[i] - t, t - w.end_at[i], 0) + (lane_of[w.kind[i]] === lane ? 0 : 1e6);
      if (d <= distance) best = i, distance = d;
    }
    return best < 0 ? null : { w, i: best };
  }
  canvas.addEventListener('pointermove', (e) => {
    const hit = e.buttons ? null : under(e);
    if (!hit) return hide_tip();
    const { w, i } = hit, row = w.step[i], long = w.end_at[i] - w.start_at[i];
    const what = w.why[i] < 0 ? units[unit_names[data.code.unit[row]]].name : `waits: ${data.stalls[w.why[i]]}`;
    const instruction = h('code', {}, `${hex(data.code.pc[row])}  ${data.code.text[row]}`);
    show_tip(e, h('b', {}, what), ` ${integer(long)} clocks from ${integer(w.start_at[i])}`, h('br'), instruction, h('br'),
             h('span', { class: 'muted' }, `workgroup ${w.workgroup}, wave ${w.number}, SIMD ${w.simd}`));
  });
  canvas.addEventListener('pointerleave', hide_tip);
  canvas.addEventListener('click', (e) => { const hit = under(e); if (hit) select(hit.w.step[hit.i], 'timeline'); });

  const middle = () => [gutter + (width - gutter) / 2, 0], by = (k) => zoomed.call(zoom.scaleBy, k, middle());
  const move = (part) => zoomed.call(zoom.translateBy, part * (width - gutter) * (view.domain()[1] - view.domain()[0]) / total, 0);
  const home = () => show(0, view.domain()[1] - view.domain()[0]);
  const keys = { ArrowLeft: () => move(0.2), ArrowRight: () => move(-0.2), '+': () => by(1.6), '=': () => by(1.6), '-': () => by(1 / 1.6),
      0: () => show(0, total), Home: home };
  canvas.addEventListener('keydown', (e) => { if (!e.ctrlKey && !e.metaKey && keys[e.key]) e.preventDefault(), keys[e.key](); });

  const tabs = ['CU', ...simds].map((s) => h('button', { 'aria-pressed': s === shown ? 'true' : 'false', 'data-simd': s, onclick: (e) => {
    shown = s;
    for (const b of tabs) b.setAttribute('aria-pressed', b === e.currentTarget ? 'true' : 'false');
    lay_out();
  } }, s === 'CU' ? `whole ${data.kernel.cu}` : `SIMD ${s}`));
  const buttons = [['+', () => by(1.6), 'zoom in (+)'], ['−', () => by(1 / 1.6), 'zoom out (-)'], ['all', () => show(0, total), 'show all (0)', 'fit']];
  const controls = h('div', { class: 'controls' }, h('span', { class: 'group', role: 'group', 'aria-label': 'which waves' }, tabs),
    h('span', { class: 'group' }, buttons.map(([text, onclick, title, id]) => h('button', { onclick, title, id }, text))), where);
  new ResizeObserver(() => { if (canvas.parentElement && Math.max(320, canvas.parentElement.clientWidth) !== width) lay_out(); }).observe(document.body);
  on_select(() => draw_soon());
  return { controls, canvas, recolour, start: () => { recolour(), lay_out(), show(0, total); } };
}
