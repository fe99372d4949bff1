// The form.
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
    const value = now[name] ?? card_numbers[name] ?? '';
    if (input.type === 'checkbox') input.checked = value == 1;
    else if (input.dataset.scale && !isNaN(value)) input.value = Number(value) === 0 ? '' : +(Number(value) / scale).toPrecision(6);
    else input.value = value;  // a name that a choice does not have leaves it blank, so that a reader can choose any
    if (value === '' && input.tagName === 'SELECT') input.selectedIndex = 0;  // the default
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
    return element('label', {className: name === 'order' ? 'order' : ''}, text, made);
  };
  const part = (heading, ...inside) => element('fieldset', {}, element('legend', {textContent: heading}), ...inside);
  const tabs = element('div', {className: 'tabs'}, ...Object.entries(names).map(([each, text]) => {
    const button = element('button', {type: 'button', textContent: text, onclick: () => change('problem', each)});
    button.setAttribute('aria-pressed', String(each === now.problem));
    return button;
  }));
  const problem = part('Problem', tabs, ...(fields[now.problem] ?? []).map(([name, text, more]) => input(name, text, more)),
    input('measured_seconds', 'raster, ms', {scale: 1e-3, hint: 'none'}));
  if (now.problem === 'groups') {
    const numbers = [['groups', 64], ['rows in all', 16384], ['exponent', 1], ['seed', 1]].map(([text, value]) => [text, element('input', {value, inputMode: 'numeric'})]);
    problem.append(element('label', {className: 'wide'}, ''), ...numbers.map(([text, made]) => element('label', {}, text, made)),
      element('button', {type: 'button', textContent: 'Draw from Zipf', onclick: () => change('group_rows', zipf(Math.min(65536, ...numbers.slice(0, 1).map(([, made]) => +made.value)), ...numbers.slice(1).map(([, made]) => +made.value)))}));
  }
  const texts = {width: ['width', {}], step_rows: ['step, rows', {}], step_cols: ['step, cols', {}],
                 row: ['row of tile i, in C++ of i, rows, cols', {wide: true, code: true}], col: ['column of tile i', {wide: true, code: true}]};
  const is_groups = now.problem === 'groups';
  const order = part('Order', select('order', 'order', is_groups ? ['advised', 'thread_group_tiling'] : orders, is_groups ? {...order_text, thread_group_tiling: 'bands of each group'} : order_text),
    ...(parameters[kind] ?? []).map((name) => name === 'axis' ? select('axis', 'axis', ['x', 'y'], {x: 'x: cols', y: 'y: rows'}) : input(name, ...texts[name])));
  if (is_groups) order.append(select('sequence', 'first group', ['as_numbered', 'heaviest_first'], {as_numbered: 'as given', heaviest_first: 'heaviest'}));
  else order.append(...(now.problem === 'batch' ? [input('interleave', 'planes in turn')] : []), input('first', 'first tile', {hint: '0'}),
    ...(now.problem === 'pairs' ? [] : [input('cluster_rows', 'cluster rows', {hint: '1'}), input('cluster_cols', 'cluster cols', {hint: '1'})]), element('div', {className: 'checks'}, input('transposed', 'transposed', {check: true}), input('reversed', 'reversed', {check: true})));
  const schedule = part('Schedule', select('schedule', 'schedule', schedules, {advised: 'advised'}), ...(by === 'sm_affine' ? [input('run', 'run, tiles')] : []),
    input('blocks_per_multiprocessor', 'blocks per SM'), input('uneven', 'uneven by, %'));
  card_numbers = library && now.card in cards ? library.ask('card', {card: now.card}) : {};
  const note = now.card === 'h200' ? 'Measured by heddle.' : 'Not measured by heddle: data sheets, and measurements of others.';
  const numbers = element('details', {className: 'wide note'}, element('summary', {textContent: 'Its numbers'}), note,
    element('fieldset', {}, ...card_fields.map(([name, text, scale]) => input(name, text, {scale, hint: 'not measured'}))));
  const card = part('Card', select('card', 'card', Object.keys(cards), cards), numbers);
  numbers.open = card_fields.some(([name]) => now[name] !== undefined && state[name] !== undefined);
  const compare = part('Compare', element('div', {className: 'tabs'}, element('button', {type: 'button', textContent: 'Keep on the left', onclick: () => { pinned = {...(seen.right.state_job === job ? seen.right.state : filled(state))}; ask(); show_names(); }}),
    element('button', {type: 'button', textContent: 'Raster again', disabled: !pinned, onclick: () => { pinned = null; form_key = ''; ask(); }})));
  $('form').replaceChildren(problem, order, schedule, card, compare);
  if (focused) $('form').querySelector(`[data-key="${focused}"]`)?.focus();
  show_refusals();
}
/// The keys of the fields that a refusal is about: its first word is one, but for these.
function refused_fields(text) {
  if (text.startsWith('laws::check_order')) return ['row', 'col'];
  if (/rows of (a|all) groups?/.test(text)) return ['group_rows'];
  if (text.startsWith('heddle::predict::causal_problem: width')) return ['head_width'];
  return [text.replace(/^heddle::(\w+::)*\w+(::|: )/, '').match(/^[\w.]*/)[0].replace('.', '_')];
}
function show_refusals() {
  for (const old of document.querySelectorAll('.refusal')) old.remove();
  for (const old of document.querySelectorAll('.bad')) old.classList.remove('bad');
  $('message').textContent = '';
  const shown = refusals.find(({side}) => side === 'right') ?? refusals[0];
  if (!shown) return;
  const inputs = shown.side === 'left' ? [] : refused_fields(shown.text).map((key) => $('form').querySelector(`[data-key="${key}"]`)).filter(Boolean);
  if (inputs.length === 0) { $('message').textContent = shown.side === 'left' ? `On the left: ${shown.text}` : shown.text; return; }
  const places = inputs.map((input) => input.closest('label'));
  for (const place of places) place.classList.add('bad');
  places.at(-1).after(element('p', {className: 'refusal', textContent: shown.text}));
  inputs[0].closest('details')?.setAttribute('open', '');
}
