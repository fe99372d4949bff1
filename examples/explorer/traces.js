/// Returns each launch of each report of a file that `trace::chrome_trace` wrote, by its name, with its tiles in the sequence of the
/// order; no launches of any other file. A file may have any number of tiles: more than a call has arguments.
function traces_of(name, text) {
  let events = null;
  try { events = JSON.parse(text).traceEvents; } catch { /* no trace */ }
  if (!Array.isArray(events)) return {};
  const reports = {}, launches = {}, traces = {};
  for (const each of events) {
    if (each?.ph === 'M' && each.name === 'process_name') reports[each.pid] = String(each.args?.name).replace(/, multiprocessor \d+$/, '');
  }
  for (const each of events) {
    if (each?.ph !== 'X' || each.args?.launch === undefined || ![each.ts, each.dur, each.pid, each.tid].every(Number.isFinite)) continue;
    (launches[`${reports[each.pid] ?? name}, launch ${each.args.launch}`] ??= []).push(each);
  }
  for (const [key, all] of Object.entries(launches)) {
    const from = all.reduce((least, {ts}) => Math.min(least, ts), Infinity);
    const end = all.reduce((most, {ts, dur}) => Math.max(most, ts + dur), -Infinity) - from;
    const places = [...new Set(all.map(({pid, tid}) => pid * 65536 + tid))].sort((a, b) => a - b), lane = new Map(places.map((place, i) => [place, i]));
    const tiles = all.filter(({args}) => args['place in the order'] !== undefined).sort((a, b) => a.args['place in the order'] - b.args['place in the order']);
    traces[key] = {lanes: places.length, resident: Math.ceil(places.length / new Set(all.map(({pid}) => pid)).size), end, begin: tiles.map(({ts}) => ts - from), ends: tiles.map(({ts, dur}) => ts + dur - from),
      worker: tiles.map(({pid, tid}) => lane.get(pid * 65536 + tid)), idle_share: 1 - tiles.reduce((sum, {dur}) => sum + dur, 0) / (places.length * end)};
  }
  return traces;
}
