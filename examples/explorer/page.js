'use strict';
const $ = (id) => document.getElementById(id);
const gigabytes = (bytes) => bytes >= 1e12 ? `${(bytes / 1e12).toFixed(2)} TB` : bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB`
  : bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} KB`;
const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
const element = (tag, attributes = {}, ...inside) => {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...inside);
  return made;
};

// ---- What can be asked. A field: key, label, and more that its input has.
const sizes = [['tile_m', 'tile rows'], ['tile_n', 'tile columns'], ['tile_k', 'step along k'], ['element_bytes', 'bytes per element']];
const fields = {
  product: [['m', 'm: rows of C'], ['n', 'n: columns of C'], ['k', 'k'], ...sizes],
  stencil: [['rows', 'image rows'], ['cols', 'image columns'], ['tile_rows', 'tile rows'], ['tile_cols', 'tile columns'],
            ['bytes_per_pixel', 'bytes read per pixel'], ['written_bytes_per_pixel', 'bytes written'], ['rows_radius', 'radius up, down'],
            ['cols_radius', 'radius left, right'], ['step', 'step between taps'], ['instructions_per_pixel', 'instructions per pixel'],
            ['requested_bytes_per_pixel', 'bytes loaded per pixel']],
  batch: [['m', 'm'], ['n', 'n'], ['k', 'k'], ['count', 'products'], ['planes_per_a', 'products per A'], ['planes_per_b', 'products per B'], ...sizes],
  causal: [['queries', 'queries'], ['keys', 'keys'], ['heads', 'heads'], ['key_heads', 'heads of keys'], ['head_width', 'head width'],
           ['tile_queries', 'tile of queries'], ['tile_keys', 'step of keys'], ['element_bytes', 'bytes per element']],
  groups: [['group_rows', 'rows of each group', {wide: true, area: true}], ['n', 'n'], ['k', 'k'], ...sizes],
};
const names = {product: 'Product', stencil: 'Stencil, à-trous', batch: 'Batch', causal: 'Causal', groups: 'Groups'};
const cards = {h100: 'H100', h200: 'H200', a100: 'A100', rtx_4090: 'RTX 4090', b200: 'B200'};
const card_fields = [
  ['multiprocessors', 'multiprocessors', 1], ['l2_bytes', 'L2, MiB', 2 ** 20], ['l2_copies', 'copies in L2', 1],
  ['dram_bytes_per_second', 'DRAM, TB/s', 1e12], ['l2_bytes_per_second', 'L2, TB/s', 1e12],
  ['matrix_operations_per_second', 'matrix, TFLOP/s', 1e12], ['l1_bytes', 'L1, KiB', 1024], ['l1_bytes_per_second', 'L1, TB/s', 1e12],
  ['instructions_per_second', 'instructions, T/s', 1e12], ['l2_kept_bytes', 'L2 keeps, MiB', 2 ** 20], ['launch_seconds', 'launch, µs', 1e-6],
  ['atomic_seconds', 'atomic, ns', 1e-9], ['atomics_per_second', 'atomics, G/s', 1e9]];
const orders = ['advised', 'row_major', 'column_major', 'thread_group_tiling', 'cta_swizzle', 'hilbert', 'morton', 'dilated', 'own'];
const order_text = {advised: 'as advised', own: 'your own …'};
const parameters = {thread_group_tiling: ['width', 'axis'], cta_swizzle: ['width', 'axis'], dilated: ['step_rows', 'step_cols', 'width'], own: ['row', 'col']};
const schedules = ['advised', 'one_shot', 'strided', 'chunked', 'ticket', 'sm_affine', 'work_stealing', 'cluster_launch'];
const presets = {
  '8192³': {},
  'tall product': {m: 131072, n: 512, k: 4096},
  'fits in L2': {m: 1024, n: 1024, k: 1024},
  'vertical filter': {problem: 'stencil', card: 'h200'},
  'à-trous, step 64': {problem: 'stencil', card: 'h200', rows: 2160, cols: 3840, tile_rows: 8, tile_cols: 16, bytes_per_pixel: 32, rows_radius: 2, cols_radius: 2, step: 64, written_bytes_per_pixel: 16, instructions_per_pixel: 736, blocks_per_multiprocessor: 8},
  'batch, one B': {problem: 'batch'},
  'causal, 16 k': {problem: 'causal'},
  'experts, Zipf': {problem: 'groups', group_rows: zipf(64, 16384, 1, 1)},
  'an order of your own': {m: 2048, n: 2048, order: 'own', row: 'i / cols', col: 'i / cols % 2 ? cols - 1 - i % cols : i % cols', schedule: 'strided'},
};

