// Handles keys, and shows the list of them.
import { byId, el } from "./dom.js";
import { press, startMotion } from "./motion.js";
import { choose, lookAtAll } from "./state.js";
import { clearSelection, move, zoom, zoomToSelection } from "./timeline.js";

const STEPS = { w: (steps) => zoom(0.7 ** steps), s: (steps) => zoom(0.7 ** -steps), a: (steps) => move(-0.15 * steps), d: (steps) => move(0.15 * steps) };
const KEYS = [
  ["W, S", "zoom in and out, for as long as it is held", {}],
  ["A, D", "earlier and later", {}],
  ["F", "zoom to what is selected", { f: zoomToSelection }],
  ["0", "the whole run", { 0: lookAtAll }],
  ["/", "search", { "/": () => byId("search").focus() }],
  ["Esc", "select nothing", { Escape: () => {
    clearSelection();
    choose(null);
  } }],
  ["?", "this list", { "?": () => showKeys() }],
];
const MOUSE = [
  ["drag", "select a time; in one track, of that track"], ["Shift + drag", "move the timeline"], ["Ctrl + wheel", "zoom"],
  ["click a box", "what it is"], ["double click", "zoom to it"], ["click a track's name", "select the track; the triangle opens it"],
];

export function showKeys() {
  const old = document.querySelector("dialog");
  if (old) {
    old.close();
    return;
  }
  const dialog = el("dialog", { "aria-label": "Keys" }, el("h2", {}, "Keys"), el("dl", { class: "keys" }, [...KEYS, ...MOUSE].map(([keys, about]) => el("div", {}, el("dt", {}, keys.split(" ").length > 2 || /,/.test(keys) ? keys : el("kbd", {}, keys)), el("dd", {}, about)))), el("form", { method: "dialog" }, el("button", {}, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.querySelector("button").addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}

export function startKeys() {
  const actions = Object.assign({}, ...KEYS.map((key) => key[2]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(input|select|textarea)$/i.test(event.target.tagName)) return;
    const key = event.key.toLowerCase(), action = STEPS[key] ? () => press(key, STEPS[key]) : actions[event.key] || actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  startMotion();
  byId("help").addEventListener("click", showKeys);
}
