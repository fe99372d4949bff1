// What the answers show.
function label(of) {
  const is_groups = of.problem === 'groups';
  let text = is_groups ? 'grouped' : of.order === 'own' ? 'your own order' : of.order === 'row_major' ? 'raster' : of.order;
  const used = is_groups ? ['width', 'axis'] : parameters[of.order] ?? [];
  if (used.includes('step_rows')) text += `, step ${of.step_rows ?? 1}x${of.step_cols ?? 1}`;
  if (used.includes('width')) text += `, width ${of.width ?? 8}`;
  if (used.includes('axis')) text += `, axis ${of.axis ?? 'x'}`;
  if (of.problem === 'batch' && of.interleave > 1) text += `, interleave ${of.interleave}`;
  if (is_groups && of.sequence === 'heaviest_first') text += ', heaviest first';
  if (!is_groups) {
    for (const adapter of ['transposed', 'reversed']) if (of[adapter] == 1) text += `, ${adapter}`;
    if (of.first > 0) text += `, from ${+of.first} on`;
    if (of.cluster_rows > 1 || of.cluster_cols > 1) text += `, clusters ${of.cluster_rows ?? 1}x${of.cluster_cols ?? 1}`;
  }
  return `${text}, ${of.schedule}${of.schedule === 'sm_affine' ? `, run ${of.run ?? 1}` : ''}`;
}
function described(of) {
  const p = filled(of), on = cards[p.card] ?? p.card;
  const cube = p.m == p.n && p.n == p.k ? `${p.m}³` : `${p.m} × ${p.n} × ${p.k}`;
  const what = p.problem === 'product' ? `Product ${cube}` : p.problem === 'batch' ? `${p.count} products ${cube}`
    : p.problem === 'causal' ? `Causal pass, ${p.queries} queries, ${p.keys} keys, ${p.heads} heads`
    : p.problem === 'pairs' ? `Pairs of ${p.things} things of ${p.elements}`
    : p.problem === 'groups' ? `Grouped product, ${p.n} × ${p.k}`
    : p.problem === 'stencil' ? `Pass over ${p.rows} × ${p.cols} pixels, step ${p.step}` : p.problem;
  return `${what}, ${on}`;
}
/// The name of the plain order, which is on the left until something else is kept there.
const plain_name = (problem) => problem === 'causal' ? 'head after head' : problem === 'groups' ? 'group after group' : 'raster';
const is_other = () => pinned && described(pinned) !== described(state);  // another problem or card
function receive(found) {
  const {side, name} = found;
  if (name === 'done') {
    if (refusals.length > 0) forget_older();
    document.documentElement.dataset.answered = String(job);
    return;
  }
  if (found.refused) {
    refusals.push({side, name, text: found.refused});
    if (name !== 'advice' || side === 'right') delete seen[side][name];
    if (name === 'picture') for (const rest of ['figures', 'timeline']) delete seen[side][rest];
    show_refusals();
    if (name === 'picture' || name === 'figures') show_answer(), show_bars(), show_pictures(), show_time();
    if (side === 'right') show_lines();
    return;
  }
  if (name === 'state') { seen[side].state = found.state, seen[side].state_job = job; if (side === 'right') show_form(), show_trace(''); show_names(); return; }
  seen[side][name] = found;
  if (name === 'advice' && side === 'right') told_after ||= performance.now() - asked;
  if (name === 'advice' && side === 'right') show_answer(), show_form();
  if (name === 'picture') { if (side === 'right') shown_after = performance.now() - asked, show_lines(); show_pictures(); }
  if (name === 'figures') show_answer(), show_bars();
  if (name === 'timeline' && side === 'right') show_time(), show_answer();
}
/// Clears what an older question left, of which a refused one has no answer.
function forget_older() {
  for (const side of ['left', 'right']) {
    if (seen[side].picture?.job !== job) delete seen[side].picture;
    if (seen[side].state_job !== job) $(side + '_name').textContent = '';
  }
  if (!seen.right.advice) $('verdict').textContent = $('reason').textContent = '';
  show_answer(), show_bars(), show_pictures(), show_time();
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
    const text = side === 'left' && !pinned ? `${plain_name(of.problem)}, ${of.schedule}` : (side === 'left' && is_other() ? described(of) + ': ' : '') + label(of);
    $(side + '_name').textContent = text;
    $(side + '_time').setAttribute('aria-label', 'When tiles run: ' + text);
    $(side).setAttribute('aria-label', 'Tiles by wave: ' + text);
  }
}
/// Lines to paste, of an order that was drawn, or that has too many tiles for it.
let language = '';
function show_lines() {
  const refused = refusals.find(({side}) => side === 'right');
  const texts = {};
  for (const {value} of $('languages').children) {
    try {
      if (library && seen.right.state && (!refused || refused.text.includes('tiles to draw'))) texts[value] = library.lines({...seen.right.state, language: value});
    } catch { /* refused, as the worker says in a moment */ }
  }
  const shown = texts[language] ? language : '';
  for (const button of $('languages').children) {  // those that have lines for this
    button.hidden = button.value !== '' && !texts[button.value];
    button.setAttribute('aria-pressed', String(button.value === shown));
  }
  $('lines').textContent = texts[shown] ?? '';
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
    // The time comes first where it is known: of what is advised, beside the plain launch.
    const seconds = [Number(advice?.plain_seconds ?? 0), Number(advice?.advised_seconds ?? 0)], is_timed = seconds[1] > 0 && !is_other() && is_advised;
    const [before, after, text] = is_timed ? [duration(seconds[0]), duration(seconds[1]), `${words(saved(seconds[1], seconds[0]), 'time')}, give or take ${percent(Number(advice.error))}; ${dram}`]
      : Math.abs(of_dram) >= 0.01 ? [gigabytes(from), gigabytes(to), dram]
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
    bars.append(element('div', {className: 'group'}, element('h2', {textContent: heading}), bar('left', pinned ? 'left' : plain_name(state.problem), of_left, most),
      ...(right ? [bar('right', 'yours', of_right, most)] : []), bar('least', 'least possible', least, most)));
  };
  const of = right ?? left;
  group('DRAM, read and written', total('left'), total('right'), Number(of.least_bytes));
  group('L2, read', Number(left.l2_bytes), Number(right?.l2_bytes), Number(of.least_l2_bytes));
}
