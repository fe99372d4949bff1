'use strict';
const $ = (id) => document.getElementById(id);
const gigabytes = (bytes) => bytes >= 1e12 ? `${(bytes / 1e12).toFixed(2)} TB` : bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB`
  : bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} KB`;
const duration = (seconds) => seconds >= 1 ? `${seconds.toPrecision(3)} s` : seconds >= 1e-3 ? `${(1e3 * seconds).toPrecision(3)} ms` : `${(1e6 * seconds).toPrecision(3)} µs`;
const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
const element = (tag, attributes = {}, ...inside) => {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...inside);
  return made;
};

// What can be asked. A field: key, label, and more that its input has.
const sizes = [['tile_m', 'tile rows'], ['tile_n', 'tile columns'], ['tile_k', 'step along k'], ['element_bytes', 'element bytes']];
const fields = {
  __proto__: null,
  product: [['m', 'm, rows'], ['n', 'n, columns'], ['k', 'k'], ...sizes],
  stencil: [['rows', 'image rows'], ['cols', 'image columns'], ['tile_rows', 'tile rows'], ['tile_cols', 'tile columns'],
            ['bytes_per_pixel', 'bytes read'], ['written_bytes_per_pixel', 'bytes written'], ['rows_radius', 'radius, rows'],
            ['cols_radius', 'radius, cols'], ['step', 'step of taps'], ['instructions_per_pixel', 'instructions'],
            ['requested_bytes_per_pixel', 'bytes loaded']],
  batch: [['m', 'm'], ['n', 'n'], ['k', 'k'], ['count', 'products'], ['planes_per_a', 'products per A'], ['planes_per_b', 'products per B'], ...sizes],
  causal: [['queries', 'queries'], ['keys', 'keys'], ['heads', 'heads'], ['key_heads', 'heads of keys'], ['head_width', 'head width'],
           ['tile_queries', 'tile of queries'], ['tile_keys', 'step of keys'], ['element_bytes', 'element bytes']],
  pairs: [['things', 'things'], ['elements', 'elements'], ['tile_things', 'tile, things'], ['step_elements', 'step, elements'],
          ['element_bytes', 'element bytes'], ['pair_bytes', 'bytes of a pair']],
  groups: [['group_rows', 'rows of each group', {wide: true, area: true}], ['n', 'n'], ['k', 'k'], ...sizes],
};
const names = {__proto__: null, product: 'Product', stencil: 'Stencil, à-trous', batch: 'Batch', causal: 'Causal', groups: 'Groups', pairs: 'Pairs'};
const cards = {__proto__: null, h200: 'H200', h100: 'H100', a100: 'A100', rtx_4090: 'RTX 4090', b200: 'B200'};
const card_fields = [
  ['multiprocessors', 'multiprocessors', 1], ['l2_bytes', 'L2, MiB', 2 ** 20], ['l2_copies', 'copies in L2', 1],
  ['dram_bytes_per_second', 'DRAM, TB/s', 1e12], ['l2_bytes_per_second', 'L2, TB/s', 1e12],
  ['matrix_operations_per_second', 'matrix, TFLOP/s', 1e12], ['l1_bytes', 'L1, KiB', 1024], ['l1_bytes_per_second', 'L1, TB/s', 1e12],
  ['instructions_per_second', 'instructions, T/s', 1e12], ['l2_kept_bytes', 'L2 keeps, MiB', 2 ** 20], ['launch_seconds', 'launch, µs', 1e-6],
  ['atomic_seconds', 'atomic, ns', 1e-9], ['atomics_per_second', 'atomics, G/s', 1e9]];
const orders = ['advised', /*@order_names@*/];  // those of heddle::recipe, which page.cmake inserts
const order_text = {advised: 'as advised', row_major: 'raster (row_major)', own: 'your own …'};
const parameters = {__proto__: null, thread_group_tiling: ['width', 'axis'], cta_swizzle: ['width', 'axis'], dilated: ['step_rows', 'step_cols', 'width'], own: ['row', 'col']};
const schedules = ['advised', /*@schedule_names@*/].filter((name) => name !== 'stream_k');  // it needs the steps of a tile
const presets = {
  '8192³': {},
  'tall product': {m: 131072, n: 512, k: 4096},
  'fits in L2': {m: 1024, n: 1024, k: 1024},
  'vertical filter': {problem: 'stencil'},
  'à-trous, step 64': {problem: 'stencil', rows: 2160, cols: 3840, tile_rows: 8, tile_cols: 16, bytes_per_pixel: 32, rows_radius: 2, cols_radius: 2, step: 64, written_bytes_per_pixel: 16, instructions_per_pixel: 736, blocks_per_multiprocessor: 8},
  'batch, one B': {problem: 'batch'},
  'causal, 16 k': {problem: 'causal'},
  'pairs, 64 k': {problem: 'pairs'},
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

// The state is the page's address; what it leaves out has its default.
const parse = (text) => Object.fromEntries(new URLSearchParams(text));
const short = (state) => {
  const defaults = filled({problem: state.problem ?? 'product'});
  return Object.fromEntries(Object.entries(filled(state)).filter(([key, value]) => value !== undefined &&
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
