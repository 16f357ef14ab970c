// The user's source files, with time and calls beside each line.
import { clean, el, link, name } from "./dom.js";
import { count, fileName, percent, shortName, time } from "./format.js";
import { choose, openSource, state, when } from "./state.js";

let listing, chooser, lines, files;

// Adds the functions of libraries whose text is in the page, with the time of each at its first line.
function addLibraries(run, byFile) {
  for (const source of run.sources) if (source.library) byFile.set(source.file, { file: source.file, lines: new Map(), ns: 0, library: true });
  for (const row of run.report.functions || []) {
    const file = byFile.get(row.file);
    if (!file || !file.library) continue;
    const ns = Math.max(0, row.self_ns - (row.waiting_ns || 0)), before = file.lines.get(row.line) || { ns: 0, waiting: 0, own: 0, calls: 0, total: 0 };
    file.lines.set(row.line, { ns: before.ns + ns, waiting: before.waiting + (row.waiting_ns || 0), own: before.own + ns, calls: before.calls + row.calls, total: before.total + row.total_ns });
    file.ns += ns;
  }
}

// Returns the times of each line of each file, by file.
function gather(run) {
  const byFile = new Map();
  for (const row of run.sections.lines || []) {
    if (!row.file) continue;
    const file = byFile.get(row.file) || { file: row.file, lines: new Map(), ns: 0 };
    byFile.set(row.file, file);
    const line = row.line || row.function_line;
    const sum = file.lines.get(line) || { ns: 0, waiting: 0, own: 0, calls: 0, total: 0, callee: null, most: 0, ofFunction: null };
    file.lines.set(line, sum);
    const waiting = (row.waiting_ns || 0) + (row.ready_ns || 0), running = Math.max(0, row.ns - waiting);
    sum.ns += running;
    sum.waiting += row.waiting_ns || 0;
    if (row.own) {
      sum.own += running;
      sum.ofFunction = row.function;
    }
    sum.total += row.total_ns || 0;
    sum.calls += (row.calls || 0) + (row.c_calls || 0);
    if (row.callee && running >= sum.most) {
      sum.callee = row.callee;
      sum.most = running;
    }
    file.ns += running;
  }
  addLibraries(run, byFile);
  return byFile;
}

// Returns the index of the only function that meets a condition, or -1 for none or several.
function onlyFrame(condition) {
  const { frames } = state.run, found = frames.findIndex(condition);
  return found >= 0 && !frames.some((frame, at) => at > found && condition(frame)) ? found : -1;
}

// Shows the callers and callees of a function, below the flame graph.
function showNeighbours(frame) {
  choose(frame);
  document.getElementById("flame").scrollIntoView({ block: "start" });
}

// Returns a function's name as a button to its callers and callees, or the name alone if several
// functions have it.
function neighbourLink(text, frame) {
  return frame >= 0 && document.getElementById("flame") ? link(text, () => showNeighbours(frame)) : text;
}

function row(number, text, of, whole, marked) {
  const share = of ? of.ns / whole : 0;
  return el("tr", { id: "line-" + number, class: marked ? "marked" : null, style: of ? { "--heat": String(Math.min(1, Math.sqrt(share))) } : null },
    el("td", { class: "number time" }, of && of.ns ? time(of.ns) : ""),
    el("td", { class: "number" }, of && of.ns ? percent(of.ns, whole) + " %" : ""),
    el("td", { class: "number wide" }, of && of.waiting * 50 > of.ns + of.waiting ? time(of.waiting) : ""),
    el("td", { class: "number wide" }, of && of.total ? time(of.total) : ""),
    el("td", { class: "number wide" }, of && of.calls ? count(of.calls) : ""),
    el("th", { scope: "row", class: "number at" }, String(number)),
    el("td", { class: "code" }, text === null ? el("span", { class: "muted" }, "…") : clean(text.replace(/\t/g, "    "), 600),
      of && of.callee && !of.own ? el("span", { class: "callee" }, "→ ", neighbourLink(name(shortName(of.callee)), onlyFrame((frame) => frame.name === of.callee))) : null,
      of && of.own ? el("span", { class: "callee" }, "its own Python " + time(of.own) + " · ", neighbourLink("callers and callees", onlyFrame((frame) => frame.file === state.source.file && frame.line === number))) : null));
}

function show() {
  const { file, line } = state.source, of = files.get(file) || { lines: new Map(), ns: 0 };
  const source = state.run.sources.find((one) => one.file === file);
  chooser.value = file || "";
  if (!file) {
    listing.replaceChildren(el("p", { class: "muted" }, "No file of your code has recorded lines."));
    return;
  }
  const text = source && source.text !== null ? source.text.split("\n") : null, whole = lines;
  const numbers = text ? text.map((_, at) => at + 1) : [...new Set([...of.lines.keys(), ...(line ? [line] : [])])].sort((a, b) => a - b);
  if (text && text[text.length - 1] === "") numbers.pop();
  listing.replaceChildren(
    el("p", { class: "muted" }, clean(file, 600), text ? "" : " — its text is not in the page: the file was not there, was changed after the run, or is a library's (--sources all)", of.library ? " — a library's file: the time of a function stands at its first line" : ""),
    el("div", { class: "scroll code", tabindex: "0", role: "region", "aria-label": "Source of " + clean(fileName(file)) }, el("table", { class: "source" },
      el("thead", {}, el("tr", {}, ["Running", "%"].map((head) => el("th", { scope: "col", class: "number" }, head)), ["Waiting", "With callees", "Calls"].map((head) => el("th", { scope: "col", class: "number wide" }, head)), el("th", { scope: "col", class: "number" }, "Line"), el("th", { scope: "col" }, "Source"))),
      el("tbody", {}, numbers.slice(0, 20000).map((number) => row(number, text ? text[number - 1] : null, of.lines.get(number), whole, number === line))))));
  const hottest = [...of.lines].sort((a, b) => b[1].ns - a[1].ns)[0];
  const marked = listing.querySelector("tr.marked") || (hottest && listing.querySelector("#line-" + hottest[0]));
  const box = listing.querySelector(".scroll.code");
  if (marked && box) box.scrollTop = Math.max(0, marked.offsetTop - box.clientHeight / 3);
}

export function showSource(section) {
  const run = state.run;
  files = gather(run);
  for (const source of run.sources) if (!files.has(source.file)) files.set(source.file, { file: source.file, lines: new Map(), ns: 0 });
  lines = Math.max(1, [...files.values()].reduce((sum, file) => sum + (file.library ? 0 : file.ns), 0));
  const order = [...files.values()].sort((a, b) => b.ns - a.ns);
  chooser = el("select", { "aria-label": "File", on: { change: () => openSource(chooser.value, 0) } },
    order.map((file) => el("option", { value: file.file }, clean(fileName(file.file), 80) + "  ·  " + time(file.ns))));
  listing = el("div", {});
  section.append(el("div", { class: "head" }, el("h2", {}, "Source", el("small", {}, "what each line called, and waited for")), chooser), listing);
  when("source", () => {
    if (!files.has(state.source.file)) {
      files.set(state.source.file, { file: state.source.file, lines: new Map(), ns: 0 });
      chooser.append(el("option", { value: state.source.file }, clean(fileName(state.source.file), 80)));
    }
    show();
  });
  if (order.length) state.source = { file: order[0].file, line: 0 };
  show();
  if (order.length > 1) section.append(el("p", { class: "files" }, order.slice(0, 12).map((file) => link(clean(fileName(file.file), 60) + " " + time(file.ns), () => openSource(file.file, 0)))));
}
