// The annotated listing. Hot loops stand open, the rest is folded to one line a stretch, built when it is opened.
import { all_clocks, by_family, clocks_of, data, family_of, families, h, hex, hot, integer, on_select, percent, select, selection, units } from './base.js';
import { stack } from './charts.js';

const { code, spent } = data, timed = Boolean(data.time), n = code.pc.length;
const loop_ends = new Set(code.target.map((to, row) => (to >= 0 && to <= row ? row : -1)));
const starts = new Set(code.target);

function worst_stall(row) {
  let best = -1;
  for (let i = 0; i < spent.stalled[row].length; i += 2) if (best < 0 || spent.stalled[row][i + 1] > spent.stalled[row][best + 1]) best = i;
  return best < 0 ? '' : `${data.stalls[spent.stalled[row][best]]} ${percent(spent.stalled[row][best + 1] / clocks_of(row), 0)}`;
}
function stalls_text(row) {
  const all = [];
  for (let i = 0; i < spent.stalled[row].length; i += 2) all.push([spent.stalled[row][i + 1], data.stalls[spent.stalled[row][i]]]);
  return all.sort((a, b) => b[0] - a[0]).map(([c, name]) => `${name} ${integer(c)}`).join(', ');
}

// The author's line, where it is another one than that of the instruction before.
const place_of = (row) => code.places[code.place[row]] ?? '';
const new_place = (row) => place_of(row) && (row === 0 || code.place[row] !== code.place[row - 1]) ? h('span', { class: 'place' }, place_of(row)) : '';

const most = timed ? code.pc.reduce((top, _, row) => Math.max(top, clocks_of(row)), 1) : 1;
function line(row) {
  const unit = units[data.units[code.unit[row]]], clocks = timed ? clocks_of(row) : 0;
  const n = (text) => h('td', { class: 'n' }, `${text}`), here = starts.has(row) ? h('span', { class: 'target', title: code.label[row] || 'branch target' }, '▸') : '';
  const cells = [h('td', { class: 'pc' }, here, code.pc[row].toString(16)), h('td', { class: 'code', title: place_of(row) || undefined }, code.text[row], new_place(row)),
                 h('td', { class: 'unit' }, h('i', { style: `background:var(--${unit.hue})` }), unit.short ?? unit.name)];
  if (timed) {
    const issued = spent.issued[row], conflicts = spent.conflicts[row] ? `; bank conflicts ${integer(spent.conflicts[row])} clocks` : '';
    const picture = clocks ? stack(spent.issue[row], by_family([row]), clocks) : '';
    if (picture) picture.style.width = `${Math.max(2, 100 * clocks / most).toFixed(1)}%`;
    cells.push(n(issued ? integer(issued) : ''), n(issued ? (clocks / issued).toFixed(1) : ''), n(clocks ? percent(clocks / all_clocks, 2) : ''),
        h('td', { class: 'spent' }, picture));
    cells.push(h('td', { class: 'why', title: issued ? stalls_text(row) + conflicts : '' }, issued ? worst_stall(row) : 'not reached'));
  }
  cells.push(n(code.vgprs[row]), data.kernel.most_agprs ? n(code.agprs[row]) : '', n(code.sgprs[row]));
  const marks = [timed && !spent.issued[row] && 'idle', loop_ends.has(row) && 'back', selection.row === row && 'selected'].filter(Boolean);
  return h('tr', { 'data-row': row, class: marks.join(' ') || undefined }, cells);
}

function segments() {
  const out = [];
  let at = 0;
  for (const r of hot) {
    if (r.first > at) out.push({ first: at, last: r.first - 1 });
    out.push({ ...r, hot: true }), at = r.last + 1;
  }
  if (at < n) out.push({ first: at, last: n - 1 });
  return out;
}

