// Asks the program inside of the page what the library was asked natively, and compares the answers bit for bit.
//
//   node equal.mjs explorer.html NATIVE
import {execFileSync} from 'node:child_process';
import {readFileSync, statSync} from 'node:fs';
import {gunzipSync} from 'node:zlib';

const [page, native] = process.argv.slice(2);
const html = readFileSync(page, 'utf8');
const script = (id) => new RegExp(`<script[^>]* id="${id}">([^]*?)</script>`).exec(html)[1];
if (statSync(page).size > 250000) throw new Error(`the page has ${statSync(page).size} bytes, more than 250,000`);
const heddle = new Function(script('library') + '\nreturn heddle;')();
const library = heddle(new WebAssembly.Module(gunzipSync(Buffer.from(script('program').trim(), 'base64'))));

const fields = (text) => Object.fromEntries(text.split('\n').filter(Boolean).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
let compared = 0, refused = 0, wrong = 0;
for (const each of execFileSync(native, [], {encoding: 'utf8', maxBuffer: 1 << 26}).split('===\n').filter(Boolean)) {
  const [asked, expected] = each.split('---\n').map(fields);
  const found = {};
  try {
    Object.assign(found, library.ask('advise', asked));
    if (!('dram_bytes' in expected)) library.ask('figures', asked);
    else {
      Object.assign(found, library.ask('figures', asked));
      const {end, idle_share} = library.ask('timeline', asked);
      Object.assign(found, {end, idle: idle_share});
    }
  } catch (error) {
    if (!error.refused) throw error;
    found.refused = error.message, ++refused;
  }
  ++compared;
  for (const [key, value] of Object.entries(expected)) {
    if (found[key] === value) continue;
    ++wrong;
    if (wrong < 10) console.error(`${JSON.stringify(asked)}\n  ${key}: the page says ${found[key]}, the library ${value}`);
  }
}
console.log(`${compared} states, of which ${refused} are refused: ${wrong} differences`);
process.exit(wrong || compared < 300 || refused < 10 ? 1 : 0);
