// Pictures: one pixel per tile on a sheet that is drawn larger.
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
    player.picture = drawn, player.problem = seen[side].state.problem;
    player.width = Math.max(1, +drawn.width), player.height = Math.max(1, +drawn.height);
    player.sheet = element('canvas', {width: player.width, height: player.height});
    player.image = new ImageData(player.width, player.height);
    player.pixels = new Uint32Array(player.image.data.buffer);
    player.drawn = -1;
  }
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
    : of === 'pairs' ? ['first of its wave to need both its rows and its columns of things', 'the rows', 'the columns', 'neither']
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
  $(side + '_wave').textContent = caption(of, at, player.problem);
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
