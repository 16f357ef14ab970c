// The tracks of the timeline in their order, with their rows and positions.
import { allKinds, kindOf, waits } from "./colours.js";
import { COUNTER } from "./counters.js";

export const AXIS = 26; // of the time, above all tracks
export const HEAD = 22; // of a process
export const LANE = 24; // a track's activity by bins of time
export const ROW = 17;
export const GAP = 6;
export const LABEL = 16; // of a name above its lane or counter, on a narrow screen
const MOST_OPEN_ROWS = 90;
// The most rows of a track among others, and of all such tracks, so that several are in sight.
const MOST_AT_FIRST = 9, ALL_AT_FIRST = 20;

// Returns how much of each bin a track ran, by kind, and how much it waited.
export function activities(run) {
  const { bins, frames, nodes } = run, bars = new Map(), kinds = allKinds();
  const index = new Map(kinds.map((kind, at) => [kind, at]));
  const size = bins.bin.reduce((most, bin) => Math.max(most, bin), 0) + 1;
  const kindOfFrame = frames.map((frame) => index.get(kindOf(frame)));
  for (let i = 0; i < bins.self.length; i++) {
    const frame = nodes.frame[bins.node[i]] - 1;
    if (frame < 0) continue;
    let bar = bars.get(bins.track[i]);
    if (!bar) bars.set(bins.track[i], (bar = { kinds, bins: 0, running: kinds.map(() => null), waiting: new Float32Array(size) }));
    const kind = kindOfFrame[frame], waited = waits(frames[frame]) ? bins.self[i] : Math.min(bins.away[i], bins.self[i]);
    bar.running[kind] = bar.running[kind] || new Float32Array(size);
    bar.running[kind][bins.bin[i]] += bins.self[i] - waited;
    bar.waiting[bins.bin[i]] += waited;
    bar.bins = Math.max(bar.bins, bins.bin[i] + 1);
  }
  return bars;
}

// Returns the processes with their tracks, in order. A few tracks are open at first.
export function makeTracks(run) {
  const { timeline } = run;
  const processes = [...timeline.processes].sort((a, b) => a.order - b.order || a.process - b.process);
  const tracks = [];
  for (const process of processes) {
    process.tracks = timeline.tracks.filter((track) => track.process === process.process && track.slices > 0);
    process.tracks.sort((a, b) => a.order - b.order || a.track - b.track);
    process.tasks = process.tracks.filter((track) => track.kind === "task");
    process.tracks = process.tracks.filter((track) => track.kind !== "task");
    process.counters = timeline.counters.filter((counter) => counter.process === process.process);
    for (const track of process.tasks) track.processName = process.name;
    for (const track of process.tracks) {
      track.processName = process.name;
      tracks.push(track);
    }
  }
  trim(run, tracks);
  let rows = 0;
  for (const track of tracks) {
    track.open = rows === 0 || rows + track.worth <= MOST_OPEN_ROWS;
    rows += track.open ? track.worth : 0;
  }
  return processes.filter((process) => process.tracks.length + process.tasks.length);
}

// Sets the number of a track's rows that are shown at first. Deeper rows are shown on request. They
// have less than a thousandth of the time, or leave no place for other tracks.
function trim(run, tracks) {
  const rows = run.timeline.levels[run.timeline.levels.length - 1].rows(), least = run.duration / 1000;
  const most = Math.max(3, Math.min(MOST_AT_FIRST, Math.floor(ALL_AT_FIRST / tracks.length)));
  for (const track of tracks) {
    track.worth = 0;
    for (let depth = 0; depth < track.rows; depth++) {
      const row = rows[track.firstRow + depth];
      let busy = 0;
      for (let i = 0; i < row.count; i++) busy += row.end[i] - row.begin[i] - row.gaps[i];
      if (busy >= least) track.worth = depth + 1;
    }
    track.worth = track.rows - track.worth < 3 ? track.rows : Math.max(1, track.worth);
    if (tracks.length > 1 && track.worth > most + 2) track.worth = most;
  }
}

// Returns the items { kind: "process", "counter", "lane", "row", "more", "tasks" or "task", y, label,
// height, … }, and the height of all. `counters` are those of the whole run. `label` is the part of
// an item's height that its name has above it: none if names have a place beside the items.
export function layOut(processes, counters, label) {
  const items = [];
  let y = 4;
  const add = (counter) => {
    items.push({ kind: "counter", y, label, height: label + COUNTER, counter });
    y += label + COUNTER;
  };
  counters.forEach(add);
  for (const process of processes) {
    items.push({ kind: "process", y, height: HEAD, process });
    y += HEAD;
    process.counters.forEach(add);
    for (const track of process.tracks) {
      const top = y;
      items.push({ kind: "lane", y, label, height: label + LANE, track, process });
      y += label + LANE + 2;
      const shown = track.open ? (track.whole ? track.rows : track.worth) : 0;
      for (let row = 0; row < shown; row++, y += ROW) items.push({ kind: "row", y, height: ROW, track, row: track.firstRow + row });
      if (shown && track.worth < track.rows) {
        items.push({ kind: "more", y, height: ROW, track });
        y += ROW;
      }
      y += GAP;
      track.top = top;
      track.bottom = y;
    }
    if (process.tasks.length) {
      items.push({ kind: "tasks", y, height: LANE, process });
      y += LANE;
      for (const track of process.tasksOpen ? process.tasks : []) {
        items.push({ kind: "task", y, label, height: label + ROW + 1, track, row: track.firstRow });
        track.top = y;
        y += label + ROW + 1;
        track.bottom = y;
      }
    }
    y += GAP;
  }
  return { items, height: y + 8 };
}

// Returns the index of the first box in a row that ends after a time.
export function firstAfter(row, ns) {
  let low = 0, high = row.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.end[middle] <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}