/// Shares `all` rows among groups by Zipf's law, in an order that a seed decides.
function zipf(groups, all, exponent, seed) {
  const weights = Array.from({length: groups}, (_, rank) => (rank + 1) ** -exponent);
  const sum = weights.reduce((a, b) => a + b, 0);
  const rows = weights.map((weight) => Math.round(all * weight / sum));
  let state = seed >>> 0 || 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  for (let i = rows.length - 1; i > 0; --i) {
    const j = Math.floor(random() * (i + 1));
    [rows[i], rows[j]] = [rows[j], rows[i]];
  }
  return rows.join(' ');
}

// ---- The state is the page's address; what it leaves out has its default.
const parse = (text) => Object.fromEntries(new URLSearchParams(text));
const short = (state) => {
  const defaults = filled({problem: state.problem ?? 'product'});
  return Object.fromEntries(Object.entries(state).filter(([key, value]) => value !== '' && value !== undefined &&
    (key === 'problem' ? value !== 'product' : String(defaults[key] ?? '') !== String(value))));
};
const address = (state) => new URLSearchParams(short(state)).toString();
let state = {}, pinned = null;
function read_address() {
  const {left, ...rest} = parse(location.hash.slice(1));
  state = rest;
  pinned = left === undefined ? null : parse(left);
}
function write_address() {
  const all = new URLSearchParams(short(state));
  if (pinned) all.set('left', address(pinned));
  history.replaceState(null, '', '#' + all);
}

// ---- Answers come from a worker, which a newer question ends if it is slow.
const seen = {left: {}, right: {}};
let worker = null, module = null, job = 0, is_busy = false, since = 0, waiting = null;
const started = performance.now();
function make_worker() {
  const source = [heddle, filled, without_choice, merged, answer].map((f) => typeof f === 'function' && f.name ? (String(f).startsWith('function') ? String(f) : `const ${f.name}=${f}`) : '').join(';\n');
  const body = `const problems=${JSON.stringify(problems)},common=${JSON.stringify(common)},chosen=${JSON.stringify(chosen)};\n${source};\nlet library;onmessage=({data})=>{if(data.module){library=heddle(data.module);return}answer(library,data,(found)=>postMessage({...found,job:data.job}))}`;
  worker = new Worker(URL.createObjectURL(new Blob([body], {type: 'text/javascript'})));
  worker.onmessage = ({data}) => { if (data.job === job) receive(data); if (data.name === 'done') next(); };
  worker.onerror = ({message}) => { $('message').textContent = message; };
  worker.postMessage({module});
}
function next() {
  is_busy = false;
  if (waiting) { const question = waiting; waiting = null; send(question); }
}
function send(question) {
  is_busy = true, since = performance.now();
  worker.postMessage(question);
}
function ask() {
  write_address();
  for (const button of $('presets').children) button.setAttribute('aria-pressed', String(!pinned && address(state) === address(presets[button.textContent])));
  show_form();
  const full = filled(state);
  const question = {job: ++job, right: full, left: pinned ?? plain_of(full)};
  asked = performance.now();
  refusals.length = 0;
  show_refusals();
  for (const side of ['left', 'right']) for (const name of ['advice', 'figures', 'timeline']) delete seen[side][name];
  $('number').classList.add('waiting');
  clearTimeout(patience);
  told_after = 0;
  patience = setTimeout(() => {
    if (seen.right.advice || refusals.length > 0) return;
    told_after = performance.now() - asked;
    $('verdict').textContent = 'The search takes longer than a second in this page.';
    $('verdict').className = 'measure';
  }, 900);
  if (!module) return;
  if (is_busy && performance.now() - since > 150) { worker.terminate(); make_worker(); is_busy = false; }
  if (is_busy) waiting = question; else send(question);
}
let asked = 0, patience = 0, told_after = 0;  // when there was an advice, a refusal, or word that it takes long
const refusals = [];

