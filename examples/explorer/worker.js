// Answers come from a worker, which a newer question ends if it is slow.
const seen = {left: {}, right: {}};
let worker = null, module = null, job = 0, is_busy = false, since = 0, waiting = null;
const started = performance.now();
function make_worker() {
  const source = [heddle, filled, without_choice, merged, answer].map((f) => typeof f === 'function' && f.name ? (String(f).startsWith('function') ? String(f) : `const ${f.name}=${f}`) : '').join(';\n');
  const body = `const problems=${JSON.stringify(problems)},common=${JSON.stringify(common)},chosen=${JSON.stringify(chosen)};\n${source};\nlet library;onmessage=({data})=>{if(data.module){library=heddle(data.module);return}answer(library,data,(found)=>postMessage({...found,job:data.job}))}`;
  worker = new Worker(URL.createObjectURL(new Blob([body], {type: 'text/javascript'})));
  worker.onmessage = ({data}) => { if (data.job === job) receive(data); if (data.name === 'done') next(); };
  worker.onerror = ({message}) => { $('message').textContent = message; };
  if (module) worker.postMessage({module});
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
    $('verdict').textContent = 'The search takes longer than a second in this page.';
    $('verdict').className = 'measure';
  }, 900);
  if (!module) return;
  if (is_busy && performance.now() - since > 150) { worker.terminate(); make_worker(); is_busy = false; }
  if (is_busy) waiting = question; else send(question);
}
let asked = 0, patience = 0, told_after = 0;  // when there was an advice
const refusals = [];
