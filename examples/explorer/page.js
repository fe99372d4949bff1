// What readers do, and the beginning.
let typed = 0;
$('form').addEventListener('input', ({target}) => {
  const name = target.dataset.key;
  if (!name) return;
  clearTimeout(typed);
  const text = target.value.trim(), is_scaled = target.dataset.scale && text !== '' && !isNaN(text);
  const value = target.type === 'checkbox' ? (target.checked ? '1' : '') : is_scaled ? String(Number(text) * target.dataset.scale) : text;
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
$('languages').append(...Object.entries({'C++': '', Triton: 'triton', TileLang: 'tilelang', 'CuTe DSL': 'cute'}).map(([text, value]) => element('button', {textContent: text, value, onclick: () => { language = value; show_lines(); }})));
$('licences').ontoggle = async () => { $('licences').querySelector('pre').textContent = await (await unpacked($('licence_text').textContent, 'text/plain')).text(); };
$('presets').append(...Object.entries(presets).map(([text, of]) => element('button', {textContent: text, onclick: () => { state = {...of}; pinned = null; form_key = ''; ask(); }})));
addEventListener('hashchange', () => { read_address(); form_key = ''; ask(); });
const redraw = () => { palette = colours(); for (const side of ['left', 'right']) players[side].drawn = -1; show_wave(); show_time(); };
addEventListener('resize', redraw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);

$('why').open = innerWidth >= 1400;

let library = null;
read_address();
palette = colours();
set_playing(is_playing);
make_worker();
WebAssembly.compileStreaming(unpacked($('program').textContent, 'application/wasm')).then((compiled) => {
  module = compiled;
  worker.postMessage({module});
  ask();
  library = heddle(module);
  form_key = '';
  $('version').textContent = library.version();
  show_form();
  requestAnimationFrame(tick);
});