// ---- What the answers show.
function label(of) {
  const at = (key) => of[key] !== undefined && of[key] !== '' && of[key] !== null;
  let text = of.order === 'own' ? 'your own order' : of.order;
  if (of.problem === 'groups') text = 'grouped';
  const used = of.problem === 'groups' ? ['width', 'axis'] : parameters[of.order] ?? [];
  if (used.includes('step_rows')) text += `, step ${of.step_rows ?? 1}x${of.step_cols ?? 1}`;
  if (used.includes('width')) text += `, width ${of.width ?? 8}`;
  if (used.includes('axis')) text += `, axis ${of.axis ?? 'x'}`;
  if (of.problem === 'batch' && of.interleave > 1) text += `, interleave ${of.interleave}`;
  if (of.sequence === 'heaviest_first') text += ', heaviest first';
  if (at('transposed')) text += ', transposed';
  if (at('reversed')) text += ', reversed';
  if (at('first')) text += `, from ${of.first} on`;
  if (of.cluster_rows > 1 || of.cluster_cols > 1) text += `, clusters ${of.cluster_rows ?? 1}x${of.cluster_cols ?? 1}`;
  return `${text}, ${of.schedule}${of.schedule === 'sm_affine' ? `, run ${of.run ?? 1}` : ''}`;
}
function described(of) {
  const p = filled(of), on = cards[p.card] ?? p.card;
  const cube = p.m == p.n && p.n == p.k ? `${p.m}³` : `${p.m} × ${p.n} × ${p.k}`;
  const what = p.problem === 'product' ? `Product ${cube}` : p.problem === 'batch' ? `${p.count} products ${cube}`
    : p.problem === 'causal' ? `Causal pass, ${p.queries} queries, ${p.keys} keys, ${p.heads} heads`
    : p.problem === 'groups' ? `Grouped product, ${p.n} × ${p.k}` : `Pass over ${p.rows} × ${p.cols} pixels, step ${p.step}`;
  return `${what}, ${on}`;
}
const is_other = () => pinned && described(pinned) !== described(state);  // another problem or card
function receive(found) {
  const {side, name} = found;
  if (name === 'done') { document.documentElement.dataset.answered = String(job); return; }
  if (found.refused) {
    refusals.push({side, name, text: found.refused});
    if (name !== 'advice' || side === 'right') delete seen[side][name];
    if (name === 'picture') for (const rest of ['figures', 'timeline']) delete seen[side][rest];
    show_refusals();
    if (name === 'picture' || name === 'figures') show_answer(), show_bars(), show_pictures(), show_time(), show_lines();
    return;
  }
  if (name === 'state') { seen[side].state = found.state; if (side === 'right') show_form(); show_names(); return; }
  seen[side][name] = found;
  if (name === 'advice' && side === 'right') told_after ||= performance.now() - asked;
  if (name === 'advice' && side === 'right') show_answer(), show_form();
  if (name === 'picture') { if (side === 'right') shown_after = performance.now() - asked; show_pictures(); show_lines(); }
  if (name === 'figures') show_answer(), show_bars();
  if (name === 'timeline' && side === 'right') show_time(), show_answer();
}
let shown_after = 0, first_answer = 0;
/// What the page holds and shows, for its test.
globalThis.shown = () => ({
  is_all_here: document.documentElement.dataset.answered === String(job), first_answer, picture: shown_after, told_after,
  advice: strings(seen.right.advice), figures: strings(seen.right.figures), timeline: strings(seen.right.timeline),
  number: $('number').innerText, reason: $('reason').textContent, refusals: refusals.map(({text}) => text),
});
const strings = (found) => Object.fromEntries(Object.entries(found ?? {}).filter(([, value]) => typeof value === 'string'));
function total(side) {
  const moved = seen[side].figures;
  return moved ? Number(moved.dram_bytes) + Number(moved.written_bytes) : undefined;
}
function show_names() {
  for (const side of ['left', 'right']) {
    const of = seen[side].state;
    if (!of) continue;
    const text = (side === 'left' && is_other() ? described(of) + ': ' : '') + label(of);
    $(side + '_name').textContent = text;
    $(side + '_time').setAttribute('aria-label', 'When tiles run: ' + text);
    $(side).setAttribute('aria-label', 'Tiles by wave: ' + text);
  }
}
/// Lines to paste, of an order that was drawn, or that has too many tiles for it.
let language = '';
function show_lines() {
  for (const button of $('languages').children) button.setAttribute('aria-pressed', String(button.value === language));
  const refused = refusals.find(({side}) => side === 'right');
  $('lines').textContent = library && seen.right.state && (!refused || refused.text.includes('tiles to draw')) ? library.lines({...seen.right.state, language}) : '';
}
function show_answer() {
  const advice = seen.right.advice;
  let from = total('left'), to = total('right');
  const is_advised = (state.order ?? 'advised') === 'advised';
  if ((from === undefined || to === undefined) && advice && !pinned && is_advised) {  // at first, and of too many tiles to replay
    from = Number(advice.plain_bytes), to = Number(advice.advised_bytes);
  }
  $('asked').textContent = described(state) + (is_other() ? `, beside ${described(pinned)}` : '');
  const is_known = from !== undefined && to !== undefined;
  $('number').hidden = !is_known && refusals.some(({side}) => side === 'right');
  if (is_known) {
    $('number').classList.remove('waiting');
    first_answer ||= performance.now();
    const l2 = (side) => Number(seen[side].figures?.l2_bytes ?? 0), idle = (side) => Math.max(0, Number(seen[side].timeline?.idle_share ?? 0));
    const saved = (less, more) => more > 0 ? 1 - less / more : 0;
    const words = (share, where) => `${Math.abs(share) < 0.0005 ? 'the same' : share > 0 ? `${percent(share)} less` : `${percent(-share)} more`} ${where}`;
    const of_dram = saved(to, from), of_l2 = saved(l2('right'), l2('left')), dram = words(of_dram, 'to and from DRAM');
    // Where bytes of DRAM hardly differ, those of L2 may, or else the time in which blocks have no tile.
    const [before, after, text] = Math.abs(of_dram) >= 0.01 ? [gigabytes(from), gigabytes(to), dram]
      : Math.abs(of_l2) >= 0.01 ? [gigabytes(l2('left')), gigabytes(l2('right')), `${words(of_l2, 'from L2')}; ${dram}`]
      : Math.abs(idle('left') - idle('right')) > 0.01 ? [percent(idle('left')), percent(idle('right')), `of the blocks’ time idle; ${dram}`]
      : [gigabytes(from), gigabytes(to), dram];
    $('from').textContent = before, $('to').textContent = after, $('saved').textContent = text;
  }
  if (!advice) return;
  const verdict = advice.verdict === 'use it' ? (is_advised ? 'Use it: ' : 'Advised: ') + advice.advice : advice.verdict[0].toUpperCase() + advice.verdict.slice(1);
  $('verdict').textContent = verdict + '.';
  $('verdict').className = advice.verdict === 'use it' ? 'use' : advice.verdict.startsWith('measure') ? 'measure' : '';
  $('reason').textContent = advice.reason;
}
function show_bars() {
  const {figures: left} = seen.left, {figures: right} = seen.right;
  const bars = $('bars');
  bars.replaceChildren();
  if (!left) return;
  const bar = (kind, name, value, most) => element('div', {className: `bar ${kind}`}, element('span', {textContent: name, title: name}),
    element('div', {}, element('i', {style: `width:${most > 0 ? 100 * value / most : 0}%`})), element('span', {textContent: gigabytes(value)}));
  const group = (heading, of_left, of_right, least) => {
    const most = Math.max(of_left, right ? of_right : 0, least);
    bars.append(element('div', {className: 'group'}, element('h2', {textContent: heading}), bar('left', pinned ? 'left' : 'raster', of_left, most),
      ...(right ? [bar('right', 'yours', of_right, most)] : []), bar('least', 'least possible', least, most)));
  };
  const of = right ?? left;
  group('DRAM, read and written', total('left'), total('right'), Number(of.least_bytes));
  group('L2, read', Number(left.l2_bytes), Number(right?.l2_bytes), Number(of.least_l2_bytes));
}

