// Reads the page's data; docs/page.md describes it.

import { setModules } from "./modules.js";

const KNOWN_VERSION = 1;

async function inflate(bytes) {
  if (typeof DecompressionStream === "undefined")
    throw new Error("This browser is too old to open the page: it has no DecompressionStream (Chrome 80, Firefox 113, Safari 16.4 and later have it).");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function part(id) {
  const element = document.getElementById("pinsight-" + id);
  if (!element) throw new Error("The page is not whole: its part “" + id + "” is missing.");
  const bytes = fromBase64(element.textContent);
  element.remove(); // frees the text, which is not needed any more
  return inflate(bytes);
}

// Reads numbers of 7 bits a byte, one after the other.
class Numbers {
  constructor(bytes, offset) {
    this.bytes = bytes;
    this.at = offset;
  }

  next() {
    let number = 0, scale = 1, byte;
    do {
      byte = this.bytes[this.at++];
      number += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return number;
  }

  difference() {
    const number = this.next();
    return number % 2 ? -(number + 1) / 2 : number / 2;
  }

  column(count, Type) {
    const column = new Type(count);
    for (let i = 0; i < count; i++) column[i] = this.next();
    return column;
  }
}

// Reads the boxes of a level row by row, as columns of numbers.
function readLevel(bytes, level, rowCount) {
  const numbers = new Numbers(bytes, level.offset), rows = [];
  for (let r = 0; r < rowCount; r++) {
    const count = numbers.next();
    const row = { count, begin: new Float64Array(count), end: new Float64Array(count), node: new Uint32Array(count) };
    let node = 0, at = 0;
    for (let i = 0; i < count; i++) row.begin[i] = numbers.difference(); // from the previous end
    for (let i = 0; i < count; i++) {
      row.begin[i] += at;
      at = row.end[i] = row.begin[i] + numbers.next();
    }
    for (let i = 0; i < count; i++) row.node[i] = node += numbers.difference();
    row.slices = numbers.column(count, Uint32Array);
    row.gaps = numbers.column(count, Float64Array);
    row.waiting = numbers.column(count, Uint8Array);
    rows.push(row);
  }
  return rows;
}

function readBins(bytes, bins) {
  const numbers = new Numbers(bytes, bins.offset), count = bins.entries;
  const read = { track: new Uint32Array(count), node: new Uint32Array(count), bin: new Uint16Array(count),
    calls: new Float64Array(count), self: new Float64Array(count), away: new Float64Array(count) };
  for (let i = 0; i < count;) {
    const track = numbers.next(), node = numbers.next(), end = i + numbers.next();
    for (let bin = 0; i < end; i++) {
      read.track[i] = track;
      read.node[i] = node;
      read.bin[i] = bin += numbers.next();
      read.calls[i] = numbers.next();
      read.self[i] = numbers.next();
      read.away[i] = numbers.next();
    }
  }
  return read;
}

// Reads the flows, sorted by their begin.
function readFlows(bytes, flows) {
  const numbers = new Numbers(bytes, flows.offset), count = flows.flows;
  const read = { count, all: flows.all, from: new Float64Array(count), to: new Float64Array(count) };
  for (let i = 0, at = 0; i < count; i++) read.from[i] = at += numbers.difference();
  for (let i = 0; i < count; i++) read.to[i] = read.from[i] + numbers.difference();
  for (const column of ["leaves", "arrives", "kind", "bytes"]) read[column] = numbers.column(count, Float64Array);
  return read;
}

// Reads the times of counters. A point has the least, the greatest and the last of its values.
function readCounters(bytes, counters) {
  for (const counter of counters) {
    const numbers = new Numbers(bytes, counter.offset);
    counter.count = counter.last.length;
    counter.at = new Float64Array(counter.count);
    for (let i = 0, ns = 0; i < counter.count; i++) counter.at[i] = ns += numbers.difference();
    counter.least = counter.least || counter.last;
    counter.most = counter.most || counter.last;
  }
}

function readNodes(bytes, contexts) {
  const numbers = new Numbers(bytes, contexts.offset), count = contexts.nodes;
  return { count, parent: numbers.column(count, Uint32Array), frame: numbers.column(count, Uint32Array),
    line: numbers.column(count, Uint32Array), root: numbers.column(count, Float64Array),
    calls: numbers.column(count, Float64Array), self: numbers.column(count, Float64Array) };
}

// Returns the comparison of `pinsight diff` in a page of two runs, else null.
export async function readDiff() {
  return document.getElementById("pinsight-diff") ? JSON.parse(new TextDecoder().decode(await part("diff"))) : null;
}

// Reads everything of a run, from the parts whose ids have the suffix. Levels of detail are read
// when they are needed first.
export async function readRun(suffix = "") {
  const [report, index, bytes] = await Promise.all(["report", "index", "numbers"].map((name) => part(name + suffix)));
  const decoder = new TextDecoder();
  const { report: tables, sections } = JSON.parse(decoder.decode(report));
  const run = JSON.parse(decoder.decode(index));
  if (run.page_version > KNOWN_VERSION) throw new Error("The page's data has a version that the page does not know.");
  const { contexts, timeline } = run;
  const frames = contexts.frames.map(([name, file, line, category, users, same]) => ({
    name, file: contexts.files[file], line, category, users: users === 1, same }));
  setModules(frames, tables.functions);
  let row = 0;
  for (const track of timeline.tracks) {
    track.firstRow = row;
    row += track.rows;
  }
  for (const level of timeline.levels) {
    let rows = null;
    level.rows = () => (rows = rows || readLevel(bytes, level, row));
  }
  readCounters(bytes, timeline.counters);
  timeline.levels.sort((a, b) => a.resolution_ns - b.resolution_ns);
  return { report: tables, sections, version: run.pinsight_version, command: run.command, region: run.region, exitStatus: run.exit_status, signal: run.signal, sources: run.sources,
    categories: contexts.categories, frames, nodes: readNodes(bytes, contexts), merged: contexts.merged, timeline, bins: readBins(bytes, timeline.bins), flows: readFlows(bytes, timeline.flows),
    binWidth: timeline.bins.width_ns, binBegin: timeline.bins.begin_ns, duration: timeline.end_ns - timeline.begin_ns };
}
