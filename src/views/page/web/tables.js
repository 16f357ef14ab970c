// The other tables of the report, which open on request: threads, calls into C, tasks, regions,
// imports and more. The columns are the keys of the rows. The ending of a key determines the form
// of its numbers.
import { clean, el, link, name } from "./dom.js";
import { count, place, size, time } from "./format.js";
import { openSource, state } from "./state.js";
import { table } from "./table.js";

function title(key) {
  const words = key.replace(/_ns$/, "").replace(/_bytes$/, "").replace(/_/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Returns the title of a column among others. A ratio and a time may have one name.
function titleAmong(key, keys) {
  const same = keys.some((other) => other !== key && title(other) === title(key));
  return title(key) + (same && key.endsWith("_ns") ? " time" : same && key.endsWith("_bytes") ? " size" : "");
}

// Writes a number. A ratio has three digits.
function decimal(value) {
  return Number.isInteger(value) || Math.abs(value) >= 100 ? count(value) : String(Number(value.toPrecision(3)));
}

function shown(key, value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (/_ns$|^ns$/.test(key)) return time(value);
  if (/bytes$/.test(key)) return size(value);
  if (typeof value === "number") return /pid|tid|line|rank|_id$|device|stream|context|task$/.test(key) ? String(value) : decimal(value);
  return /file/.test(key) ? clean(value, 200) : name(value);
}

function columnOf(key, rows, keys) {
  const number = rows.some((row) => typeof row[key] === "number");
  if (/(^|_)file$/.test(key) && rows.some((row) => (key === "file" ? "line" : key.replace(/file$/, "line")) in row)) {
    const line = key === "file" ? "line" : key.replace(/file$/, "line");
    return { key, title: key === "file" ? "Where" : title(key.replace(/_file$/, "")) + " at", show: (row) => (row[key] ? link(place(row[key], row[line]), () => openSource(row[key], row[line]), { class: "link place" }) : "") };
  }
  return { key, title: titleAmong(key, keys), number, show: (row) => shown(key, row[key]) };
}

const SKIPPED = new Set(["lexgion", "kind_id", "longest_at_ns", "begin_ns", "end_ns", "python_path", "histogram", "counted_calls", "counted_c_calls", "counted_total_ns", "counted_self_ns"]);

function tableOf(heading, rows, { first = [], without = [], sort = null } = {}) {
  if (!rows || !rows.length) return null;
  const keys = [];
  for (const row of rows.slice(0, 50)) for (const [key, value] of Object.entries(row)) if (!keys.includes(key) && (value === null || typeof value !== "object") && !SKIPPED.has(key) && !without.includes(key)) keys.push(key);
  const used = keys.filter((key) => rows.some((row) => row[key] !== null && row[key] !== undefined && row[key] !== 0 && row[key] !== false));
  const lineOf = new Set(used.filter((key) => /(^|_)file$/.test(key)).map((key) => (key === "file" ? "line" : key.replace(/file$/, "line"))));
  const order = [...first.filter((key) => used.includes(key)), ...used.filter((key) => !first.includes(key) && !lineOf.has(key))];
  const details = el("details", { class: "fold" }, el("summary", {}, heading, el("small", {}, count(rows.length))));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount < 2) details.append(table(order.map((key) => columnOf(key, rows, order)), rows, { caption: heading, limit: 25, sort }));
  });
  return details;
}

// The name of a section or a domain in the report's JSON: short ones are acronyms.
function headingOf(key) {
  return key.length < 5 ? key.toUpperCase() : title(key);
}

// The parts of the report, and its sections, that have a place of their own in the page, or are
// listed below.
const ELSEWHERE = new Set(["answer", "bar", "notices", "by_rank", "imports", "links", "lines", "imbalance", "tasks", "functions", "c_calls",
  "regions", "mpi", "waits", "threads", "processes", "windows", "changes", "stands_out", "trace", "filter", "not_recorded"]);

// Returns tables of all lists in an object, also of those in its objects.
function tablesOf(object, heading = "") {
  return Object.entries(object || {}).filter(([key]) => heading || !ELSEWHERE.has(key)).flatMap(([key, value]) => {
    const named = heading ? heading + ": " + title(key).toLowerCase() : headingOf(key);
    if (Array.isArray(value)) return value.length && typeof value[0] === "object" ? [tableOf(named, value)] : [];
    return value && typeof value === "object" ? tablesOf(value, named) : [];
  });
}

export function showTables(section) {
  const { report, sections } = state.run, tasks = sections.tasks || report.tasks || {};
  section.append(el("div", { class: "head" }, el("h2", {}, "Tables", el("small", {}, "as pinsight report has them"))));
  const list = [
    tableOf("Python functions", report.functions, { first: ["self_ns", "waiting_ns", "total_ns", "calls", "mean_ns", "max_ns", "name", "file"], without: ["min_ns", "module", "ready_ns"] }),
    tableOf("Calls from Python into C", report.c_calls, { first: ["self_ns", "waiting_ns", "calls", "mean_ns", "max_ns", "name", "caller", "caller_file"], without: ["module", "min_ns", "total_ns", "ready_ns"] }),
    tableOf("What held the event loop", tasks.held),
    tableOf("Coroutines", tasks.coroutines),
    tableOf("What tasks waited for", tasks.waits),
    tableOf("Tasks", tasks.tasks),
    tableOf("OpenMP regions", report.regions, { without: ["offset"] }),
    tableOf("MPI functions", report.mpi && report.mpi.functions),
    tableOf("MPI by line", report.mpi && report.mpi.lines),
    tableOf("What threads waited for", report.waits),
    tableOf("Imports", (sections.links || {}).imports),
    tableOf("Threads", report.threads),
    tableOf("Processes", report.processes),
    ...tablesOf({ ...report, ...sections }),
    tableOf("Windows", report.windows), tableOf("Changes of mode", report.changes),
  ];
  section.append(...list.filter(Boolean));
}