// ---- Pictures: one pixel per tile on a sheet that is drawn larger.
const players = {left: {}, right: {}};
let wave = 0, is_playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;
const colours = (() => {
  const style = getComputedStyle(document.documentElement), probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  return () => Object.fromEntries(['both', 'row', 'col', 'none', 'ran', 'empty', 'card'].map((name) => {
    probe.fillStyle = style.getPropertyValue('--' + name);
    probe.fillRect(0, 0, 1, 1);
    return [name, new Uint32Array(probe.getImageData(0, 0, 1, 1).data.buffer)[0]];
  }));
})();
let palette = {};
function show_pictures() {
  for (const side of ['left', 'right']) {
    const drawn = seen[side].picture, player = players[side];
    player.sheet = null;
    if (!drawn) continue;
    player.picture = drawn;
    player.width = Math.max(1, +drawn.width), player.height = Math.max(1, +drawn.height);
    player.sheet = element('canvas', {width: player.width, height: player.height});
    player.image = new ImageData(player.width, player.height);
    player.pixels = new Uint32Array(player.image.data.buffer);
    player.drawn = -1;
  }
  if (!seen.right.picture) return;
  const waves = Math.max(...['left', 'right'].map((side) => (seen[side].picture?.wave_begin.length ?? 1) - 1));
  $('scrub').max = Math.max(0, waves - 1);
  wave = Math.min(wave, Math.max(0, waves - 1));
  show_legend();
  show_wave();
}
function show_legend() {
  const of = filled(state).problem;
  const texts = seen.right.picture?.has_colours === '0' ? ['runs now'] : of === 'stencil'
    ? ['all it reads is new to the wave', 'half or more is', 'some is', 'nothing is'] : of === 'causal'
    ? ['all its keys are new to the wave', 'half or more are', 'some are', 'none are']
    : ['first of its wave in its row and column: fetches A and B', 'first in its row: A', 'first in its column: B', 'finds both'];
  $('legend').replaceChildren(...texts.map((text, i) => element('li', {}, element('i', {style: `background:var(--${['both', 'row', 'col', 'none'][i]})`}), text)));
}
function show_wave() {
  for (const side of ['left', 'right']) draw(side);
  $('scrub').value = wave;
  const waves = +$('scrub').max + 1;
  $('wave').textContent = `wave ${wave + 1} of ${waves}`;
}
function caption(of, at, problem) {
  const tiles = of.wave_begin[at + 1] - of.wave_begin[at], s = (n, one) => `${n} ${one}${n === 1 ? '' : 's'}`;
  if (problem === 'stencil') return of.has_colours === '1' ? `${s(of.first[at], 'tile')} of pixels fetched for ${s(tiles, 'tile')}` : s(tiles, 'tile');
  if (problem === 'causal') return `${s(of.first[at], 'step')} of keys of ${s(of.second[at], 'head')} fetched for ${s(tiles, 'tile')}`;
  return `${s(of.first[at], 'row')} and ${s(of.second[at], 'column')} fetched for ${s(tiles, 'tile')}`;
}
function draw(side) {
  const player = players[side], canvas = $(side);
  // Both sheets have the same frame: as high as the higher one needs.
  const shape = Math.max(0.35, Math.min(1.1, Math.max(...Object.values(players).map(({sheet, width, height}) => sheet ? height / width : 0))));
  const box = Math.round(canvas.clientWidth * devicePixelRatio), tall = Math.round(box * shape);
  if (canvas.width !== box || canvas.height !== tall) canvas.width = box, canvas.height = tall;
  const context = canvas.getContext('2d');
  if (!player.sheet) { context.clearRect(0, 0, box, tall); $(side + '_wave').textContent = ''; return; }
  const {picture: of, pixels, width, height} = player, waves = of.wave_begin.length - 1;
  const at = Math.min(wave, waves - 1);
  if (waves < 1) { context.clearRect(0, 0, box, tall); $(side + '_wave').textContent = 'no tiles'; return; }
  const fill = [palette.both, palette.row, palette.col, palette.none];
  const paint = (w, colour) => {
    for (let i = of.wave_begin[w]; i < of.wave_begin[w + 1]; ++i) pixels[of.place[i]] = colour ?? fill[of.colour[i]];
  };
  if (player.drawn < 0 || player.drawn > at) {
    for (let w = 0; w < waves; ++w) if (w !== at) paint(w, w < at ? palette.ran : palette.empty);
  } else {
    for (let w = player.drawn; w < at; ++w) paint(w, palette.ran);
  }
  paint(at);
  player.drawn = at;
  player.sheet.getContext('2d').putImageData(player.image, 0, 0);
  const most = 4 * Math.min(box / width, tall / height);  // a tile may be four times as long as wide
  const across = Math.min(box / width, most), down = Math.min(tall / height, most), scale = Math.min(across, down);
  const w = Math.max(1, width * across), h = Math.max(1, height * down), left = Math.floor((box - w) / 2), top = 0;
  context.clearRect(0, 0, box, tall);
  context.imageSmoothingEnabled = scale < 1;
  context.drawImage(player.sheet, left, top, w, h);
  if (scale >= 5) {
    const gap = scale >= 14 ? 2 : 1;
    for (let x = 1; x <= width; ++x) context.clearRect(Math.round(left + x * across) - gap, top, gap, h);
    for (let y = 1; y <= height; ++y) context.clearRect(left, Math.round(top + y * down) - gap, w, gap);
  }
  $(side + '_wave').textContent = caption(of, at, seen[side].state.problem ?? 'product');
}
let last = 0;
function tick(now) {
  requestAnimationFrame(tick);
  const waves = +$('scrub').max + 1;
  if (!is_playing || waves < 2 || document.hidden) return;
  const pause = Math.min(450, Math.max(60, 9000 / waves));
  if (now - last < pause) return;
  last = now;
  wave = (wave + Math.max(1, Math.round(waves * pause / 12000))) % waves;
  show_wave();
}
function set_playing(on) {
  is_playing = on;
  $('play').textContent = on ? '❚❚' : '▶';
  $('play').setAttribute('aria-pressed', String(on));
}
function go(to) {
  set_playing(false);
  wave = Math.min(+$('scrub').max, Math.max(0, Math.round(to)));
  show_wave();
}

