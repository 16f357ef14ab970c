// Searches functions and files.
import { frameColour, kindName, kindOf } from "./colours.js";
import { byId, clean, el, name } from "./dom.js";
import { fileName, place, time } from "./format.js";
import { byFunction, profile } from "./profile.js";
import { choose, openSource, state } from "./state.js";

const MOST = 12;
let totals = null, at = -1;

function find(text) {
  const { run } = state, wanted = text.toLowerCase(), found = [];
  totals = totals || new Map(byFunction(profile(run, { tracks: null, from: null, to: null })).map((row) => [row.frame, row]));
  run.frames.forEach((frame, index) => {
    if (frame.same !== index) return;
    const where = frame.name.toLowerCase().indexOf(wanted);
    if (where >= 0) found.push({ frame: index, name: frame.name, about: kindName(kindOf(frame)) + (frame.file ? " · " + place(frame.file, frame.line) : ""), total: (totals.get(index) || { total: 0 }).total });
  });
  found.sort((a, b) => b.total - a.total);
  const files = run.sources.filter((source) => fileName(source.file).toLowerCase().includes(wanted)).map((source) => ({ file: source.file, name: fileName(source.file), about: "Source" }));
  return [...files.slice(0, 4), ...found.slice(0, MOST)];
}

function go(item, box, list) {
  list.hidden = true;
  box.setAttribute("aria-expanded", "false");
  if (item.file) openSource(item.file, 0);
  else {
    choose(item.frame);
    byId("flame").scrollIntoView({ block: "start" });
  }
}

export function startSearch() {
  const box = byId("search"), list = byId("found");
  let items = [];
  const mark = () => [...list.children].forEach((child, index) => child.setAttribute("aria-selected", String(index === at)));
  box.addEventListener("input", () => {
    const text = box.value.trim();
    items = text.length > 1 ? find(text) : [];
    at = items.length ? 0 : -1;
    list.setAttribute("role", "listbox");
    list.replaceChildren(...items.map((item) => el("button", { type: "button", role: "option", on: { click: () => go(item, box, list) } },
      el("i", { class: "dot", style: { "--colour": item.file ? "var(--line)" : frameColour(state.run.frames[item.frame]) } }), name(item.name), el("span", { class: "muted" }, clean(item.about, 80)), el("span", { class: "muted" }, item.total ? time(item.total) : ""))));
    if (text.length > 1 && !items.length) list.replaceChildren(el("p", { class: "muted" }, "Nothing of that name."));
    list.hidden = text.length < 2;
    box.setAttribute("aria-expanded", String(!list.hidden));
    mark();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      box.value = "";
      list.hidden = true;
      box.blur();
      choose(null);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at = Math.max(0, Math.min(items.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
      mark();
    } else if (event.key === "Enter" && items[at]) go(items[at], box, list);
    event.stopPropagation();
  });
  document.addEventListener("click", (event) => {
    if (!list.contains(event.target) && event.target !== box) list.hidden = true;
  });
}
