// The tracks of the timeline in their order, each with its rows, and where they stand.
import { allKinds, kindOf, waits } from "./colours.js";

export const HEAD = 22; // of a process
export const LANE = 24; // what a track did, by bins of time
export const ROW = 17;
export const GAP = 6;
const MOST_OPEN_ROWS = 90;

// How much of each bin a track ran, by kind, and waited.
export function activities(run) {
  const { bins, frames, nodes } = run, bars = new Map(), kinds = allKinds();
  const index = new Map(kinds.map((kind, at) => [kind, at]));
  const kindOfFrame = frames.map((frame) => index.get(kindOf(frame)));
  for (let i = 0; i < bins.self.length; i++) {
    const frame = nodes.frame[bins.node[i]] - 1;
    if (frame < 0) continue;
    let bar = bars.get(bins.track[i]);
    if (!bar) bars.set(bins.track[i], (bar = { kinds, bins: 0, running: kinds.map(() => null), waiting: new Float64Array(1025) }));
    const kind = kindOfFrame[frame], waited = waits(frames[frame]) ? bins.self[i] : Math.min(bins.away[i], bins.self[i]);
    bar.running[kind] = bar.running[kind] || new Float64Array(1025);
    bar.running[kind][bins.bin[i]] += bins.self[i] - waited;
    bar.waiting[bins.bin[i]] += waited;
    bar.bins = Math.max(bar.bins, bins.bin[i] + 1);
  }
  return bars;
}

// Processes with their tracks, in order; a few tracks are open at first.
export function makeTracks(run) {
  const { timeline } = run;
  const processes = [...timeline.processes].sort((a, b) => a.order - b.order || a.process - b.process);
  const tracks = [];
  for (const process of processes) {
    process.tracks = timeline.tracks.filter((track) => track.process === process.process && track.slices > 0);
    process.tracks.sort((a, b) => a.order - b.order || a.track - b.track);
    for (const track of process.tracks) {
      track.processName = process.name;
      tracks.push(track);
    }
  }
  let rows = 0;
  for (const track of tracks) {
    track.open = rows === 0 || rows + track.rows <= MOST_OPEN_ROWS;
    rows += track.open ? Math.min(track.rows, 24) : 0;
  }
  return processes.filter((process) => process.tracks.length);
}

// What stands where: { kind: "process" | "lane" | "row", y, height, … }; and how high all of it is.
export function layOut(processes) {
  const items = [];
  let y = 4;
  for (const process of processes) {
    items.push({ kind: "process", y, height: HEAD, process });
    y += HEAD;
    for (const track of process.tracks) {
      const top = y;
      items.push({ kind: "lane", y, height: LANE, track, process });
      y += LANE + 2;
      for (let row = 0; track.open && row < track.rows; row++, y += ROW) items.push({ kind: "row", y, height: ROW, track, row: track.firstRow + row });
      y += GAP;
      track.top = top;
      track.bottom = y;
    }
    y += GAP;
  }
  return { items, height: y + 8 };
}

// The first box of a row that ends after a time.
export function firstAfter(row, ns) {
  let low = 0, high = row.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.end[middle] <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}