// ---- When tiles run: a lane per block, the colour is the place in the order.
function ramp(position) {
  const hue = (282 - 194 * position) * Math.PI / 180, chroma = 0.125 + 0.025 * position;
  return `oklch(${64 + 22 * position}% ${chroma} ${hue * 180 / Math.PI})`;
}
const ramps = Array.from({length: 64}, (_, i) => ramp(i / 63));
/// Draws tiles that begin, end and have a lane, in the sequence of the order.
function draw_lanes(canvas, {begin, ends, worker}, lanes, most) {
  const count = begin.length, high = Math.max(1, Math.round(160 / lanes));
  canvas.width = Math.round(canvas.clientWidth * devicePixelRatio), canvas.height = lanes * high;
  const context = canvas.getContext('2d');
  for (let i = 0; i < count; ++i) {
    context.fillStyle = ramps[Math.floor(64 * i / count)];
    const x = begin[i] / most * canvas.width, wide = (ends[i] - begin[i]) / most * canvas.width;
    context.fillRect(x, worker[i] * high, Math.max(0.5, wide - Math.min(1, wide / 4)), Math.max(1, high - (high > 4 ? 1 : 0)));
  }
}
const idle_text = (share) => `blocks idle for ${percent(Math.max(0, share))} of the time`;
function show_time() {
  const most = Math.max(...['left', 'right'].map((side) => Number(seen[side].timeline?.end ?? 0)));
  for (const side of ['left', 'right']) {
    const of = seen[side].timeline ?? {begin: [], workers: 1};
    draw_lanes($(side + '_time'), of, Math.max(1, Math.min(+of.workers, of.begin.length)), most);
    $(side + '_idle').textContent = of.end ? idle_text(+of.idle_share) : '';
  }
  const traced = traces[$('launch').value];
  if (traced) draw_lanes($('traced'), traced, traced.lanes, traced.end);
}

