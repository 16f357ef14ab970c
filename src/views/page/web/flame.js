// The flame graph of the selection, and the tables of a function's callers and callees.
import { css, frameColour, hatching, inkOf, isDark, kindName, kindOf, waits } from "./colours.js";
import { clean, el, link, name } from "./dom.js";
import { drawText } from "./draw.js";
import { count, instant, percent, place, time } from "./format.js";
import { filterModules, moduleField } from "./modules.js";
import { byFunction, invert, neighbours, selected } from "./profile.js";
import { choose, openSource, select, state, when } from "./state.js";
import { table } from "./table.js";

const ROW = 19;
const MOST_ROWS = 800; // the size of a canvas is limited
const MEASURES = {
  time: { title: "Time", of: (node) => node.total, text: time },
  waiting: { title: "Waiting", of: (node) => node.totalAway, text: time },
  calls: { title: "Calls", of: (node) => node.totalCalls, text: count },
};
let canvas, context, tip, tables, said, buttons = {}, measure = "time", upside = false;
let straight = null, tree = null, focus = null, boxes = [], width = 0;

function remake() {
  straight = selected();
  tree = upside ? invert(straight) : straight;
  focus = tree[0];
  say();
  paint();
  showTables();
}

function say() {
  const { tracks, from, to } = state.selection, parts = [];
  if (tracks) parts.push(...state.run.timeline.tracks.filter((track) => tracks.has(track.track)).map((track) => track.processName + ", " + track.name));
  if (from !== null) {
    const first = Math.max(0, Math.floor((from - state.run.binBegin) / state.run.binWidth)) * state.run.binWidth + state.run.binBegin;
    const last = Math.min(state.run.duration, (Math.floor((to - state.run.binBegin) / state.run.binWidth) + 1) * state.run.binWidth + state.run.binBegin);
    parts.push(instant(first, state.run.binWidth / 10) + " to " + instant(last, state.run.binWidth / 10));
  }
  said.replaceChildren(el("span", {}, parts.length ? "Selected: " + clean(parts.join("; "), 300) : "The whole run, all threads"),
    ...(parts.length ? [link("Clear", () => select({}))] : []),
    ...(state.module ? [el("span", {}, "Only functions of " + clean(state.module, 80) + ": " + time(straight[0].total - straight[0].self) + " of " + time(straight[0].total) + " with what they call"), link("All modules", () => filterModules(""))] : []), ...(focus && focus.frame !== null ? [link("Whole graph", () => look(tree[0]))] : []));
  for (const [key, button] of Object.entries(buttons)) button.setAttribute("aria-pressed", String(key === "upside" ? upside : key === measure));
}

function look(node) {
  focus = node;
  say();
  paint();
}

// Lays out boxes around the focus. Boxes above it have the whole width, and boxes beneath it have
// their share.
function layOut() {
  const of = MEASURES[measure].of, above = [];
  boxes = [];
  for (let at = focus; at; at = at.parent) above.unshift(at);
  above.forEach((node, depth) => boxes.push({ node, depth, left: 0, width }));
  const walk = [{ node: focus, depth: above.length, left: 0, width }];
  while (walk.length) {
    const at = walk.pop(), whole = of(at.node);
    let left = at.left;
    for (const child of [...at.node.list].sort((a, b) => of(b) - of(a))) {
      const wide = whole ? (of(child) / whole) * at.width : 0;
      if (wide < 0.4) break;
      const box = { node: child, depth: at.depth, left, width: wide };
      boxes.push(box);
      walk.push({ node: child, depth: at.depth + 1, left, width: wide });
      left += wide;
    }
  }
}

function paint() {
  width = canvas.parentElement.clientWidth;
  layOut();
  const depth = Math.min(MOST_ROWS, boxes.reduce((most, box) => Math.max(most, box.depth), 0) + 1), ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(depth * ROW * ratio);
  canvas.style.width = width + "px";
  canvas.style.height = depth * ROW + "px";
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = css("--surface");
  context.fillRect(0, 0, width, depth * ROW);
  context.font = "12px " + css("--font");
  context.textBaseline = "middle";
  const stripes = hatching(context), { frames } = state.run, all = MEASURES[measure].of(tree[0]);
  for (const { node, depth: at, left, width: wide } of boxes) {
    const frame = node.frame === null ? null : frames[node.frame], y = at * ROW;
    const hatched = frame && (waits(frame) || (node.total && node.totalAway / node.total > 0.6));
    const dimmed = state.frame !== null && node.frame !== state.frame;
    context.globalAlpha = (dimmed ? 0.35 : 1) * (hatched ? 0.6 : 1);
    context.fillStyle = frame ? frameColour(frame) : css("--line");
    context.fillRect(left, y, Math.max(0.5, wide - 0.7), ROW - 1.5);
    if (hatched) {
      context.fillStyle = stripes;
      context.fillRect(left, y, Math.max(0.5, wide - 0.7), ROW - 1.5);
    }
    context.globalAlpha = dimmed ? 0.75 : 1;
    const text = frame ? clean(frame.name, 160) + (wide > 240 ? "  " + MEASURES[measure].text(MEASURES[measure].of(node)) : "") : "all  " + MEASURES[measure].text(all);
    drawText(context, text, left + 5, y + ROW / 2 - 0.5, wide - 8, !frame ? css("--ink") : dimmed || hatched ? (isDark() ? "#e8eaee" : "#16181c") : inkOf(frame));
    context.globalAlpha = 1;
  }
}

function boxAt(event) {
  const bounds = canvas.getBoundingClientRect(), x = event.clientX - bounds.left, depth = Math.floor((event.clientY - bounds.top) / ROW);
  return boxes.find((box) => box.depth === depth && x >= box.left && x < box.left + box.width) || null;
}

