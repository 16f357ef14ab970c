// Two runs: the changes of `pinsight diff`, and a flame graph of the differences.
import { css } from "./colours.js";
import { clean, el, link, name } from "./dom.js";
import { drawText } from "./draw.js";
import { count, place, time } from "./format.js";
import { profile } from "./profile.js";
import { choose, openSource, state, when } from "./state.js";
import { table } from "./table.js";
import { commandOf, frameOf } from "./answer.js";

const VERDICTS = { more: "slower", less: "faster", new: "new", gone: "gone", unclear: "not clear", same: "the same" };

function signed(ns) {
  return (ns < 0 ? "−" : "+") + time(Math.abs(ns));
}

function percentOf(value) {
  if (value >= 1000) return "× " + count(Math.round(value / 100 + 1)); // as the report has it
  return value === null || value === undefined ? "" : (value < 0 ? "−" : "+") + Math.abs(value).toFixed(1) + " %";
}

function sides(diff) {
  return el("div", { class: "pair" }, ["a", "b"].map((side, at) => el("div", {}, el("h3", {}, side.toUpperCase() + (at ? " — after" : " — before"), el("small", {}, diff[side].length + (diff[side].length === 1 ? " run" : " runs"))),
    el("p", { class: "command" }, clean(commandOf(state.run.sides[at].run), 300)), el("p", { class: "muted" }, clean(diff[side].map((run) => run.path).join(", "), 600) + " · " + time(diff[side][0].duration_ns)))));
}

// Returns the side of a row: B, or A if B lacks the row.
function sideOf(row) {
  return row.b && row.b.runs ? row.b : row.a;
}

function lookAt(row) {
  const side = sideOf(row), frame = frameOf(state.run, row.name, side.file, 0);
  if (frame !== null) choose(frame);
  document.getElementById("flame").scrollIntoView({ block: "start" });
}

function changesTable(diff) {
  const rows = diff.rows.filter((row) => row.self_ns.change).slice(0, 2000);
  const certain = rows.filter((row) => row.verdict !== "same");
  const side = (row, which) => (row.self_ns[which] ? time(row.self_ns[which].median) : "");
  return table([
    { key: "name", title: "Function", show: (row) => link(name(row.name), () => lookAt(row)) },
    { key: "change", title: "Change", number: true, sort: (row) => Math.abs(row.self_ns.change), show: (row) => el("b", { class: row.self_ns.change > 0 ? "slower" : "faster" }, signed(row.self_ns.change)) },
    { key: "percent", title: "%", number: true, sort: (row) => row.self_ns.change_percent || 0, show: (row) => percentOf(row.self_ns.change_percent) },
    { key: "verdict", title: "Verdict", show: (row) => VERDICTS[row.verdict] || row.verdict },
    { key: "a", title: "A", number: true, sort: (row) => (row.self_ns.a ? row.self_ns.a.median : 0), show: (row) => side(row, "a") },
    { key: "b", title: "B", number: true, sort: (row) => (row.self_ns.b ? row.self_ns.b.median : 0), show: (row) => side(row, "b") },
    { key: "place", title: "Where", sort: (row) => sideOf(row).file || "", show: (row) => {
      const of = sideOf(row);
      return of.file ? link(place(of.file, of.line), () => openSource(of.file, of.line), { class: "link place" }) : "";
    } },
  ], certain.length ? certain : rows, { caption: "Changes of own time", sort: "change", limit: 12, empty: "Nothing differs." });
}

// Without a known noise no change is certain: the runs' durations are all that there is.
function headline(diff) {
  if (!diff.noise_known) return diff.changes + diff.waiting_changes ? "A took " + time(diff.a[0].duration_ns) + ", B " + time(diff.b[0].duration_ns) : "No difference that is worth a look";
  if (!diff.changes) return "No change beyond noise";
  return "B takes " + time(Math.abs(diff.change_ns)) + (diff.change_ns >= 0 ? " more" : " less") + (diff.change_percent === null ? "" : " (" + percentOf(diff.change_percent) + ")");
}

export function showChanges(section) {
  const { diff } = state.run;
  section.append(el("h1", {}, headline(diff)),
    sides(diff), diff.notes.length ? el("ul", { class: "muted" }, diff.notes.map((note) => el("li", {}, clean(typeof note === "string" ? note : JSON.stringify(note), 600)))) : "",
    el("div", { class: "block" }, el("h2", {}, "What changed", el("small", {}, "own time, of all runs")), changesTable(diff)));
}

// ---- the flame graph of differences ----

const ROW = 19;
let canvas, context, tip, boxes = [], tree, focus;

