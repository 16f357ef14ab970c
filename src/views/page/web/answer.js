// The answer: the run, the use of its time, its insights, and the user's functions.
import { clean, el, link, name } from "./dom.js";
import { count, fileName, percent, place, plural, shortName, size, time } from "./format.js";
import { kindColour } from "./colours.js";
import { openSource, choose, select, state } from "./state.js";
import { shareBar, table } from "./table.js";

// The insights that are shown at first, as in the summary.
const SHOWN = 4;

function kindOfPart(part) {
  return part.category === "python" ? "users" : part.category || "wait";
}

function facts(run) {
  const { report } = run, trace = report.trace;
  const processes = report.processes.filter((process) => process.events);
  const hosts = new Set(processes.map((process) => process.hostname));
  const list = [[time(trace.wall_ns || trace.duration_ns), trace.wall_ns ? "wall time" : "recorded"]];
  if (trace.processor_ns) list.push([time(trace.processor_ns), "processor time"]);
  list.push([plural(processes.length, "process", "processes"), plural(run.sections.answer.threads, "thread") + (hosts.size > 1 ? ", " + hosts.size + " hosts" : "")]);
  if (trace.overhead_ns !== null) list.push(["about " + time(trace.overhead_ns), "cost of looking"]);
  if (!run.region) list.push([count(trace.events), "events, " + size(trace.bytes)]);
  return el("dl", { class: "facts" }, list.map(([value, of]) => el("div", {}, el("dt", {}, of), el("dd", {}, value))));
}

function bar(run) {
  const { parts, threads } = run.sections.bar, whole = parts.reduce((sum, part) => sum + part.ns, 0);
  if (!whole) return null;
  const shown = [...parts].sort((a, b) => a.waits - b.waits);
  const paint = (part) => ({ "--colour": kindColour(kindOfPart(part)) });
  return el("div", { class: "block" },
    el("h2", {}, "Where the time went", el("small", {}, time(whole) + (threads > 1 ? " in " + threads + " threads" : ""))),
    el("div", { class: "bar", role: "img", "aria-label": shown.map((part) => part.name + " " + percent(part.ns, whole) + " %").join(", ") },
      shown.map((part) => el("i", { class: part.waits ? "waits" : "", title: part.name + " " + time(part.ns), style: { ...paint(part), flex: String(part.ns / whole) } }))),
    el("ul", { class: "legend" }, shown.map((part) => el("li", {}, el("i", { class: part.waits ? "waits" : "", style: paint(part) }), part.name, el("b", {}, percent(part.ns, whole) + " %"), el("span", {}, time(part.ns))))));
}

// Shows the function that ran longest, if no rule finds anything.
function mostTime(run) {
  const most = run.sections.answer.functions.filter((row) => row.name).sort((a, b) => b.running_ns - a.running_ns)[0];
  const whole = run.sections.bar.parts.filter((part) => !part.waits).reduce((sum, part) => sum + part.ns, 0);
  if (!most || most.running_ns * 20 < whole) return null;
  const line = most.callee_at || most.line;
  return el("div", { class: "block" }, el("h2", {}, "What stands out"), el("ol", { class: "findings calm" }, el("li", {},
    el("span", { class: "share", title: time(most.running_ns) }, Math.round((most.running_ns * 100) / Math.max(1, whole)) + " %"),
    el("div", {}, el("p", {}, "Of the running time, most is in ", name(most.name), ": " + time(most.running_ns) + (most.calls > 1 ? " in " + plural(most.calls, "call") : "") + ". No rule found more."),
      most.file && link(place(most.file, line), () => openSource(most.file, line)), most.callee && el("span", { class: "muted" }, " calls ", name(shortName(most.callee)))))));
}

// Returns the function around a line: the one in the file that begins last before the line.
function functionAt(run, file, line) {
  let found = null;
  run.frames.forEach((frame, index) => {
    if (frame.category !== "python" || !file || frame.file !== file || frame.line > line) return;
    if (found === null || frame.line > run.frames[found].line) found = index;
  });
  return found === null ? null : run.frames[found].same;
}

function showInTimeline(frame) {
  choose(frame);
  document.getElementById("timeline").scrollIntoView({ block: "start" });
}

// Returns the share of an insight, as its sentence compares it; otherwise of the time of all threads.
function shareOf(finding) {
  return Math.min(100, Math.round((finding.within_ns ? finding.ns / finding.within_ns : finding.share) * 100)) + " %";
}

// Shows the insights: the sentence, its share, and links to its place.
function findings(run) {
  const list = run.report.stands_out;
  if (!list.length) return mostTime(run);
  return el("div", { class: "block" }, el("h2", {}, "What stands out"), el("ol", { class: "findings" }, list.map((finding, at) =>
    el("li", { class: at < SHOWN ? "" : "later", hidden: at >= SHOWN }, el("span", { class: "share", title: time(finding.ns) + (finding.within_ns ? " of " + time(finding.within_ns) : "") }, shareOf(finding)),
      el("div", {}, el("p", {}, clean(finding.text, 2000)),
        finding.file && link(place(finding.file, finding.line), () => openSource(finding.file, finding.line)),
        functionAt(run, finding.file, finding.line) !== null && link("in the timeline", () => showInTimeline(functionAt(run, finding.file, finding.line)), { class: "link also" }),
        finding.option && el("code", { class: "muted" }, "pinsight report --" + finding.option))))), moreFindings(list.length));
}

