// Draws the timeline on its canvas: an axis, and the visible part of each track.
import { drawFlows } from "./arrows.js";
import { css, frameColour, hatching, inkOf, isDark, kindColour, waits } from "./colours.js";
import { drawCounter, nameCounter } from "./counters.js";
import { clean } from "./dom.js";
import { instant } from "./format.js";
import { state } from "./state.js";
import { AXIS, LANE, ROW, firstAfter } from "./tracks.js";

const LETTER = 6.8; // width of a letter in boxes, in pixels

function step(width, pixels) {
  const least = (width / pixels) * 110, power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((of) => of * power).find((of) => of >= least);
}

// Draws the timeline. `view` has the canvas, context, gutter, width, height, scroll, items,
// activity, and the pointer's state.
export function draw(view) {
  const { context, gutter, width, height } = view, { from, to } = state.sight, run = state.run;
  const plot = width - gutter, scale = plot / (to - from), ns = (to - from) / plot;
  const x = (time) => gutter + (time - from) * scale;
  const level = run.timeline.levels.filter((of) => of.resolution_ns <= ns).pop() || run.timeline.levels[0];
  const rows = level.rows(), stripes = view.stripes || (view.stripes = hatching(context));
  const ink = css("--ink"), muted = css("--muted"), line = css("--line"), accent = css("--accent");

  context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  context.fillStyle = css("--surface");
  context.fillRect(0, 0, width, height);
  context.font = "12px " + css("--font");
  context.textBaseline = "middle";
  drawGrid(context, { from, to, plot, gutter, height, x, line, muted });

  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  for (const item of view.items) {
    const y = item.y - view.scroll + AXIS;
    if (y + item.height < AXIS || y > height) continue;
    const below = y + (item.label || 0);
    if (item.kind === "row" || item.kind === "task") drawRow(context, rows[item.row], below, { run, x, from, to, gutter, width, stripes });
    else if (item.kind === "counter") drawCounter(context, item.counter, below, { x, from, to, gutter, width, duration: run.duration });
    else if (item.kind === "lane") drawLane(context, view.activity.get(item.track.track), below, { run, x, gutter, width, stripes, line, from, to });
  }
  drawMarks(view, { x, accent });
  drawFlows(view, { x, ink });
  drawNames(view, { ink, muted, line, accent });
  context.restore();
  drawSelection(view, { x, accent });
}

function drawGrid(context, { from, to, plot, gutter, height, x, line, muted }) {
  const apart = step(to - from, plot);
  context.fillStyle = muted;
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.beginPath();
  for (let time = Math.ceil(from / apart) * apart; time <= to; time += apart) {
    const at = Math.round(x(time)) + 0.5;
    if (at < gutter) continue;
    context.moveTo(at, AXIS - 6);
    context.lineTo(at, height);
    context.fillText(instant(Math.abs(time) < apart / 2 ? 0 : time, apart), at + 4, 11);
  }
  context.moveTo(0, AXIS - 0.5);
  context.lineTo(gutter + plot, AXIS - 0.5);
  context.stroke();
}

function drawRow(context, row, y, { run, x, from, to, gutter, width, stripes }) {
  const { frames, nodes } = run, looked = state.frame;
  let drawn = gutter - 1;
  for (let i = firstAfter(row, from); i < row.count && row.begin[i] < to; i++) {
    const left = Math.max(x(row.begin[i]), gutter), right = Math.min(x(row.end[i]), width);
    if (right <= drawn + 0.4 && right - left < 1) continue;
    const index = nodes.frame[row.node[i]] - 1, frame = frames[index];
    const box = Math.max(right - left, 0.7), wide = box > 3;
    const dimmed = !frame.wanted || (looked !== null && frames[looked].same !== frame.same);
    context.globalAlpha = dimmed ? 0.28 : row.slices[i] > 1 ? 0.8 : 1;
    context.fillStyle = frameColour(frame);
    context.fillRect(left, y, wide ? box - 0.6 : box, ROW - 2);
    if (waits(frame) || row.waiting[i] >= 32) {
      context.fillStyle = stripes;
      context.fillRect(left, y, wide ? box - 0.6 : box, ROW - 2);
    }
    context.globalAlpha = 1;
    drawn = left + box;
    if (box > 30) drawText(context, clean(frame.name, 120) + (row.slices[i] > 1 ? " ×" + row.slices[i] : ""), left + 4, y + ROW / 2 - 0.5, box - 7,
      dimmed || waits(frame) || row.waiting[i] >= 32 ? (isDark() ? "#e8eaee" : "#16181c") : inkOf(frame));
  }
}

export function drawText(context, text, left, y, width, ink) {
  const letters = Math.floor(width / LETTER);
  if (letters < 3) return;
  context.fillStyle = ink;
  context.fillText(text.length > letters ? text.slice(0, letters - 1) + "…" : text, left, y);
}

