// The timeline: tracks over time, with zooming, moving and selecting.
import { arrowKinds, arrowsOf } from "./arrows.js";
import { allKinds, kindColour, kindName, kindOf, waits } from "./colours.js";
import { nameOf, prepare, valueAt } from "./counters.js";
import { clean, el, link, name } from "./dom.js";
import { draw } from "./draw.js";
import { count, instant, place, size, time } from "./format.js";
import { filterModules } from "./modules.js";
import { choose, look, lookAtAll, openSource, select, state, when } from "./state.js";
import { AXIS, LABEL, activities, firstAfter, layOut, makeTracks } from "./tracks.js";

const view = { items: [], scroll: 0, ratio: 1, width: 0, height: 0, gutter: 0, label: 0, picked: null, dragged: null, mouse: null };
const NARROW = 560; // a narrower timeline has no place for names beside its tracks
let canvas, scroller, spacer, tip, detail, legend, filter, processes, asked = false;

function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw(view);
  });
}

// Returns the processes and tracks whose names contain the filter's text. A matching process keeps
// all its tracks.
function matching() {
  const wanted = (filter ? filter.value : "").trim().toLowerCase(), has = (text) => String(text || "").toLowerCase().includes(wanted);
  if (!wanted) return processes;
  return processes.map((process) => (has(process.name) || has(process.host) ? process :
    { ...process, counters: process.counters.filter((counter) => has(nameOf(counter))), tracks: process.tracks.filter((track) => has(track.name)), tasks: process.tasks.filter((track) => has(track.name)), tasksOpen: true }))
    .filter((process) => process.tracks.length + process.tasks.length);
}

function measure() {
  const width = scroller.clientWidth, most = Math.max(220, Math.round(window.innerHeight * 0.62));
  view.label = width < NARROW ? LABEL : 0;
  const laid = layOut(matching(), state.run.timeline.counters.filter((counter) => counter.process === undefined), view.label), height = Math.min(most, Math.max(laid.height, 60) + AXIS);
  view.items = laid.items;
  view.byTrack = new Map();
  for (const item of laid.items) {
    if (!item.track) continue;
    if (!view.byTrack.has(item.track.track)) view.byTrack.set(item.track.track, []);
    view.byTrack.get(item.track.track).push(item);
  }
  view.ratio = window.devicePixelRatio || 1;
  view.width = width;
  view.height = height;
  view.gutter = view.label ? 24 : 172;
  canvas.width = Math.round(width * view.ratio);
  canvas.height = Math.round(height * view.ratio);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  scroller.style.height = height + "px";
  spacer.style.height = laid.height + AXIS + "px";
  view.scroll = scroller.scrollTop;
  view.stripes = null;
  redraw();
}

function timeAt(px) {
  const { from, to } = state.sight;
  return from + ((px - view.gutter) / (view.width - view.gutter)) * (to - from);
}

// Zooms around a time: by default the mouse's, or the middle if it is elsewhere.
export function zoom(factor, at) {
  const { from, to } = state.sight, middle = at !== undefined ? at : view.mouse !== null ? timeAt(view.mouse) : (from + to) / 2;
  look(middle - (middle - from) * factor, middle + (to - middle) * factor);
}

export function move(part) {
  const { from, to } = state.sight;
  look(from + (to - from) * part, to + (to - from) * part);
}

function itemAt(y) {
  const at = y - AXIS + view.scroll;
  return y < AXIS ? null : view.items.find((item) => at >= item.y && at < item.y + item.height) || null;
}

// Returns the finest box at a place, or null.
function boxAt(px, y) {
  const item = itemAt(y);
  if (!item || (item.kind !== "row" && item.kind !== "task") || px < view.gutter) return null;
  const row = state.run.timeline.levels[0].rows()[item.row], at = timeAt(px), slack = (state.sight.to - state.sight.from) / (view.width - view.gutter);
  for (let i = firstAfter(row, at - slack); i < row.count && row.begin[i] <= at + slack; i++)
    if (row.end[i] >= at - slack) return { item, index: i, begin: row.begin[i], end: row.end[i], node: row.node[i], slices: row.slices[i], gaps: row.gaps[i], waiting: row.waiting[i] / 64 };
  return null;
}