function moreFindings(number) {
  if (number <= SHOWN) return null;
  const button = link("Show " + (number - SHOWN) + " more", () => {
    for (const item of document.querySelectorAll(".findings .later")) item.hidden = false;
    button.remove();
  });
  return el("p", { class: "more" }, button);
}

export function frameOf(run, named, file, line) {
  const found = run.frames.findIndex((frame) => frame.name === named && frame.file === file && (frame.line === line || !line));
  return found < 0 ? null : run.frames[found].same;
}

function lookAt(run, row) {
  const frame = frameOf(run, row.name, row.file, row.line);
  select({});
  if (frame !== null) choose(frame);
  document.getElementById("flame").scrollIntoView({ block: "start" });
}

function functions(run) {
  const { whole_ns: whole, functions: all } = run.sections.answer;
  const rows = all.filter((row) => row.name || row.running_ns + row.waiting_ns > whole / 100).map((row) => ({ ...row, last: !row.name }));
  if (!rows.length || (rows.length === 1 && !rows[0].name)) return null;
  const both = (row) => row.running_ns + row.waiting_ns;
  const waiting = rows.some((row) => row.waiting_ns * 100 > whole);
  return el("div", { class: "block" }, el("h2", {}, "Your functions", el("small", {}, "with the libraries that they call")), table([
    { key: "name", title: "Function", show: (row) => (row.name ? link(name(row.name), () => lookAt(run, row)) : el("span", { class: "muted" }, "(libraries)")) },
    { key: "share", title: "Share", class: "sharecell", sort: both, show: (row) => [shareBar([{ ns: row.running_ns, class: "runs" }, { ns: row.waiting_ns, class: "waits" }], whole), el("span", {}, percent(both(row), whole) + " %")] },
    { key: "time", title: "Own", number: true, sort: both, show: (row) => el("b", {}, time(both(row))) },
    ...(waiting ? [{ key: "waiting_ns", title: "Waiting", number: true, class: "middle", show: (row) => time(row.waiting_ns) }] : []),
    { key: "total_ns", title: "Total", number: true, class: "wide", sort: (row) => row.total_ns || 0, show: (row) => (row.calls ? time(row.total_ns) : "") },
    { key: "calls", title: "Calls", number: true, class: "middle", show: (row) => (row.calls ? count(row.calls) : "") },
    { key: "mean_ns", title: "Mean", number: true, class: "wide", sort: (row) => row.mean_ns || 0, show: (row) => (row.calls ? time(row.mean_ns) : "") },
    { key: "max_ns", title: "Longest", number: true, class: "wide", sort: (row) => row.max_ns || 0, show: (row) => (row.calls > 1 && row.max_ns >= row.mean_ns ? time(row.max_ns) : "") },
    { key: "place", title: "Where most goes", class: "wraps", sort: (row) => row.file || "", show: (row) => row.file && row.name ? [link(place(row.file, row.callee_at || row.line), () => openSource(row.file, row.callee_at || row.line), { class: "link place" }), row.callee && el("span", { class: "muted" }, " → ", name(shortName(row.callee)))] : "" },
  ], rows, { caption: "Your functions by time", limit: 10, sort: "time" }));
}

function notRecorded(run) {
  const notices = run.sections.notices, wrong = notices.filter((notice) => notice.wrong);
  const lost = notices.filter((notice) => notice.loss && !notice.wrong), rest = notices.filter((notice) => !notice.loss);
  return el("div", { class: "block" },
    wrong.length > 0 && el("ul", { class: "wrong" }, wrong.map((notice) => el("li", {}, clean(notice.text, 2000)))),
    lost.length > 0 ? el("ul", {}, lost.map((notice) => el("li", {}, clean(notice.text, 2000)))) : !wrong.length && el("p", { class: "muted" }, "Nothing was lost: no event discarded, no call lost."),
    rest.length + 1 > 0 && el("details", {}, el("summary", {}, "What was not recorded"), el("ul", {}, rest.map((notice) => el("li", {}, clean(notice.text, 2000))), el("li", {}, clean(run.report.not_recorded.unseen, 2000)))));
}

export function commandOf(run) {
  const process = run.report.processes.find((of) => of.command && of.events);
  return run.region || run.command || (process && process.command) || fileName(run.report.trace.path) || "A run";
}

export function showAnswer(section) {
  const { run } = state;
  section.append(el("h1", { title: clean(commandOf(run), 4000) }, clean(commandOf(run), 300)),
    run.signal ? el("p", { class: "wrong ended" }, "Ended by signal " + run.signal) : run.exitStatus ? el("p", { class: "wrong ended" }, "Exit status " + run.exitStatus) : "", facts(run));
  if (!run.report.threads.length) section.append(el("p", {}, "Nothing was recorded in this run."));
  for (const part of [findings(run), bar(run), functions(run), notRecorded(run)]) if (part) section.append(part);
}
