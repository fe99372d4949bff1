// What the page's script does before it asks the library, and what it reads of traces, without a browser.
//
//   node state.mjs examples/explorer
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

const source = ['library', 'question', 'answer', 'form', 'traces'].map((name) => readFileSync(`${process.argv[2]}/${name}.js`, 'utf8')).join('\n');
const page = new Function(source + '\nreturn {filled, merged, plain_of, parse, address, label, described, refused_fields, traces_of};')();
const {filled, merged, plain_of, parse, address, label, described, refused_fields, traces_of} = page;

const test = (name, law) => { law(); console.log(name); };

test('an empty field has its default, but for those of the problem', () => {
  const state = filled({m: '', width: '', card: '', first: '', transposed: '', measured_seconds: ''});
  assert.deepEqual(state, {...filled({}), m: ''});
  assert.equal(filled({problem: 'groups', group_rows: ''}).group_rows, '');
});

test('an address has what differs from the defaults, and gives the state again', () => {
  for (const state of [{}, {m: ''}, {m: '0'}, {problem: 'groups', axis: 'x'}, {problem: 'stencil', step: '3'}, {card: 'xyz'}, {problem: 'xyz'}, {problem: 'constructor', m: '1'},
                       {order: 'cta_swizzl', width: '0'}]) {
    assert.deepEqual(filled(parse(address(state))), filled(state));
  }
  assert.equal(address({m: 8192, width: '', problem: 'product', uneven: 0}), '');
  assert.equal(address({problem: 'groups', axis: 'y'}), 'problem=groups');
});

test('groups without an axis are labelled with the axis that is drawn', () => {
  const advice = {order: 'thread_group_tiling', schedule: 'strided', width: '8'};
  for (const state of [filled({problem: 'groups', order: 'thread_group_tiling', schedule: 'strided'}), merged(filled({problem: 'groups'}), advice), plain_of(filled({problem: 'groups'}))]) {
    assert.match(label(state), /, axis y,/);
  }
  assert.match(label(filled({problem: 'groups', order: 'thread_group_tiling', axis: 'x'})), /, axis x,/);
  assert.match(label(filled({order: 'cta_swizzle'})), /, axis x,/);
});

test('a label names no adapter that the program does not apply', () => {
  const none = label(filled({order: 'hilbert', schedule: 'ticket'}));
  assert.equal(label(filled({order: 'hilbert', schedule: 'ticket', first: '0', transposed: '0', reversed: '', sequence: 'heaviest_first'})), none);
  const groups = {problem: 'groups', order: 'thread_group_tiling', schedule: 'ticket'};
  assert.equal(label(filled({...groups, first: '3', transposed: '1', cluster_rows: '2'})), label(filled(groups)));
});

test('a problem or a card that the page does not know has a heading', () => {
  for (const name of ['xyz', 'constructor', '__proto__', 'toString']) {
    assert.equal(described(parse(`problem=${name}`)), `${name}, H200`);
    assert.equal(described(parse(`card=${name}`)), `Product 8192³, ${name}`);
    assert.equal(label(filled({order: name, schedule: name})), `${name}, ${name}`);
  }
});

test('a refusal is shown at the fields that it is about', () => {
  const at = (text, ...keys) => assert.deepEqual(refused_fields(text), keys);
  at('laws::check_order: order(0) is {0, 0}, but index({0, 0}) is 63', 'row', 'col');
  at('col of tile i = 3 is 3; it must be at most 2', 'col');
  at('row needs a number, i, rows or cols: at its end', 'row');
  at('order: "cta_swizzl" is none of row_major', 'order');
  at('heddle::predict::device: card: "xyz" is none of h200', 'card');
  at('m is ""; it must be a number', 'm');
  at('heddle::predict::causal_problem: width is 0; it must be at least 1', 'head_width');
  at('heddle::cta_swizzle: width is 0; it must be at least 1', 'width');
  at('heddle::dilated: step.rows is 0; it must be at least 1', 'step_rows');
  at('heddle::predict::grouped_problem: rows of all groups is 3000000000; it must be at most 2147483647', 'group_rows');
  at('heddle::predict::device: l2_copies is 0; it must be at least 1', 'l2_copies');
});

test('a trace may have more tiles than a call has arguments', () => {
  const tiles = 300000, lanes = 264;
  const slices = Array.from({length: tiles}, (_, i) => ({ph: 'X', pid: 65536 + i % lanes, tid: 0, ts: 7 + Math.floor(i / lanes), dur: 0.5, args: {launch: 0, 'place in the order': i}}));
  const {'made, launch 0': of} = traces_of('made', JSON.stringify({traceEvents: slices}));
  assert.equal(of.begin.length, tiles);
  assert.equal(of.lanes, lanes);
  assert.equal(of.end, Math.ceil(tiles / lanes) - 0.5);
});

test('a file that is no trace has no launches', () => {
  const slice = {ph: 'X', pid: 1, tid: 0, ts: 0, dur: 1, args: {launch: 0, 'place in the order': 0}};
  for (const events of [5, null, 'X', {}, [null, 5, 'X', []], [{ph: 'M', name: 'process_name'}], [{ph: 'X', args: null}], [{...slice, ts: 'x'}], [{...slice, tid: undefined}]]) {
    assert.deepEqual(traces_of('no.json', JSON.stringify({traceEvents: events})), {});
  }
  for (const text of ['', '5', 'null', '[]', '{}', '{"traceEvents"']) assert.deepEqual(traces_of('no.json', text), {});
  assert.equal(Object.keys(traces_of('one.json', JSON.stringify({traceEvents: [{ph: 'M', name: 'process_name'}, null, slice]}))).length, 1);
});
