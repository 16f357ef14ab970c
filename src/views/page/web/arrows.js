// Arrows between tracks: their kinds, their lines, and those of a box.
import { state } from "./state.js";
import { AXIS, firstAfter } from "./tracks.js";

// By the number in the page: words for both ends, a name for all, and dashes.
const KINDS = [
  { came: "started as a part of", goes: "has a part in", name: "Part of a team", sign: "─▸", dashes: [] },
  { came: "message from", goes: "message to", name: "Message", sign: "─▸", dashes: [] },
  { came: "launched by", goes: "launches", name: "Launch", sign: "─▸", dashes: [] },
  { came: "lock released by", goes: "releases the lock for", name: "Lock handed over", sign: "- -▸", dashes: [5, 3] },
  { came: "started by", goes: "starts", name: "Start of a thread or process", sign: "···▸", dashes: [1.5, 2.5] },
];
const START = 4;
// More cannot be distinguished: in all, and by the width of the plot in pixels.
const MOST_ARROWS = 160, APART = 6;
const MOST_OF_BOX = 3;

// Returns the kinds that the run has.
export function arrowKinds(run) {
  return [...new Set(run.flows.kind)].sort().map((kind) => KINDS[kind]).filter(Boolean);
}

function rowsOf(track) {
  const rows = state.run.timeline.levels[0].rows(), of = state.run.timeline.tracks[track];
  return of ? rows.slice(of.firstRow, of.firstRow + of.rows) : [];
}

// Returns the innermost box of a track at a time, as { row, index }, or null.
export function innermost(track, ns) {
  let found = null;
  for (const row of rowsOf(track)) {
    const index = firstAfter(row, ns - 1);
    if (index >= row.count || row.begin[index] > ns) break;
    found = { row, index };
  }
  return found;
}

// Returns the arrows that arrive in a box or leave it, if they are few. `other` is the box at the
// other end.
export function arrowsOf(track, begin, end) {
  const { flows } = state.run, found = [];
  for (let i = 0; i < flows.count; i++) {
    const arrives = flows.arrives[i] === track && flows.to[i] >= begin && flows.to[i] <= end;
    if (!arrives && !(flows.leaves[i] === track && flows.from[i] >= begin && flows.from[i] <= end)) continue;
    if (flows.leaves[i] === flows.arrives[i]) continue;
    if (found.length === MOST_OF_BOX) return [];
    const kind = KINDS[flows.kind[i]], at = arrives ? flows.from[i] : flows.to[i], far = arrives ? flows.leaves[i] : flows.arrives[i];
    if (kind) found.push({ text: arrives ? "← " + kind.came : "→ " + kind.goes, bytes: flows.bytes[i], track: far, ns: at, other: innermost(far, at) });
  }
  return found;
}

// Returns the height at which an arrow leaves or arrives: that of the track's deepest box at the
// time, or of its lane.
function heightOf(view, track, ns) {
  const rows = state.run.timeline.levels[0].rows();
  let at = null;
  for (const item of view.byTrack.get(track) || []) {
    const label = item.label || 0, middle = item.y + (label + item.height) / 2 - view.scroll + AXIS;
    if (item.kind === "lane") at = middle;
    if (item.kind !== "row" && item.kind !== "task") continue;
    const row = rows[item.row], box = firstAfter(row, ns - 1);
    if (box < row.count && row.begin[box] <= ns) at = middle;
  }
  return at;
}

// Returns arrows that are visible, of one kind or of the others. Of arrows that are beside each
// other, between the same tracks, one is enough. Returns none if they are too many to be
// distinguished.
function some(view, x, starts) {
  const { flows } = state.run, { from, to } = state.sight, seen = [], places = new Set();
  const most = Math.min(MOST_ARROWS, (view.width - view.gutter) / APART);
  for (let i = 0; i < flows.count && flows.from[i] < to; i++) {
    const leaves = flows.leaves[i], arrives = flows.arrives[i];
    if ((flows.kind[i] === START) !== starts || flows.to[i] < from || leaves === arrives || !view.byTrack.has(leaves) || !view.byTrack.has(arrives)) continue;
    const column = (ns) => Math.max(0, Math.min(1023, Math.round(x(ns) / 8)));
    const place = ((leaves * 65536 + arrives) * 1024 + column(flows.from[i])) * 1024 + column(flows.to[i]);
    if (places.has(place)) continue;
    places.add(place);
    seen.push(i);
    if (seen.length > most) return [];
  }
  return seen;
}

// Draws the visible arrows.
export function drawFlows(view, { x, ink }) {
  const { context, gutter, width } = view, { flows } = state.run;
  context.strokeStyle = context.fillStyle = ink;
  context.lineWidth = 1;
  context.globalAlpha = 0.55;
  for (const i of [...some(view, x, true), ...some(view, x, false)]) {
    const left = x(flows.from[i]), right = x(flows.to[i]), top = heightOf(view, flows.leaves[i], flows.from[i]), bottom = heightOf(view, flows.arrives[i], flows.to[i]);
    if (top === null || bottom === null || (left < gutter && right < gutter)) continue;
    const middle = Math.max(8, Math.min(60, (right - left) / 2)), side = bottom > top ? 1 : -1;
    context.setLineDash(KINDS[flows.kind[i]] ? KINDS[flows.kind[i]].dashes : []);
    context.beginPath();
    context.moveTo(Math.max(left, gutter), top);
    context.bezierCurveTo(left + middle, top, right - middle, bottom, Math.min(right, width), bottom);
    context.stroke();
    context.beginPath();
    context.moveTo(right, bottom);
    context.lineTo(right - 6, bottom - 3 - side);
    context.lineTo(right - 6, bottom + 3 - side);
    context.fill();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}