function frameOfNode(node) {
  return state.run.frames[state.run.nodes.frame[node] - 1];
}

function describe(box) {
  const frame = frameOfNode(box.node), busy = box.end - box.begin - box.gaps, lines = [];
  lines.push(el("b", {}, name(frame.name)));
  lines.push(el("span", {}, box.slices > 1 ? count(box.slices) + " slices in " + time(box.end - box.begin) + ", mostly of this" : time(busy), " · at ", instant(box.begin, Math.max(1, (box.end - box.begin) / 10))));
  if (box.waiting && !waits(frame)) lines.push(el("span", {}, "waiting " + time(box.waiting * busy) + " of its own time"));
  lines.push(el("span", { class: "muted" }, kindName(kindOf(frame)) + (frame.file ? " · " + place(clean(frame.file), frame.line) : "")));
  return lines;
}

// Returns the lines about the box or the counter at a place.
function linesAt(px, y) {
  const item = itemAt(y), box = boxAt(px, y);
  if (!item || item.kind !== "counter" || px < view.gutter) return box && describe(box);
  return [el("b", {}, name(nameOf(item.counter))), el("span", {}, valueAt(item.counter, timeAt(px)) + " at ", instant(timeAt(px), (state.sight.to - state.sight.from) / 1000))];
}

