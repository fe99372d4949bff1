// The library in a page, a worker or node: `ask` calls one of its functions with the fields of a state, and returns the
// fields of the answer. A refusal is an Error with the library's words.
function heddle(module) {
  let memory, instance;
  const text = (at) => {
    const bytes = new Uint8Array(memory.buffer);  // anew: memory may have grown
    return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
  };
  const start = () => {
    const refuse = (what) => { throw Object.assign(new Error(text(what)), {refused: true}); };
    const imports = {page: {refuse}};
    for (const {module: from, name} of WebAssembly.Module.imports(module)) {
      imports[from] ??= {};
      imports[from][name] ??= () => { throw new Error('out of memory'); };  // no files, no clock: an abort writes a line
    }
    instance = new WebAssembly.Instance(module, imports).exports;
    memory = instance.memory;
    instance._initialize();
  };
  start();
  const types = {place: Int32Array, colour: Uint8Array, wave_begin: Int32Array, first: Int32Array, second: Int32Array,
                 begin: Float32Array, ends: Float32Array, worker: Int32Array};
  const call = (name, state) => {
    const line = ([k, v]) => `${k}=${v}`.replace(/[\0-\x1f]+/g, ' ') + '\n';  // no value begins another field
    const question = new TextEncoder().encode(Object.entries(state).map(line).join('') + '\0');
    try {
      const at = instance.room(question.length);
      new Uint8Array(memory.buffer).set(question, at);
      return text(instance[name](at));
    } catch (error) {
      start();  // what was refused has left its objects behind
      throw error;
    }
  };
  return {
    lines: (state) => call('lines', state),
    version: () => call('version', {}),
    ask(name, state) {
      const answer = {};
      for (const line of call(name, state).split('\n')) {
        const at = line.indexOf('=');
        if (at < 0) continue;
        const key = line.slice(0, at), value = line.slice(at + 1);
        if (types[key]) {
          const [begin, count] = value.split(' ').map(Number);
          answer[key] = new types[key](memory.buffer, begin, count).slice();
        } else {
          answer[key] = value;
        }
      }
      return answer;
    },
  };
}

// What gzip packed and base64 spells, of a type.
async function unpacked(text, type) {
  const packed = await fetch('data:;base64,' + text.trim());
  return new Response(packed.body.pipeThrough(new DecompressionStream('gzip')), {headers: {'Content-Type': type}});
}

// The fields of each problem, and what they are if a state leaves them out.
const problems = {
  __proto__: null,
  product: {m: 8192, n: 8192, k: 8192, tile_m: 128, tile_n: 128, tile_k: 64, element_bytes: 2},
  stencil: {rows: 2039, cols: 65521, tile_rows: 16, tile_cols: 128, bytes_per_pixel: 16, rows_radius: 32, cols_radius: 0, step: 1, written_bytes_per_pixel: 16, requested_bytes_per_pixel: 0, instructions_per_pixel: 0, blocks_per_multiprocessor: 6},
  batch: {m: 512, n: 4096, k: 4096, count: 64, planes_per_a: 1, planes_per_b: 64, tile_m: 128, tile_n: 128, tile_k: 64, element_bytes: 2},
  causal: {queries: 16384, keys: 16384, heads: 32, key_heads: 8, head_width: 128, tile_queries: 128, tile_keys: 128, element_bytes: 2},
  pairs: {things: 65536, elements: 512, tile_things: 64, step_elements: 32, element_bytes: 4, pair_bytes: 4},
  groups: {group_rows: '700 0 90 2300 128 411', n: 2048, k: 4096, tile_m: 128, tile_n: 128, tile_k: 64, element_bytes: 2, axis: 'y'},
};
const common = {card: 'h200', blocks_per_multiprocessor: 1, measured_seconds: 0, order: 'advised', schedule: 'advised', uneven: 0};
const plain = {
  product: {order: 'row_major'}, stencil: {order: 'row_major'}, batch: {order: 'row_major'},
  pairs: {order: 'row_major'}, causal: {order: 'thread_group_tiling', width: 1, axis: 'x'}, groups: {order: 'thread_group_tiling', width: 1, axis: 'y'},
};
/// Returns a state with every field. An empty one has its default too, but for those of the problem, which stay empty: an answer
/// for another problem than the form shows would mislead.
const filled = (state) => {
  const of_problem = problems[state.problem ?? 'product'] ?? {};
  const given = Object.entries(state).filter(([key, value]) => value !== '' || key in of_problem);
  return {...common, ...of_problem, problem: 'product', ...Object.fromEntries(given)};
};
const chosen = ['order', 'width', 'axis', 'step_rows', 'step_cols', 'row', 'col', 'transposed', 'reversed', 'first', 'cluster_rows',
                'cluster_cols', 'interleave', 'sequence', 'schedule', 'run'];
const without_choice = (state) => Object.fromEntries(Object.entries(state).filter(([key]) => !chosen.includes(key)));
const plain_of = (state) => ({...without_choice(state), ...plain[state.problem], schedule: 'one_shot'});
const merged = (state, advice) => {
  const of_order = ['order', 'width', 'axis', 'step_rows', 'step_cols', 'interleave', 'reversed', 'sequence'];
  const take = (keys) => Object.fromEntries(keys.filter((key) => advice[key]).map((key) => [key, advice[key]]));
  const result = state.order === 'advised' ? {...filled(without_choice(state)), schedule: state.schedule, ...(state.run ? {run: state.run} : {}), ...take(of_order)} : {...state};
  if (result.schedule === 'advised') Object.assign(result, take(['schedule', 'run']));
  return result;
};

// Answers a job in steps, each as soon as it is known: what the order is, how it looks, what it moves, when it runs. An order
// that needs no advice is drawn first.
function answer(library, job, tell) {
  const step = (side, name, make) => {
    try {
      const found = make();
      tell({side, name, ...found});
      return found;
    } catch (error) {
      tell({side, name, refused: error.message});
    }
  };
  const advise = (side, state) => step(side, 'advice', () => library.ask('advise', without_choice(state)));
  const sides = [];
  let late = null;
  for (const side of ['left', 'right']) {
    let state = filled(job[side]);
    if (state.order === 'advised' || state.schedule === 'advised') {
      const advice = advise(side, state);
      if (!advice) continue;
      state = merged(state, advice);
    } else if (side === 'right') {
      late = state;
    }
    tell({side, name: 'state', state});
    sides.push({side, state, is_drawn: true});
  }
  for (const name of ['picture', 'figures', 'timeline']) {
    for (const each of sides) {
      if (each.is_drawn && !step(each.side, name, () => library.ask(name, each.state))) each.is_drawn = false;
    }
    if (name === 'picture' && late) advise('right', late);
  }
  tell({name: 'done'});
}
