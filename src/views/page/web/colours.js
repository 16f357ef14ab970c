// Colours by kind of code, slightly different for each function. Waiting is hatched.
import { tell } from "./state.js";

// Hue; saturation and lightness in light and in dark.
const KINDS = {
  users: { hue: 218, light: [58, 62], dark: [62, 56], name: "Your Python" },
  python: { hue: 214, light: [32, 74], dark: [24, 48], name: "Other Python" },
  c: { hue: 174, light: [42, 50], dark: [40, 42], name: "C" },
  import: { hue: 38, light: [28, 66], dark: [22, 46], name: "Imports" },
  region: { hue: 250, light: [14, 72], dark: [14, 44], name: "Your regions" },
  gc: { hue: 2, light: [58, 62], dark: [50, 54], name: "Garbage" },
  task: { hue: 200, light: [50, 56], dark: [44, 48], name: "Tasks" },
  wait: { hue: 220, light: [8, 72], dark: [8, 42], name: "Waiting" },
};
const WAITS = new Set(["wait", "gil", "lock", "await", "ready"]);
// Hues of native domains, in their order. Work on devices is darker.
const HUES = [278, 28, 100, 330, 60, 190];

// Makes the kinds for all categories of slices: [category, name of its domain].
export function makeKinds(categories) {
  const domains = [];
  for (const [category, domain] of categories) {
    if (KINDS[category] || WAITS.has(category)) continue;
    const first = !domains.includes(domain);
    if (first) domains.push(domain);
    const hue = HUES[domains.indexOf(domain) % HUES.length];
    KINDS[category] = { hue, light: [first ? 50 : 44, first ? 60 : 44], dark: [44, first ? 52 : 40], name: first ? domain : domain + " " + category };
  }
}

let dark = false;

export function isDark() {
  return dark;
}

export function kindOf(frame) {
  if (frame.category === "python" && frame.users) return "users";
  if (WAITS.has(frame.category)) return "wait";
  return KINDS[frame.category] ? frame.category : "c";
}

export function waits(frame) {
  return WAITS.has(frame.category);
}

export function kindName(kind) {
  return KINDS[kind].name;
}

export function allKinds() {
  return Object.keys(KINDS);
}

function shade(text) {
  let hash = 0;
  for (let i = 0; i < text.length && i < 64; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return (Math.abs(hash) % 9) - 4;
}

export function kindColour(kind, off = 0) {
  const of = KINDS[kind], [saturation, lightness] = dark ? of.dark : of.light;
  return `hsl(${of.hue} ${saturation}% ${lightness + off * 1.6}%)`;
}

export function frameColour(frame) {
  if (!frame.colour) frame.colour = kindColour(kindOf(frame), shade(frame.name));
  return frame.colour;
}

// Returns a readable text colour for a box. Boxes have medium lightness.
export function inkOf(frame) {
  const kind = kindOf(frame);
  if (dark) return "#fff";
  return KINDS[kind].light[1] > 63 ? "#16181c" : "#fff";
}

export function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function hatching(context) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const to = tile.getContext("2d");
  to.strokeStyle = dark ? "rgba(20,22,26,.5)" : "rgba(255,255,255,.6)";
  to.lineWidth = 2.4;
  for (const at of [-8, 0, 8]) {
    to.beginPath();
    to.moveTo(at - 2, 10);
    to.lineTo(at + 10, -2);
    to.stroke();
  }
  return context.createPattern(tile, "repeat");
}

export function setTheme(toDark, run) {
  dark = toDark;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  if (run) for (const frame of run.frames) frame.colour = null;
  tell("theme");
}