function showTip(event) {
  const box = boxAt(event), bounds = canvas.parentElement.parentElement.getBoundingClientRect();
  tip.hidden = !box || box.node.frame === null;
  if (tip.hidden) return;
  const { node } = box, frame = state.run.frames[node.frame];
  tip.replaceChildren(el("b", {}, name(frame.name)), el("span", {}, time(node.total) + ", " + percent(node.total, tree[0].total) + " % · itself " + time(node.self)),
    el("span", {}, count(node.calls || node.totalCalls) + " calls" + (node.totalAway ? " · waiting " + time(node.totalAway) : "")),
    el("span", { class: "muted" }, kindName(kindOf(frame)) + (frame.file ? " · " + place(clean(frame.file), frame.line) : "")));
  tip.style.left = Math.max(4, Math.min(event.clientX - bounds.left + 14, bounds.width - tip.offsetWidth - 8)) + "px";
  tip.style.top = event.clientY - bounds.top + 16 + "px";
}

function frameCell(index) {
  if (index === null) return el("span", { class: "muted" }, "(outermost)");
  const frame = state.run.frames[index];
  return el("span", {}, el("i", { class: "dot", style: { "--colour": frameColour(frame) } }), link(name(frame.name), () => choose(index)));
}

function placeCell(index) {
  const frame = index === null ? null : state.run.frames[index];
  return frame && frame.file.startsWith("/") ? link(place(frame.file, frame.line), () => openSource(frame.file, frame.line), { class: "link place" }) : frame ? el("span", { class: "muted" }, kindName(kindOf(frame))) : "";
}

const frameColumn = (title) => ({ key: "frame", title, show: (row) => frameCell(row.frame), sort: (row) => (row.frame === null ? "" : state.run.frames[row.frame].name) });
const whereColumn = { key: "place", title: "Where", show: (row) => placeCell(row.frame), sort: (row) => (row.frame === null ? "" : state.run.frames[row.frame].file) };

function showTables() {
  const whole = straight[0].total, { frames } = state.run;
  if (state.frame === null) {
    const rows = byFunction(straight);
    tables.replaceChildren(el("h3", {}, "Functions in the selection"), table([
      frameColumn("Function"),
      { key: "self", title: "Itself", number: true, show: (row) => el("b", {}, time(row.self)) },
      { key: "share", title: "%", number: true, sort: (row) => row.self, show: (row) => percent(row.self, whole) },
      { key: "away", title: "Waiting", number: true, show: (row) => (row.away ? time(row.away) : "") },
      { key: "total", title: "With callees", number: true, show: (row) => time(row.total) },
      { key: "calls", title: "Calls", number: true, show: (row) => count(row.calls) },
      whereColumn,
    ], rows, { caption: "Functions in the selection", sort: "self", limit: 10 }));
    return;
  }
  const { callers, callees } = neighbours(straight, state.frame), frame = frames[state.frame];
  const row = byFunction(straight).find((of) => of.frame === state.frame) || { total: 0, self: 0, calls: 0 };
  const columns = (title) => [frameColumn(title), { key: "total", title: "Time", number: true, show: (of) => el("b", {}, time(of.total)) }, { key: "share", title: "%", number: true, sort: (of) => of.total, show: (of) => percent(of.total, row.total) },
    { key: "calls", title: "Calls", number: true, show: (of) => count(of.calls) }, whereColumn];
  tables.replaceChildren(el("h3", {}, name(frame.name), el("small", {}, time(row.total) + ", itself " + time(row.self) + ", " + count(row.calls) + " calls"), link("Close", () => choose(null)),
    frame.file.startsWith("/") && link("Source", () => openSource(frame.file, frame.line))),
  el("div", { class: "pair" }, el("div", {}, table(columns("Called by"), callers, { caption: "Callers", sort: "total", limit: 8 })), el("div", {}, table(columns("Calls"), callees, { caption: "Callees", sort: "total", limit: 8, empty: "It calls nothing that was recorded." }))));
}

export function showFlame(section) {
  canvas = el("canvas", { role: "img", "aria-label": "Flame graph of the selection; the table below has its numbers" });
  context = canvas.getContext("2d", { alpha: false });
  tip = el("div", { class: "tip", hidden: true });
  tables = el("div", {});
  said = el("p", { class: "said", "aria-live": "polite" });
  const toggle = (key, title, action) => (buttons[key] = el("button", { type: "button", "aria-pressed": "false", on: { click: action } }, title));
  section.append(el("div", { class: "head" }, el("h2", {}, "Flame graph"), el("div", { class: "buttons" }, moduleField(),
    Object.entries(MEASURES).map(([key, of]) => toggle(key, of.title, () => {
      measure = key;
      look(tree[0]);
    })), toggle("upside", "Inverted", () => {
      upside = !upside;
      tree = upside ? invert(straight) : straight;
      look(tree[0]);
    }))), said, el("div", { class: "frame" }, el("div", { class: "deep", tabindex: "0" }, canvas), tip), tables);
  canvas.addEventListener("click", (event) => {
    const box = boxAt(event);
    if (!box) return;
    look(box.node === focus && focus.parent ? focus.parent : box.node);
    choose(box.node.frame);
  });
  canvas.addEventListener("mousemove", showTip);
  canvas.addEventListener("mouseleave", () => (tip.hidden = true));
  window.addEventListener("resize", paint);
  when("select module", remake);
  when("theme", () => {
    paint();
    showTables();
  });
  when("function", () => {
    paint();
    showTables();
  });
  remake();
}
