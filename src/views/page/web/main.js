// The page: reads the run and shows its views, one after the other.
import { commandOf, showAnswer } from "./answer.js";
import { makeKinds, setTheme } from "./colours.js";
import { showChanges, showDifferences } from "./changes.js";
import { readDiff, readRun } from "./data.js";
import { byId, clean, el } from "./dom.js";
import { showFlame } from "./flame.js";
import { startKeys } from "./keys.js";
import { merge } from "./merge.js";
import { filterModules } from "./modules.js";
import { hasRanks, showRanks } from "./ranks.js";
import { startSearch } from "./search.js";
import { showSource } from "./source.js";
import { fromHash, state, when } from "./state.js";
import { showTables } from "./tables.js";
import { showTimeline } from "./timeline.js";

function stored(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return null; // a page from a file, or in a frame, may have no storage
  }
}

function startTheme(run) {
  const asked = /[#&]theme=(dark|light)/.exec(location.hash), system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = asked ? asked[1] : stored("pinsight-theme");
  let dark = chosen ? chosen === "dark" : system.matches;
  setTheme(dark, run);
  byId("theme").addEventListener("click", () => {
    dark = !dark;
    stored("pinsight-theme", dark ? "dark" : "light");
    setTheme(dark, run);
  });
}

function views(run) {
  const has = run.timeline.tracks.some((track) => track.slices);
  if (run.diff)
    return [["answer", "Changes", showChanges], has && ["differences", "Differences", showDifferences], has && ["timeline", "Timelines", showTimeline],
      has && ["flame", "Flame graph", showFlame], ["source", "Source of B", showSource]].filter(Boolean);
  return [
    ["answer", "Answer", showAnswer], has && ["timeline", "Timeline", showTimeline], (has || run.nodes.count > 1) && ["flame", "Flame graph", showFlame],
    ((run.sections.lines || []).length || run.sources.length) && ["source", "Source", showSource],
    hasRanks(run) && ["ranks", run.report.mpi ? "Ranks" : "Balance", showRanks], run.report.threads.length && ["tables", "Tables", showTables],
  ].filter(Boolean);
}

// Marks the visible view in the list of views.
function follow(list) {
  let asked = false;
  const mark = () => {
    asked = false;
    const seen = list.filter((section) => section.getBoundingClientRect().top < window.innerHeight * 0.35).pop() || list[0];
    for (const anchor of document.querySelectorAll("nav a")) {
      if (anchor.getAttribute("href") === "#" + seen.id) anchor.setAttribute("aria-current", "true");
      else anchor.removeAttribute("aria-current");
    }
  };
  window.addEventListener("scroll", () => {
    if (!asked) requestAnimationFrame(mark);
    asked = true;
  }, { passive: true });
  mark();
}

// Lets the browser paint the views so far.
function pause() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
}

async function fill(run) {
  const main = byId("main"), sections = [];
  state.run = run;
  makeKinds(run.categories);
  document.title = (run.diff ? "A and B: " : "") + clean(commandOf(run), 120) + " — PInsight";
  startTheme(run);
  main.replaceChildren();
  for (const [id, title, show] of views(run)) {
    const section = el("section", { id, "aria-label": title, tabindex: "-1" });
    main.append(section);
    byId("nav").append(el("a", { href: "#" + id, on: { click: (event) => {
      event.preventDefault();
      section.scrollIntoView({ block: "start" });
      section.focus({ preventScroll: true });
    } } }, title));
    show(section);
    sections.push(section);
    await pause();
    document.documentElement.dataset.shown = document.documentElement.dataset.shown || String(Math.round(performance.now()));
  }
  main.append(el("footer", {}, "Written by PInsight " + run.version + " from ", clean(run.report.trace.path, 300), ". This file needs no network and sends nothing."));
  when("theme", () => {
    const answer = byId("answer");
    answer.replaceChildren();
    views(run)[0][2](answer);
  });
  startSearch();
  startKeys();
  const module = fromHash();
  if (module) filterModules(module);
  follow(sections);
}

async function read() {
  const diff = await readDiff();
  if (!diff) return readRun();
  const [a, b] = await Promise.all([readRun("-a"), readRun("-b")]);
  return { ...merge(a, b), diff };
}

async function start() {
  try {
    await fill(await read());
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  } catch (error) {
    byId("main").replaceChildren(el("p", { class: "wrong", role: "alert" }, error.message || String(error)));
    document.documentElement.dataset.failed = "true";
    throw error;
  }
}

start();
