// Counters of the timeline: values over time, below the name of their process.
import { css } from "./colours.js";
import { clean } from "./dom.js";
import { count, size } from "./format.js";

export const COUNTER = 40;

// Positive values that differ by more than this factor have a logarithmic scale.
const WIDE = 1000;

function number(value, digits = 4) {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return count(value);
  return String(Number(value.toPrecision(digits)));
}

// Writes a value of a counter with its unit.
function written(counter, value, digits) {
  return counter.kind === "resident memory" ? size(value) : number(value, digits);
}

// Sets the range of the values, and how a value becomes a height from 0 to 1. Percentages have the
// height of 100 %.
function measure(counter) {
  const least = counter.least.reduce((a, b) => Math.min(a, b), Infinity), most = counter.most.reduce((a, b) => Math.max(a, b), -Infinity);
  const share = counter.kind.endsWith("%"), wide = !share && least > 0 && most / least > WIDE, of = wide ? Math.log : (value) => value;
  // Values that are small differences stand on their least one, others on zero.
  const bottom = wide || (least > 0 && least > most / 2 && counter.kind === "value") ? least : Math.min(0, least);
  const span = of(share ? 100 : most) - of(bottom);
  Object.assign(counter, { lowest: least, highest: most, wide, height: (value) => (span > 0 ? Math.max(0.04, (of(value) - of(bottom)) / span) : 0.5) });
}

export function prepare(counters) {
  counters.forEach(measure);
}

export function nameOf(counter) {
  return counter.name || counter.kind;
}

// Returns the index of the last point at or before a time, or -1.
function pointAt(counter, ns) {
  let low = 0, high = counter.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (counter.at[middle] <= ns) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Returns the value at a time as a text. A point of several values has their range.
export function valueAt(counter, ns) {
  const i = pointAt(counter, ns);
  if (i < 0) return "no value yet";
  const [least, most, last] = [counter.least[i], counter.most[i], counter.last[i]].map((value) => written(counter, value));
  return counter.least[i] === counter.most[i] ? last : least + " to " + most + ", last " + last;
}

// Draws the visible part: an area to the last value of each point, and the range of its values.
export function drawCounter(context, counter, y, { x, from, to, gutter, width, duration }) {
  const base = y + COUNTER - 5, high = COUNTER - 11, colour = css("--accent");
  const top = (value) => base - high * counter.height(value);
  context.fillStyle = colour;
  for (let i = Math.max(0, pointAt(counter, from)); i < counter.count && counter.at[i] < to; i++) {
    const left = Math.max(x(counter.at[i]), gutter), right = Math.min(x(i + 1 < counter.count ? counter.at[i + 1] : duration), width);
    if (right < gutter) continue;
    const wide = Math.max(right - left, 0.7), at = top(counter.last[i]), most = top(counter.most[i]), least = top(counter.least[i]);
    context.globalAlpha = 0.22;
    context.fillRect(left, at, wide, base - at);
    context.globalAlpha = 0.45;
    if (least > most) context.fillRect(left, most, wide, least - most);
    context.globalAlpha = 1;
    context.fillRect(left, at - 0.75, wide, 1.5);
  }
}

// Writes the name and the range of a counter, in one line or in two.
export function nameCounter(context, counter, y, { room, inLine, ink, muted, drawText }) {
  const range = counter.lowest === counter.highest ? written(counter, counter.lowest) : written(counter, counter.lowest, 3) + " to " + written(counter, counter.highest, 3);
  const name = clean(nameOf(counter), 100), scale = range + (counter.wide ? " · log" : "");
  if (inLine) {
    drawText(context, name + " · " + scale, 22, y + 8, room - 34, ink);
    return;
  }
  drawText(context, name, 22, y + 13, room - 34, ink);
  drawText(context, scale, 22, y + 27, room - 30, muted);
}