// Returns both profiles as one tree of { frame, parent, list, a, b }.
function both() {
  const profiles = state.run.sides.map((side) => profile(state.run, { tracks: new Set([...side.tracks].filter((track) => isThread(track))), from: null, to: null })[0]);
  const root = { frame: null, parent: null, list: [], a: profiles[0].total, b: profiles[1].total }, walk = [[root, profiles[0], profiles[1]]];
  while (walk.length) {
    const [to, a, b] = walk.pop(), children = new Map();
    for (const child of a ? a.list : []) children.set(child.frame, [child, null]);
    for (const child of b ? b.list : []) children.set(child.frame, [(children.get(child.frame) || [null])[0], child]);
    for (const [frame, [left, right]] of children) {
      const node = { frame, parent: to, list: [], a: left ? left.total : 0, b: right ? right.total : 0 };
      to.list.push(node);
      walk.push([node, left, right]);
    }
  }
  return root;
}

function isThread(track) {
  return state.run.timeline.tracks[track].kind === "thread";
}

function wide(node) {
  return Math.max(node.a, node.b);
}

// Returns red for a slower node in B, and blue for a faster one. The strength is the difference's
// share of the whole.
function colourOf(node) {
  const change = (node.b - node.a) / Math.max(1, wide(tree)), strength = Math.min(1, Math.sqrt(Math.abs(change) * 4));
  if (Math.abs(change) < 0.001) return css("--line");
  return `color-mix(in srgb, ${change > 0 ? css("--slower") : css("--faster")} ${Math.round(20 + strength * 80)}%, ${css("--line")})`;
}

function paint() {
  const width = canvas.parentElement.clientWidth, above = [], walk = [], ratio = window.devicePixelRatio || 1;
  boxes = [];
  for (let at = focus; at; at = at.parent) above.unshift(at);
  above.forEach((node, depth) => boxes.push({ node, depth, left: 0, width }));
  walk.push(boxes[boxes.length - 1]);
  while (walk.length) {
    const at = walk.pop(), sum = Math.max(wide(at.node), at.node.list.reduce((all, child) => all + wide(child), 0));
    let left = at.left;
    for (const child of [...at.node.list].sort((x, y) => wide(y) - wide(x))) {
      const box = { node: child, depth: at.depth + 1, left, width: sum ? (wide(child) / sum) * at.width : 0 };
      if (box.width < 0.5) break;
      boxes.push(box);
      walk.push(box);
      left += box.width;
    }
  }
  const depth = Math.min(800, boxes.reduce((most, box) => Math.max(most, box.depth), 0) + 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(depth * ROW * ratio);
  canvas.style.width = width + "px";
  canvas.style.height = depth * ROW + "px";
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = css("--surface");
  context.fillRect(0, 0, width, depth * ROW);
  context.font = "12px " + css("--font");
  context.textBaseline = "middle";
  for (const { node, depth: at, left, width: of } of boxes) {
    context.fillStyle = colourOf(node);
    context.fillRect(left, at * ROW, Math.max(0.5, of - 0.7), ROW - 1.5);
    drawText(context, (node.frame === null ? "all" : clean(state.run.frames[node.frame].name, 160)) + (of > 200 ? "  " + signed(node.b - node.a) : ""), left + 5, at * ROW + ROW / 2 - 0.5, of - 8, css("--ink"));
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
  const { a, b, frame } = box.node;
  tip.replaceChildren(el("b", {}, name(state.run.frames[frame].name)), el("span", {}, "A " + time(a) + " → B " + time(b)), el("span", {}, signed(b - a) + (a ? " (" + percentOf(((b - a) * 100) / a) + ")" : "")));
  tip.style.left = Math.max(4, Math.min(event.clientX - bounds.left + 14, bounds.width - tip.offsetWidth - 8)) + "px";
  tip.style.top = event.clientY - bounds.top + 16 + "px";
}

export function showDifferences(section) {
  canvas = el("canvas", { role: "img", "aria-label": "Flame graph of differences; the table above has its numbers" });
  context = canvas.getContext("2d", { alpha: false });
  tip = el("div", { class: "tip", hidden: true });
  section.append(el("div", { class: "head" }, el("h2", {}, "Differences", el("small", {}, "all threads; red takes more time in B, blue less; as wide as the longer of both")), el("span", { class: "muted" }, count(state.run.frames.length) + " functions")), el("div", { class: "frame" }, el("div", { class: "deep", tabindex: "0" }, canvas), tip));
  tree = focus = both();
  canvas.addEventListener("click", (event) => {
    const box = boxAt(event);
    if (!box) return;
    focus = box.node === focus && focus.parent ? focus.parent : box.node;
    choose(box.node.frame);
    paint();
  });
  canvas.addEventListener("mousemove", showTip);
  canvas.addEventListener("mouseleave", () => (tip.hidden = true));
  window.addEventListener("resize", paint);
  when("theme", paint);
  paint();
}