// ---- A trace that a reader opens, or drops onto the page: each launch of each report that `trace::chrome_trace` wrote.
let traces = {};
function read_trace(name, text) {
  traces = {};
  let events = [];
  try { events = JSON.parse(text).traceEvents ?? []; } catch { /* no trace */ }
  const reports = {}, launches = {};
  for (const {ph, pid, name: of, args} of events) if (ph === 'M' && of === 'process_name') reports[pid] = args.name.replace(/, multiprocessor \d+$/, '');
  for (const each of events) {
    if (each.ph === 'X' && each.args?.launch !== undefined) (launches[`${reports[each.pid] ?? name}, launch ${each.args.launch}`] ??= []).push(each);
  }
  for (const [key, all] of Object.entries(launches)) {
    const from = Math.min(...all.map(({ts}) => ts)), end = Math.max(...all.map(({ts, dur}) => ts + dur)) - from;
    const places = [...new Set(all.map(({pid, tid}) => pid * 65536 + tid))].sort((a, b) => a - b), lane = new Map(places.map((place, i) => [place, i]));
    const tiles = all.filter(({args}) => args['place in the order'] !== undefined).sort((a, b) => a.args['place in the order'] - b.args['place in the order']);
    traces[key] = {lanes: places.length, end, begin: tiles.map(({ts}) => ts - from), ends: tiles.map(({ts, dur}) => ts + dur - from),
      worker: tiles.map(({pid, tid}) => lane.get(pid * 65536 + tid)), idle_share: 1 - tiles.reduce((sum, {dur}) => sum + dur, 0) / (places.length * end)};
  }
  const keys = Object.keys(traces);
  $('launch').replaceChildren(...keys.map((key) => element('option', {textContent: key})));
  $('launch').hidden = keys.length === 0, $('traced').hidden = keys.length === 0, $('traced_figure').hidden = false;
  show_trace(keys.length === 0 ? `${name} is no trace that heddle::trace::chrome_trace wrote` : '');
}
function show_trace(failure) {
  const of = traces[$('launch').value];
  $('traced_idle').textContent = of ? `${of.begin.length} tiles in ${of.end.toFixed(1)} µs on ${of.lanes} blocks at once, ${idle_text(of.idle_share)}` : failure;
  $('traced').setAttribute('aria-label', 'A trace: ' + $('launch').value);
  show_time();
}
const read_file = async (file) => { if (file) read_trace(file.name, await file.text()); };
$('open').onclick = () => $('file').click();
$('file').onchange = () => read_file($('file').files[0]);
$('launch').onchange = () => show_trace('');
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => { event.preventDefault(); read_file(event.dataTransfer.files[0]); });

// ---- The form.
const current = () => ({...filled(state), ...(seen.right.state?.problem === (state.problem ?? 'product') ? Object.fromEntries(chosen.map((key) => [key, seen.right.state[key]]).filter(([, value]) => value !== undefined)) : {}),
  order: state.order ?? 'advised', schedule: state.schedule ?? 'advised'});