function showTip(lines, event) {
  if (!lines) {
    tip.hidden = true;
    return;
  }
  tip.replaceChildren(...lines);
  tip.hidden = false;
  const bounds = scroller.parentElement.getBoundingClientRect();
  const left = event.clientX - bounds.left + 14, top = event.clientY - bounds.top + 16;
  tip.style.left = Math.max(4, Math.min(left, bounds.width - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.min(top, bounds.height - tip.offsetHeight - 4) + "px";
}

function showDetail(box) {
  if (!box) {
    detail.replaceChildren(el("span", { class: "muted" }, "Click a box for what it is; drag to select a time; the flame graph below shows what ran in it."));
    return;
  }
  const frame = frameOfNode(box.node);
  detail.replaceChildren(...describe(box), el("span", { class: "actions" },
    link("Zoom to it", () => look(box.begin - (box.end - box.begin) * 0.1, box.end + (box.end - box.begin) * 0.1)),
    link("All of its calls", () => choose(frame.same)),
    frame.file.startsWith("/") && link("Source", () => openSource(frame.file, frame.line))), ...arrowsOf(box.item.track.track, box.begin, box.end).map(otherEnd));
}

// Shows the other end of an arrow, with a link to it.
function otherEnd({ text, bytes, track, ns, other }) {
  const of = state.run.timeline.tracks[track], frame = other && frameOfNode(other.row.node[other.index]);
  return el("span", {}, text + " ", link(clean((frame ? frame.name + ", " : "") + (of.name || ""), 120), () => {
    const begin = other ? other.row.begin[other.index] : ns, end = other ? other.row.end[other.index] : ns, width = Math.min(state.sight.to - state.sight.from, Math.max(1000, (end - begin) * 3));
    look(ns - width / 2, ns + width / 2);
    show(track);
  }), " at ", instant(ns, Math.max(1, (state.sight.to - state.sight.from) / 1000)), bytes ? ", " + size(bytes) : "");
}

// Opens a track, and scrolls to it.
function show(number) {
  const track = state.run.timeline.tracks[number];
  if (track.kind !== "task") track.open = true;
  measure();
  const item = (view.byTrack.get(number) || [])[0];
  if (item) scroller.scrollTop = item.y - 8;
}

function pick(box) {
  view.picked = box;
  showDetail(box);
  redraw();
}

// ---- pointers: dragging selects; with Shift, the middle button or a finger it moves; two fingers
// zoom ----

const pointers = new Map();
let start = null, pinch = null;

function local(event) {
  const bounds = canvas.getBoundingClientRect();
  return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
}

function onDown(event) {
  const at = local(event);
  pointers.set(event.pointerId, at);
  if (event.button === 1 || pointers.size > 2) event.preventDefault();
  canvas.setPointerCapture(event.pointerId);
  if (pointers.size === 2) {
    const [a, b] = [...pointers.values()];
    pinch = { left: timeAt(Math.min(a.x, b.x)), right: timeAt(Math.max(a.x, b.x)) };
    start = null;
    return;
  }
  const moves = event.shiftKey || event.button === 1 || event.pointerType === "touch";
  start = { ...at, time: timeAt(at.x), moves, sight: { ...state.sight }, far: false };
}

function onMove(event) {
  const at = local(event);
  view.mouse = event.pointerType === "mouse" && at.x >= view.gutter ? at.x : null;
  if (!pointers.has(event.pointerId)) {
    showTip(linesAt(at.x, at.y), event);
    canvas.style.cursor = at.x < view.gutter ? "pointer" : "crosshair";
    return;
  }
  pointers.set(event.pointerId, at);
  if (pinch && pointers.size === 2) {
    const [a, b] = [...pointers.values()], left = Math.min(a.x, b.x) - view.gutter, right = Math.max(a.x, b.x) - view.gutter;
    const ns = (pinch.right - pinch.left) / Math.max(8, right - left), from = pinch.left - left * ns;
    look(from, from + ns * (view.width - view.gutter));
    return;
  }
  if (!start) return;
  start.far = start.far || Math.abs(at.x - start.x) > 4;
  if (!start.far) return;
  tip.hidden = true;
  if (start.moves) {
    const by = ((start.x - at.x) / (view.width - view.gutter)) * (start.sight.to - start.sight.from);
    look(start.sight.from + by, start.sight.to + by);
  } else if (start.x >= view.gutter) {
    const now = timeAt(at.x);
    view.dragged = { from: Math.min(start.time, now), to: Math.max(start.time, now) };
    redraw();
  }
}

function onUp(event) {
  const at = local(event);
  pointers.delete(event.pointerId);
  if (pinch) {
    if (!pointers.size) pinch = null;
    start = null;
    return;
  }
  if (!start) return;
  if (view.dragged) {
    const { from, to } = view.dragged, item = itemAt(start.y), other = itemAt(at.y);
    view.dragged = null;
    const one = item && other && item.track && item.track === other.track;
    select({ from: Math.max(0, from), to: Math.min(state.run.duration, to), tracks: one ? new Set([item.track.track]) : null });
  } else if (!start.far) {
    click(at);
  }
  start = null;
}

function click(at) {
  const item = itemAt(at.y);
  if (item && item.kind === "more") {
    item.track.whole = !item.track.whole;
    measure();
    return;
  }
  if (item && item.kind === "tasks") {
    item.process.tasksOpen = !item.process.tasksOpen;
    measure();
    return;
  }
  const onName = item && (at.x < view.gutter || at.y - AXIS + view.scroll < item.y + (item.label || 0));
  if (onName && item.track) {
    if (at.x < 20 && item.kind !== "task") {
      item.track.open = !item.track.open;
      measure();
    } else {
      const only = state.selection.tracks && state.selection.tracks.has(item.track.track) && state.selection.tracks.size === 1;
      select({ ...state.selection, tracks: only ? null : new Set([item.track.track]) });
    }
    return;
  }
  pick(boxAt(at.x, at.y));
}

function onWheel(event) {
  const at = local(event);
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), timeAt(Math.max(at.x, view.gutter)));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    move(((event.deltaX || event.deltaY) / (view.width - view.gutter)) * 1.2);
  }
}

