// Merges two runs, for views that show them together. The second run begins at the same time, and
// stands below the first.
import { fileName } from "./format.js";

function concat(a, b, Type, change = (value) => value) {
  const both = new Type(a.length + b.length);
  both.set(a);
  for (let i = 0; i < b.length; i++) both[a.length + i] = change(b[i]);
  return both;
}

// Functions with equal names, in files with equal names, are one function.
function mergeFrames(a, b) {
  const known = new Map(), key = (frame) => frame.name + "\n" + fileName(frame.file) + "\n" + frame.category;
  a.frames.forEach((frame, index) => {
    if (!known.has(key(frame))) known.set(key(frame), index);
    frame.same = known.get(key(frame));
  });
  const frames = [...a.frames];
  for (const frame of b.frames) {
    if (!known.has(key(frame))) known.set(key(frame), frames.length);
    frames.push({ ...frame, same: known.get(key(frame)) });
  }
  return frames;
}

function mergeNodes(a, b) {
  const roots = a.nodes.root.reduce((most, root) => Math.max(most, Math.floor(root / 2)), 0) + 1;
  return { roots, nodes: { count: a.nodes.count + b.nodes.count,
    parent: concat(a.nodes.parent, b.nodes.parent, Uint32Array, (of) => (of ? of + a.nodes.count : 0)),
    frame: concat(a.nodes.frame, b.nodes.frame, Uint32Array, (of) => (of ? of + a.frames.length : 0)),
    line: concat(a.nodes.line, b.nodes.line, Uint32Array),
    root: concat(a.nodes.root, b.nodes.root, Float64Array, (of) => of + 2 * roots),
    calls: concat(a.nodes.calls, b.nodes.calls, Float64Array), self: concat(a.nodes.self, b.nodes.self, Float64Array) } };
}

// Makes bins with the larger width of both.
function mergeBins(a, b, trackCount) {
  const binWidth = Math.max(a.binWidth, b.binWidth, 1), binBegin = Math.min(a.binBegin, b.binBegin);
  const move = (run) => run.bins.bin.map((bin) => Math.floor((run.binBegin + bin * run.binWidth - binBegin) / binWidth));
  return { binWidth, binBegin, bins: { track: concat(a.bins.track, b.bins.track, Uint32Array, (of) => of + trackCount),
    node: concat(a.bins.node, b.bins.node, Uint32Array, (of) => of + a.nodes.count), bin: concat(move(a), move(b), Uint16Array),
    calls: concat(a.bins.calls, b.bins.calls, Float64Array), self: concat(a.bins.self, b.bins.self, Float64Array),
    away: concat(a.bins.away, b.bins.away, Float64Array) } };
}

function mergeTimelines(a, b, roots, nodeCount) {
  const rows = a.timeline.tracks.reduce((sum, track) => sum + track.rows, 0), count = a.timeline.tracks.length;
  const tracks = [...a.timeline.tracks, ...b.timeline.tracks.map((track) => ({ ...track, track: track.track + count, firstRow: track.firstRow + rows,
    process: track.process === undefined ? undefined : track.process + 1e6, root: track.root === undefined ? undefined : track.root + roots }))];
  const named = (process, side) => ({ ...process, name: side + " · " + process.name });
  const processes = [...a.timeline.processes.map((process) => named(process, "A")),
    ...b.timeline.processes.map((process) => named({ ...process, process: process.process + 1e6, order: process.order + 2 ** 32 }, "B"))];
  const finest = (run, resolution) => run.timeline.levels.filter((level) => level.resolution_ns <= resolution).pop() || run.timeline.levels[0];
  const resolutions = [...new Set([...a.timeline.levels, ...b.timeline.levels].map((level) => level.resolution_ns))].sort((x, y) => x - y);
  const levels = resolutions.map((resolution) => {
    let both = null;
    return { resolution_ns: resolution, rows: () => (both = both || [...finest(a, resolution).rows(), ...finest(b, resolution).rows().map((row) =>
      ({ ...row, node: row.node.map((node) => node + nodeCount) }))]) };
  });
  const marks = [...a.timeline.marks, ...b.timeline.marks.map(([text, track, ns]) => [text, track + count, ns])];
  const sided = (run, side, by) => run.timeline.counters.map((counter) => (counter.process === undefined ? { ...counter, name: side + " · " + counter.kind } :
    { ...counter, process: counter.process + by }));
  return { tracks, processes, levels, marks, counters: [...sided(a, "A", 0), ...sided(b, "B", 1e6)] };
}

function mergeFlows(a, b, trackCount) {
  const all = [...Array(a.flows.count).keys()].map((i) => [a.flows, i, 0]).concat([...Array(b.flows.count).keys()].map((i) => [b.flows, i, trackCount]));
  all.sort((x, y) => x[0].from[x[1]] - y[0].from[y[1]]);
  const column = (name, moved) => Float64Array.from(all, ([flows, i, by]) => flows[name][i] + (moved ? by : 0));
  return { count: all.length, all: a.flows.all + b.flows.all, from: column("from"), to: column("to"), leaves: column("leaves", true),
    arrives: column("arrives", true), kind: column("kind"), bytes: column("bytes") };
}

export function merge(a, b) {
  const count = a.timeline.tracks.length, { nodes, roots } = mergeNodes(a, b);
  const categories = [...new Map([...a.categories, ...b.categories])];
  return { ...b, frames: mergeFrames(a, b), nodes, categories, ...mergeBins(a, b, count), timeline: mergeTimelines(a, b, roots, a.nodes.count),
    flows: mergeFlows(a, b, count), duration: Math.max(a.duration, b.duration), merged: a.merged + b.merged,
    sides: [a, b].map((run, side) => ({ run, tracks: new Set(run.timeline.tracks.map((track) => track.track + side * count)) })) };
}