export function listing() {
  const times = [['issued', 'n wide'], ['clk each', 'n wide'], ['share', 'n wide'], ['busy, then waiting', 'spent'], ['waits mostly for', 'why']];
  const heads = [['address', 'pc'], ['instruction', 'code'], ['unit', 'unit'], ...(timed ? times : []), ['VGPR', 'n'],
      ...(data.kernel.most_agprs ? [['AGPR', 'n']] : []), ['SGPR', 'n']];
  const parts = segments().map((s) => {
    const rows = Array.from({ length: s.last - s.first + 1 }, (_, k) => s.first + k), share = timed
        ? rows.reduce((sum, r) => sum + clocks_of(r), 0) / all_clocks : 0;
    const range = `${hex(code.pc[s.first])} to ${hex(code.pc[s.last])}, ${integer(rows.length)} instruction${rows.length > 1 ? 's' : ''}`;
    const what = h('span', {}, s.hot ? h('b', {}, timed ? 'hot loop ' : 'loop ') : '', range, timed ? `, ${percent(share)} of all wave clocks` : '');
    const button = h('button', { class: 'fold', 'aria-expanded': 'false' }, what), body = h('tbody', { class: s.hot ? 'hot' : '' }),
        head = h('tr', { class: 'head' }, h('td', { colspan: heads.length }, button));
    body.append(head);
    const part = { ...s, share, open: false, set(open) {
      if (open === part.open) return;
      part.open = open, button.setAttribute('aria-expanded', String(open));
      if (open) body.append(...rows.map(line)); else body.replaceChildren(head);
    }, body };
    button.addEventListener('click', () => part.set(!part.open));
    return part;
  });
  let room = 6000;                                         // rows built at once; what takes most of the time comes first
  const wanted = parts.filter((p) => p.hot || n <= 200 || (!hot.length && n <= 2000)).sort((a, b) => b.share - a.share || a.first - b.first);
  for (const p of wanted) if ((room -= p.last - p.first + 1) > 0) p.set(true);
  const table = h('table', { id: 'listing', 'data-rows': n, class: timed ? 'timed' : '' },
      h('thead', {}, h('tr', {}, heads.map(([t, c]) => h('th', { scope: 'col', class: c }, t)))), parts.map((p) => p.body));
  table.addEventListener('click', (e) => { const row = e.target.closest('tr[data-row]');
      if (row && !getSelection().toString()) select(Number(row.dataset.row), 'listing'); });

  function reveal(row, from) {
    table.querySelector('tr.selected')?.classList.remove('selected');
    const part = parts.find((p) => row >= p.first && row <= p.last);
    if (!part) return;
    part.set(true);
    const line = part.body.querySelector(`tr[data-row="${row}"]`);
    line.classList.add('selected');
    if (from === 'listing') return;
    const box = line.getBoundingClientRect();
    if (from === 'search' || box.top < 100 || box.bottom > innerHeight) line.scrollIntoView({ block: 'center' });
  }
  on_select(reveal);

  const found = h('output', { class: 'muted' }), search = h('input', { type: 'search', placeholder: 'find, as v_mfma, 28ac or gemm.cpp:88',
      'aria-label': 'find an instruction' });
  function find(step) {
    const want = search.value.trim().toLowerCase(), is = (r) => code.text[r].toLowerCase().includes(want) || place_of(r).toLowerCase().includes(want)
        || code.pc[r].toString(16) === want.replace(/^0x/, '');
    if (!want) { found.value = ''; return; }
    const hits = code.pc.map((_, r) => r).filter(is);
    found.value = hits.length ? `${integer(hits.length)} found` : 'none found';
    const next = step > 0 ? hits.find((r) => r > selection.row) ?? hits[0] : hits.findLast((r) => r < selection.row) ?? hits.at(-1);
    if (next !== undefined) select(next, 'search');
  }
  search.addEventListener('keydown', (e) => { if (e.key === 'Enter') find(e.shiftKey ? -1 : 1); else if (e.key === 'Escape') search.blur(); });
  const unfold = () => { const open = parts.some((p) => !p.open); for (const p of parts) p.set(open || Boolean(p.hot)); };
  return { controls: h('div', { class: 'controls' }, h('button', { id: 'unfold', onclick: unfold, title: 'e' }, 'expand or collapse all'), search, found), table,
      search, unfold, move: (by) => select(Math.max(0, Math.min(n - 1, selection.row + by)), 'keys') };
}

// Loops that take most of the time, with what they wait for and what to change.
export function loops() {
  const heads = ['loop', 'share', 'trips', 'clocks per trip', 'matrix', 'VALU', 'LDS', 'slots per matrix clock', 'waiting for, per trip'],
      n = (text) => h('td', { class: 'n' }, text);
  const line = (l) => {
    const sums = families.map(() => 0), worst = Object.entries(l.stalled).sort((a, b) => b[1] - a[1]).slice(0, 3).filter(([, c]) => c > 0.01 * l.clocks);
    for (const [name, clocks] of Object.entries(l.stalled)) sums[family_of[data.stalls.indexOf(name)]] += clocks;
    const words = worst.map(([name, c]) => `${name} ${percent(c / l.clocks, 0)}`).join(', ') || 'nothing much';
    const to = h('button', { class: 'link', onclick: () => select(code.pc.indexOf(l.first), 'search') }, `${hex(l.first)} to ${hex(l.last)}`);
    return h('tr', {}, h('td', {}, to), n(percent(l.share)), n(integer(l.trips)), n(integer(l.clocks)), n(integer(l.matrix_clocks)), n(integer(l.valu_clocks)),
        n(integer(l.lds_clocks)),
             n(l.matrix_clocks ? l.slots_per_matrix_clock.toFixed(3) : ''),
             h('td', { class: 'spent' }, stack(Math.max(0, l.clocks - sums.reduce((a, b) => a + b, 0)), sums, l.clocks), h('small', {}, words), h('p', { class: 'advice' }, l.advice)));
  };
  return h('table', { id: 'loops', class: 'grid' }, h('thead', {}, h('tr', {}, heads.map((t) => h('th', { scope: 'col' }, t)))),
      h('tbody', {}, data.time.loops.filter((l) => l.share >= 0.02).map(line)));
}
