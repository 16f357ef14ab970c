// The state of the page: the run, the selection, and the visible part of the time. Views receive
// changes by name: "select", "sight", "function", "module", "theme".

export const state = {
  run: null,
  selection: { tracks: null, from: null, to: null, node: null }, // null: all; node: of one slice
  sight: { from: 0, to: 1 },
  frame: null, // the chosen function
  module: "", // the text that functions' modules or files must have; modules.js changes it
  source: { file: null, line: 0 },
};

const listeners = new Map();

export function when(events, listener) {
  for (const event of events.split(" ")) listeners.set(event, [...(listeners.get(event) || []), listener]);
}

export function tell(event) {
  for (const listener of listeners.get(event) || []) listener();
}

export function select(selection) {
  state.selection = { tracks: null, from: null, to: null, node: null, ...selection };
  tell("select");
}

// Sets the visible time. It stays within the run, and has a least width in ns.
export function look(from, to) {
  const run = state.run, least = 20, whole = Math.max(run.duration, least);
  let width = Math.min(Math.max(to - from, least), whole * 1.02);
  let start = from + (to - from - width) / 2;
  start = Math.max(-whole * 0.01, Math.min(start, whole * 1.01 - width));
  if (state.sight.from === start && state.sight.to === start + width) return;
  state.sight = { from: start, to: start + width };
  tell("sight");
}

export function lookAtAll() {
  const margin = state.run.duration * 0.005;
  look(-margin, state.run.duration + margin);
}

export function choose(frame) {
  state.frame = frame;
  tell("function");
}

export function openSource(file, line) {
  state.source = { file, line: line || 0 };
  tell("source");
  document.getElementById("source").scrollIntoView({ block: "start" });
}

// ---- the address keeps the view: #sight=0~1000&time=5~10&tracks=1,2 ----

function toHash() {
  const { selection, sight, source } = state, parts = [], run = state.run;
  if (sight.from > 0 || sight.to < run.duration) parts.push("sight=" + Math.round(sight.from) + "~" + Math.round(sight.to));
  if (selection.from !== null) parts.push("time=" + Math.round(selection.from) + "~" + Math.round(selection.to));
  if (selection.tracks) parts.push("tracks=" + [...selection.tracks].join(","));
  if (state.frame !== null) parts.push("function=" + state.frame);
  if (state.module) parts.push("module=" + encodeURIComponent(state.module));
  if (source.file) parts.push("source=" + encodeURIComponent(source.file) + ":" + source.line);
  return parts.length ? "#" + parts.join("&") : "";
}

let waiting = 0;

function keepLink() {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    try {
      history.replaceState(null, "", toHash() || location.pathname + location.search);
    } catch {
      // The page is in a frame without an address.
    }
  }, 250);
}

function readPair(text) {
  const pair = (text || "").split("~").map(Number);
  return pair.length === 2 && pair.every(Number.isFinite) && pair[0] < pair[1] ? pair : null;
}

function decoded(text) {
  try {
    return decodeURIComponent(text || "");
  } catch {
    return ""; // the link was cut
  }
}

// Makes the view of the address. Returns the filter of modules, for modules.js.
export function fromHash() {
  const values = Object.fromEntries(location.hash.slice(1).split("&").map((part) => part.split("=")));
  const sight = readPair(values.sight), time = readPair(values.time);
  const known = new Set(state.run.timeline.tracks.map((track) => track.track));
  const tracks = (values.tracks || "").split(",").map(Number).filter((track) => values.tracks && known.has(track));
  if (sight) look(sight[0], sight[1]);
  if (time || tracks.length)
    select({ tracks: tracks.length ? new Set(tracks) : null, from: time ? time[0] : null, to: time ? time[1] : null });
  const frame = Number(values.function);
  if (values.function && state.run.frames[frame]) choose(frame);
  const source = /^(.*):(\d+)$/.exec(decoded(values.source));
  if (source) {
    state.source = { file: source[1], line: Number(source[2]) };
    tell("source");
  }
  when("sight select function module source", keepLink);
  return decoded(values.module);
}
