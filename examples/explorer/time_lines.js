// When tiles run: a lane per block, the colour is the place in the order.
function ramp(position) {
  const hue = (282 - 194 * position) * Math.PI / 180, chroma = 0.125 + 0.025 * position;
  return `oklch(${64 + 22 * position}% ${chroma} ${hue * 180 / Math.PI})`;
}
const ramps = (() => {
  const strip = element('canvas', {width: 64, height: 1}).getContext('2d', {willReadFrequently: true});
  for (let i = 0; i < 64; ++i) strip.fillStyle = ramp(i / 63), strip.fillRect(i, 0, 1, 1);
  return new Uint32Array(strip.getImageData(0, 0, 64, 1).data.buffer);
})();
/// Draws tiles that begin, end and have a lane, in the sequence of the order.
function draw_lanes(canvas, {begin, ends, worker}, lanes, most) {
  const count = begin.length, high = Math.max(1, Math.round(160 / lanes)), rows = Math.min(lanes * high, 4096);
  const width = canvas.width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
  canvas.height = rows;
  const image = new ImageData(width, canvas.height), pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < count; ++i) {
    const from = Math.round(begin[i] / most * width), to = ends[i] / most * width, is_wide = to - begin[i] / most * width >= 3;
    const until = Math.max(from + 1, Math.round(to) - (is_wide ? 1 : 0));
    const first = Math.floor(worker[i] * rows / lanes), last = Math.max(first + 1, Math.floor((worker[i] + 1) * rows / lanes) - (high > 4 ? 1 : 0));
    for (let row = first; row < last; ++row) pixels.fill(ramps[Math.floor(64 * i / count)], row * width + from, row * width + Math.min(until, width));
  }
  canvas.getContext('2d').putImageData(image, 0, 0);
}
const idle_text = (share) => `blocks idle for ${percent(Math.max(0, share))} of the time`;
function show_time() {
  const most = Math.max(...['left', 'right'].map((side) => Number(seen[side].timeline?.end ?? 0)));
  // Lines that say the same are left out.
  const shares = ['left', 'right'].map((side) => seen[side].timeline?.end ? Math.max(0, +seen[side].timeline.idle_share) : undefined);
  const differ = shares.includes(undefined) || Math.abs(shares[0] - shares[1]) >= 0.005;
  for (const side of ['left', 'right']) $(side + '_time').parentElement.hidden = !differ;
  $('same_idle').textContent = differ ? '' : `On either side ${idle_text(shares[1])}.`;
  $('lanes').hidden = !differ && $('traced_figure').hidden;
  for (const side of ['left', 'right']) {
    const of = seen[side].timeline ?? {begin: [], workers: 1};
    draw_lanes($(side + '_time'), of, +of.workers, most);
    $(side + '_idle').textContent = of.end ? idle_text(+of.idle_share) : '';
  }
  const traced = traces[$('launch').value];
  if (traced) draw_lanes($('traced'), traced, traced.lanes, traced.end);
}

// A trace that a reader opens, or drops onto the page.
let traces = {};
function read_trace(name, text) {
  traces = traces_of(name, text);
  const keys = Object.keys(traces);
  $('launch').replaceChildren(...keys.map((key) => element('option', {textContent: key})));
  $('launch').hidden = keys.length === 0, $('traced').hidden = keys.length === 0, $('traced_figure').hidden = false;
  show_trace(keys.length === 0 ? `${name} is no trace that heddle::trace::chrome_trace wrote` : '');
}
/// Returns when a traced launch should have ended under the schedule of the state, by what its tiles took.
function replayed({begin, ends, lanes, resident}) {
  if (!library || !seen.right.state) return '';
  const {schedule, run = 1} = seen.right.state;
  try {
    const {end} = library.ask('replayed', {schedule, run, workers: lanes, resident, times: begin.map((at, i) => (ends[i] - at).toFixed(3)).join(' ')});
    return `; tiles that take as long under ${schedule} end after ${Number(end).toFixed(1)} µs`;
  } catch (refused) { return `; ${refused.message}`; }
}
function show_trace(failure) {
  const of = traces[$('launch').value];
  $('traced_idle').textContent = of ? `${of.begin.length} tiles in ${of.end.toFixed(1)} µs on ${of.lanes} blocks at once, ${idle_text(of.idle_share)}${replayed(of)}` : failure;
  $('traced').setAttribute('aria-label', 'A trace: ' + $('launch').value);
  show_time();
}
const read_file = async (file) => { if (file) read_trace(file.name, await file.text().catch(() => '')); };
$('open').onclick = () => $('file').click();
$('file').onchange = () => read_file($('file').files[0]);
$('launch').onchange = () => show_trace('');
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => { event.preventDefault(); read_file(event.dataTransfer.files[0]); });