// Shows the meaning of the colours that the run has.
function showLegend() {
  const used = new Set(state.run.frames.map(kindOf));
  legend.replaceChildren(...allKinds().filter((kind) => used.has(kind) || kind === "wait").map((kind) =>
    el("li", {}, el("i", { class: kind === "wait" ? "waits" : "", style: { "--colour": kindColour(kind) } }), kind === "wait" ? "Waiting, or no processor" : kindName(kind))),
  ...arrowKinds(state.run).map((kind) => el("li", {}, el("b", { "aria-hidden": "true" }, kind.sign), kind.name)));
}

export function zoomToSelection() {
  const { from, to } = state.selection, picked = view.picked;
  if (from !== null) look(from, to);
  else if (picked) look(picked.begin - (picked.end - picked.begin) * 0.1, picked.end + (picked.end - picked.begin) * 0.1);
}

export function clearSelection() {
  pick(null);
  select({});
  choose(null);
  if (state.module) filterModules("");
}

function setOpen(open) {
  for (const process of processes) for (const track of process.tracks) track.open = open;
  measure();
}

export function showTimeline(section) {
  prepare(state.run.timeline.counters);
  processes = makeTracks(state.run);
  view.activity = activities(state.run);
  canvas = el("canvas", { role: "img", "aria-label": "Timeline of " + processes.length + " processes; the tables below have its numbers" });
  view.context = canvas.getContext("2d", { alpha: false });
  view.canvas = canvas;
  spacer = el("div", { class: "spacer" }, canvas);
  scroller = el("div", { class: "scroller", tabindex: "0", on: { scroll: () => {
    view.scroll = scroller.scrollTop;
    redraw();
  } } }, spacer);
  tip = el("div", { class: "tip", hidden: true });
  detail = el("div", { class: "detail", "aria-live": "polite" });
  const button = (text, title, action) => el("button", { type: "button", title, "aria-label": title, on: { click: action } }, text);
  const many = processes.reduce((sum, process) => sum + process.tracks.length + process.tasks.length, 0) > 6;
  filter = many && el("input", { type: "search", placeholder: "Only tracks with …", "aria-label": "Only tracks with a name", on: { input: measure, keydown: (event) => event.stopPropagation() } });
  const finest = state.run.timeline.levels[0].resolution_ns;
  section.append(el("div", { class: "head" }, el("h2", {}, "Timeline", finest ? el("small", {}, "what is shorter than " + time(finest) + " stands together") : null),
    el("div", { class: "buttons" }, filter, button("−", "Zoom out (S)", () => zoom(1.6)), button("+", "Zoom in (W)", () => zoom(0.625)), button("All", "The whole run (0)", lookAtAll),
      button("Selection", "Zoom to the selection (F)", zoomToSelection), button("Open", "Open all tracks", () => setOpen(true)), button("Close", "Close all tracks", () => setOpen(false)))),
  el("div", { class: "frame" }, scroller, tip), detail, legend = el("ul", { class: "legend kinds" }));
  canvas.addEventListener("pointerdown", onDown);
  canvas.addEventListener("pointermove", onMove);
  canvas.addEventListener("pointerup", onUp);
  canvas.addEventListener("pointercancel", onUp);
  canvas.addEventListener("pointerleave", () => {
    tip.hidden = true;
    view.mouse = null;
  });
  canvas.addEventListener("dblclick", (event) => {
    const at = local(event), box = boxAt(at.x, at.y);
    if (box) look(box.begin - (box.end - box.begin) * 0.1, box.end + (box.end - box.begin) * 0.1);
  });
  canvas.addEventListener("wheel", onWheel, { passive: false });
  window.addEventListener("resize", measure);
  when("sight select function module", redraw);
  when("theme", () => {
    view.stripes = null;
    showLegend();
    redraw();
  });
  showLegend();
  showDetail(null);
  lookAtAll();
  measure();
}