function drawLane(context, bar, y, { run, x, gutter, width, stripes, from, to }) {
  if (!bar) return;
  const high = LANE - 6, base = y + LANE - 3;
  const first = Math.max(0, Math.floor((from - run.binBegin) / run.binWidth));
  for (let bin = first; bin < bar.bins; bin++) {
    const begin = run.binBegin + bin * run.binWidth;
    if (begin > to) break;
    const left = Math.max(x(begin), gutter), right = Math.min(x(Math.min(begin + run.binWidth, run.duration)), width);
    const span = Math.max(1, Math.min(run.binWidth, run.duration - begin));
    if (right <= left) continue;
    let at = base;
    for (let kind = 0; kind < bar.kinds.length; kind++) {
      const ns = bar.running[kind] && bar.running[kind][bin];
      if (!ns) continue;
      const part = Math.min((ns / span) * high, at - (base - high));
      context.fillStyle = kindColour(bar.kinds[kind]);
      context.fillRect(left, at - part, right - left + 0.3, part);
      at -= part;
    }
    if (bar.waiting[bin]) {
      const part = Math.min((bar.waiting[bin] / span) * high, at - (base - high));
      context.fillStyle = kindColour("wait");
      context.fillRect(left, at - part, right - left + 0.3, part);
      context.fillStyle = stripes;
      context.fillRect(left, at - part, right - left + 0.3, part);
    }
  }
}

function drawNames(view, { ink, muted, line, accent }) {
  const { context, gutter, height, width } = view, chosen = state.selection.tracks, room = view.label ? width - 10 : gutter;
  context.fillStyle = css("--surface");
  context.fillRect(0, AXIS, gutter - 6, height);
  context.fillStyle = line;
  context.fillRect(gutter - 1, AXIS, 1, height);
  for (const item of view.items) {
    const y = item.y - view.scroll + AXIS;
    if (y + item.height < AXIS || y > height || item.kind === "row") continue;
    if (item.kind === "process") {
      context.fillStyle = css("--ground");
      context.fillRect(0, y, width, item.height - 3);
      context.font = "600 12px " + css("--font");
      drawText(context, clean(item.process.name, 200) + (item.process.host ? "  ·  " + clean(item.process.host, 60) : ""), 10, y + 10, width - 20, muted);
      context.font = "12px " + css("--font");
    } else if (item.kind === "counter") {
      nameCounter(context, item.counter, y, { room, inLine: view.label > 0, ink, muted, drawText });
    } else if (item.kind === "tasks") {
      drawText(context, (item.process.tasksOpen ? "▾ " : "▸ ") + item.process.tasks.length + " tasks", 8, y + LANE / 2, room - 16, ink);
    } else if (item.kind === "task") {
      if (chosen && chosen.has(item.track.track)) {
        context.fillStyle = accent;
        context.fillRect(0, y, 3, ROW);
      }
      drawText(context, clean(item.track.name, 100), 22, y + ROW / 2, room - 34, muted);
    } else if (item.kind === "more") {
      drawText(context, item.track.whole ? "▴ fewer rows" : "▾ " + (item.track.rows - item.track.worth) + " more rows", 22, y + item.height / 2, room - 30, muted);
    } else {
      const selected = chosen && chosen.has(item.track.track);
      if (selected) {
        context.fillStyle = accent;
        context.fillRect(0, y, 3, item.track.bottom - item.track.top - 6);
      }
      context.fillStyle = muted;
      const middle = y + (item.label || LANE) / 2;
      context.fillText(item.track.open ? "▾" : "▸", 8, middle);
      drawText(context, clean(item.track.name, 100), 22, middle, room - 34, ink);
    }
  }
}

// Draws the program's marks as flags in the lane.
function drawMarks(view, { x, accent }) {
  const { context, gutter } = view, { marks } = state.run.timeline, { from, to } = state.sight;
  let shown = gutter;
  for (const [text, track, ns] of marks) {
    if (ns < from || ns > to) continue;
    const item = view.items.find((of) => of.kind === "lane" && of.track.track === track);
    if (!item) continue;
    const left = x(ns), y = item.y + item.label - view.scroll + AXIS;
    context.fillStyle = accent;
    context.fillRect(left - 0.5, y, 1.5, LANE);
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(left + 7, y + 3.5);
    context.lineTo(left, y + 7);
    context.fill();
    if (left < shown) continue;
    context.fillText(clean(text, 40), left + 10, y + 6);
    shown = left + 20 + Math.min(text.length, 40) * LETTER;
  }
}

function drawSelection(view, { x, accent }) {
  const { context, gutter, width, height } = view, { from, to } = view.dragged || state.selection;
  if (from !== null && from !== undefined) {
    const left = Math.max(x(from), gutter), right = Math.min(x(to), width);
    context.fillStyle = accent;
    context.globalAlpha = 0.1;
    context.fillRect(left, 0, Math.max(0, right - left), height);
    context.globalAlpha = 1;
    for (const at of [left, right]) context.fillRect(at - 0.5, 0, 1, height);
  }
  if (view.picked) {
    const { item, begin, end } = view.picked, y = item.y - view.scroll + AXIS;
    const left = Math.max(x(begin), gutter), right = Math.min(x(end), width);
    if (y >= AXIS - ROW && right > gutter) {
      context.strokeStyle = css("--ink");
      context.lineWidth = 2;
      context.strokeRect(left, y - 1, Math.max(2, right - left), ROW);
    }
  }
}