function change(key, value) {
  if (key === 'problem') {
    state = {problem: value, ...(state.card ? {card: state.card} : {})};
    seen.right = {}, seen.left = {};
  } else {
    // A parameter of an advised order makes the order the reader's own choice.
    const is_order = chosen.includes(key) && key !== 'order' && key !== 'schedule' && key !== 'run';
    if (is_order && (state.order ?? 'advised') === 'advised' && seen.right.state) {
      for (const each of ['order', 'width', 'axis', 'step_rows', 'step_cols', 'interleave', 'reversed', 'sequence']) {
        if (seen.right.state[each]) state[each] = seen.right.state[each];
      }
    }
    if (key === 'run' && (state.schedule ?? 'advised') === 'advised') state.schedule = seen.right.state?.schedule ?? 'one_shot';
    state[key] = value;
    if (key === 'order' && value === 'own' && !state.row) state.row = 'i / cols', state.col = 'i % cols';
    if (key === 'card') for (const [each] of card_fields) delete state[each];
  }
  ask();
}
let form_key = '', card_numbers = {};
function show_form() {
  const now = current(), effective = seen.right.state ?? now;
  const kind = now.order === 'advised' ? effective.order : now.order;
  const by = now.schedule === 'advised' ? effective.schedule : now.schedule;
  const key = [now.problem, now.order === 'advised', kind, by, now.card].join();
  if (key !== form_key) build_form(key, now, kind, by);
  for (const input of $('form').querySelectorAll('[data-key]')) {
    if (input === document.activeElement && input.type !== 'checkbox') continue;
    const name = input.dataset.key, scale = Number(input.dataset.scale ?? 1);
    const value = now[name] ?? (input.dataset.scale ? Number(card_numbers[name]) : '');
    if (input.type === 'checkbox') input.checked = !!value && value !== '0';
    else if (input.dataset.scale) input.value = Number(value) === 0 ? '' : +(Number(value) / scale).toPrecision(6);
    else input.value = value;
  }
}
function build_form(key, now, kind, by) {
  form_key = key;
  const focused = document.activeElement?.dataset?.key;
  const input = (name, text, more = {}) => {
    const made = more.area ? element('textarea', {rows: 2}) : element('input', {type: more.check ? 'checkbox' : 'text', inputMode: more.code || more.check ? '' : 'numeric', placeholder: more.hint ?? ''});
    made.dataset.key = name;
    if (more.scale) made.dataset.scale = more.scale;
    if (more.code) made.classList.add('code'), made.spellcheck = false;
    return more.check ? element('label', {className: 'check'}, made, text) : element('label', {className: more.wide ? 'wide' : ''}, text, made);
  };
  const select = (name, text, options, texts = {}) => {
    const made = element('select', {}, ...options.map((each) => element('option', {value: each, textContent: texts[each] ?? each})));
    made.dataset.key = name;
    return element('label', {}, text, made);
  };
  const part = (heading, ...inside) => element('fieldset', {}, element('legend', {textContent: heading}), ...inside);
  const tabs = element('div', {className: 'tabs'}, ...Object.entries(names).map(([each, text]) => {
    const button = element('button', {type: 'button', textContent: text, onclick: () => change('problem', each)});
    button.setAttribute('aria-pressed', String(each === now.problem));
    return button;
  }));
  const problem = part('Problem', tabs, ...fields[now.problem].map(([name, text, more]) => input(name, text, more)));
  if (now.problem === 'groups') {
    const numbers = [['groups', 64], ['rows in all', 16384], ['exponent', 1], ['seed', 1]].map(([text, value]) => [text, element('input', {value, inputMode: 'numeric'})]);
    problem.append(element('label', {className: 'wide'}, ''), ...numbers.map(([text, made]) => element('label', {}, text, made)),
      element('button', {type: 'button', textContent: 'Draw from Zipf', onclick: () => change('group_rows', zipf(Math.min(65536, ...numbers.slice(0, 1).map(([, made]) => +made.value)), ...numbers.slice(1).map(([, made]) => +made.value)))}));
  }
  const texts = {width: ['width', {}], step_rows: ['step, rows', {}], step_cols: ['step, columns', {}],
                 row: ['row of tile i, in C++ of i, rows, cols', {wide: true, code: true}], col: ['column of tile i', {wide: true, code: true}]};
  const is_groups = now.problem === 'groups';
  const order = part('Order', select('order', 'order', is_groups ? ['advised', 'thread_group_tiling'] : orders, is_groups ? {...order_text, thread_group_tiling: 'bands of each group'} : order_text),
    ...(parameters[kind] ?? []).map((name) => name === 'axis' ? select('axis', 'axis', ['x', 'y'], {x: 'x: of columns', y: 'y: of rows'}) : input(name, ...texts[name])));
  if (is_groups) order.append(select('sequence', 'first group', ['as_numbered', 'heaviest_first'], {as_numbered: 'as given', heaviest_first: 'heaviest'}));
  else order.append(...(now.problem === 'batch' ? [input('interleave', 'planes in turn')] : []), input('first', 'begins at (rotated)', {hint: '0'}),
    input('cluster_rows', 'cluster rows', {hint: '1'}), input('cluster_cols', 'cluster columns', {hint: '1'}), input('transposed', 'transposed', {check: true}), input('reversed', 'reversed', {check: true}));
  const schedule = part('Schedule', select('schedule', 'schedule', schedules, {advised: 'as advised'}), ...(by === 'sm_affine' ? [input('run', 'run, tiles')] : []),
    input('blocks_per_multiprocessor', 'blocks per SM'), input('uneven', 'tiles uneven by, %'));
  card_numbers = library ? library.ask('card', {card: now.card}) : {};
  const note = now.card === 'h200' ? 'Measured by heddle.' : 'Not measured by heddle: data sheets, and measurements of others.';
  const numbers = element('details', {className: 'wide note'}, element('summary', {textContent: 'Its numbers'}), note,
    element('fieldset', {}, ...card_fields.map(([name, text, scale]) => input(name, text, {scale, hint: 'not measured'}))));
  const card = part('Card', select('card', 'card', Object.keys(cards), cards), numbers);
  numbers.open = card_fields.some(([name]) => now[name] !== undefined && state[name] !== undefined);
  const compare = part('Compare', element('button', {type: 'button', textContent: 'Keep this on the left', onclick: () => { pinned = {...(seen.right.state ?? filled(state))}; ask(); show_names(); }}),
    element('button', {type: 'button', textContent: 'Raster on the left', disabled: !pinned, onclick: () => { pinned = null; form_key = ''; ask(); }}));
  $('form').replaceChildren(problem, order, schedule, card, compare);
  if (focused) $('form').querySelector(`[data-key="${focused}"]`)?.focus();
  show_refusals();
}
function show_refusals() {
  for (const old of document.querySelectorAll('.refusal')) old.remove();
  for (const old of document.querySelectorAll('.bad')) old.classList.remove('bad');
  $('message').textContent = '';
  const all = [...refusals].sort((a, b) => (a.side === 'right' ? 0 : 1) - (b.side === 'right' ? 0 : 1));
  for (const {side, text} of all.slice(0, 1)) {
    const word = /^laws::check_order/.test(text) ? 'row' : text.replace(/^heddle::(\w+::)*\w+(::|: )/, '').match(/^\w+/)?.[0];
    const known = {rows_of_a_group: 'group_rows', width: 'width'}[word] ?? word;
    const input = side === 'right' && ($('form').querySelector(`[data-key="${known}"]`) ?? (/of a group|of all groups/.test(text) ? $('form').querySelector('[data-key=group_rows]') : null));
    if (!input) { $('message').textContent = text; continue; }
    const place = input.closest('label');
    place.classList.add('bad');
    place.after(element('p', {className: 'refusal', textContent: text}));
    input.closest('details')?.setAttribute('open', '');
  }
}
let typed = 0;
$('form').addEventListener('input', ({target}) => {
  const name = target.dataset.key;
  if (!name) return;
  clearTimeout(typed);
  const value = target.type === 'checkbox' ? (target.checked ? '1' : '') : target.dataset.scale && target.value !== '' ? String(Number(target.value) * target.dataset.scale) : target.value.trim();
  typed = setTimeout(() => change(name, value), target.tagName === 'SELECT' || target.type === 'checkbox' ? 0 : 120);
});
$('form').addEventListener('submit', (event) => event.preventDefault());
$('play').onclick = () => set_playing(!is_playing);
$('scrub').oninput = () => go(+$('scrub').value);
for (const side of ['left', 'right']) {
  let begin = null;
  const canvas = $(side);
  canvas.onpointerdown = (event) => { begin = {x: event.clientX, wave}; canvas.setPointerCapture(event.pointerId); };
  canvas.onpointermove = (event) => { if (begin) go(begin.wave + (event.clientX - begin.x) / canvas.clientWidth * (+$('scrub').max + 1)); };
  canvas.onpointerup = canvas.onpointercancel = () => { begin = null; };
}
addEventListener('keydown', (event) => {
  if (/INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === ' ') set_playing(!is_playing); else if (event.key === 'ArrowRight') go(wave + 1); else if (event.key === 'ArrowLeft') go(wave - 1); else return;
  event.preventDefault();
});
$('copy').onclick = async () => {
  await navigator.clipboard.writeText($('lines').textContent);
  $('copy').textContent = 'Copied';
  setTimeout(() => { $('copy').textContent = 'Copy'; }, 1500);
};
$('languages').append(...Object.entries({'C++': '', Triton: 'triton', 'CuTe DSL': 'cute'}).map(([text, value]) => element('button', {textContent: text, value, onclick: () => { language = value; show_lines(); }})));
$('licences').ontoggle = async () => { $('licences').querySelector('pre').textContent = new TextDecoder().decode(await unpacked($('licence_text').textContent)); };
$('presets').append(...Object.entries(presets).map(([text, of]) => element('button', {textContent: text, onclick: () => { state = {...of}; pinned = null; form_key = ''; ask(); }})));
addEventListener('hashchange', () => { read_address(); form_key = ''; ask(); });
const redraw = () => { palette = colours(); for (const side of ['left', 'right']) players[side].drawn = -1; show_wave(); show_time(); };
addEventListener('resize', redraw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);

let library = null;
read_address();
palette = colours();
set_playing(is_playing);
unpacked($('program').textContent).then((bytes) => WebAssembly.compile(bytes)).then((compiled) => {
  module = compiled;
  make_worker();
  ask();
  library = heddle(module);
  form_key = '';
  $('version').textContent = library.version();
  show_form();
  requestAnimationFrame(tick);
});
