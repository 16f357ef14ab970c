// Ranks of MPI: their efficiency, their messages, and their wait states.
import { kindColour } from "./colours.js";
import { clean, el, link, name } from "./dom.js";
import { count, place, percent, size, time } from "./format.js";
import { openSource, select, state } from "./state.js";
import { shareBar, table } from "./table.js";

function cards(mpi) {
  const of = mpi.efficiency;
  if (!of) return null;
  const card = (title, value, about) => (value === null || value === undefined ? null : el("div", { class: "card" }, el("span", {}, title), el("b", {}, Math.round(value * 1000) / 10 + " %"), el("small", {}, about)));
  return el("div", { class: "cards" }, card("Parallel efficiency", of.parallel, "of the ranks' time was useful work"), card("Load balance", of.load_balance, "100 % is the same work for each rank"),
    card("Communication", of.communication, "100 % is no time in MPI for the busiest rank"), card("Serialisation", of.serialisation, "waiting for others"), card("Transfer", of.transfer, "moving the data"));
}

function ranks(mpi) {
  const rows = mpi.ranks.filter((rank) => rank.wall_ns);
  const tracksOf = (rank) => {
    const process = state.run.timeline.processes.find((of) => of.rank === rank);
    return process && process.tracks ? new Set(process.tracks.map((track) => track.track)) : null;
  };
  return table([
    { key: "rank", title: "Rank", number: true, show: (row) => link("rank " + row.rank, () => {
      const tracks = tracksOf(row.rank);
      if (tracks) select({ tracks });
      document.getElementById("flame").scrollIntoView();
    }) },
    { key: "share", title: "Work, MPI, waiting", class: "sharecell broad", sort: (row) => row.useful_ns, show: (row) => shareBar([{ ns: row.useful_ns, class: "runs" }, { ns: row.mpi_ns - row.wait_ns, class: "mpi" }, { ns: row.wait_ns, class: "waits" }], row.wall_ns) },
    { key: "useful_ns", title: "Useful", number: true, show: (row) => el("b", {}, time(row.useful_ns)) },
    { key: "mpi_ns", title: "In MPI", number: true, show: (row) => time(row.mpi_ns) },
    { key: "wait_ns", title: "Waiting", number: true, show: (row) => time(row.wait_ns) },
    { key: "sent_bytes", title: "Sent", number: true, show: (row) => size(row.sent_bytes) },
    { key: "received_messages", title: "Messages", number: true, class: "wide", show: (row) => count(row.sent_messages) },
    { key: "hostname", title: "Host", show: (row) => clean(row.hostname || "", 60) },
  ], rows, { caption: "Ranks", limit: 16 });
}

function matrix(mpi) {
  const all = mpi.matrix.filter((cell) => cell.bytes || cell.messages), n = mpi.ranks.length;
  if (!all.length || n > 128) return null;
  const most = Math.max(...all.map((cell) => cell.bytes)), cells = new Map(all.map((cell) => [cell.from + " " + cell.to, cell]));
  const order = mpi.ranks.map((rank) => rank.rank), title = (rank) => (rank === null ? "?" : String(rank));
  return el("div", { class: "block" }, el("h3", {}, "Messages", el("small", {}, "from each rank (rows) to each (columns)")), el("div", { class: "scroll", tabindex: "0" }, el("table", { class: "matrix" },
    el("caption", { class: "hidden" }, "Bytes sent between ranks"),
    el("thead", {}, el("tr", {}, el("th", {}, ""), order.map((rank) => el("th", { scope: "col" }, title(rank))))),
    el("tbody", {}, order.map((from) => el("tr", {}, el("th", { scope: "row" }, title(from)), order.map((to) => {
      const cell = cells.get(from + " " + to), share = cell ? Math.sqrt(cell.bytes / most) : 0;
      return el("td", { style: cell ? { "--share": String(share), "--colour": kindColour("mpi") } : null, title: cell ? `${from} → ${to}: ${count(cell.messages)} messages, ${size(cell.bytes)}` : "" }, cell ? (n <= 16 ? size(cell.bytes) : "") : "");
    })))))));
}

function sideCell(side) {
  return el("span", {}, "rank " + side.rank + " ", side.python_file ? link(place(side.python_file, side.python_line), () => openSource(side.python_file, side.python_line), { class: "link place" }) : "", " ", el("span", { class: "muted" }, clean(side.function || "")));
}

function waits(mpi) {
  const whole = mpi.wait_states.reduce((sum, row) => sum + row.total_ns, 0);
  return el("div", { class: "block" }, el("h3", {}, "Who waited for whom"), table([
    { key: "total_ns", title: "Waited", number: true, show: (row) => el("b", {}, time(row.total_ns)) },
    { key: "share", title: "%", number: true, sort: (row) => row.total_ns, show: (row) => percent(row.total_ns, whole) },
    { key: "count", title: "Times", number: true, show: (row) => count(row.count) },
    { key: "max_ns", title: "Longest", number: true, class: "wide", show: (row) => time(row.max_ns) },
    { key: "kind", title: "Why", show: (row) => row.kind.replace(/_/g, " ") },
    { key: "suffers", title: "Who waits", sort: (row) => row.suffers.rank, show: (row) => sideCell(row.suffers) },
    { key: "causes", title: "For whom", sort: (row) => row.causes.rank, show: (row) => sideCell(row.causes) },
  ], mpi.wait_states, { caption: "Wait states", sort: "total_ns", limit: 8, empty: "No rank waited for another one." }));
}

function imbalance(run) {
  const rows = run.sections.imbalance || [];
  if (!rows.length) return null;
  return el("div", { class: "block" }, el("h3", {}, "Imbalance by function"), table([
    { key: "imbalance_ns", title: "Imbalance", number: true, show: (row) => el("b", {}, time(row.imbalance_ns)) },
    { key: "min_ns", title: "Least", number: true, show: (row) => time(row.min_ns) },
    { key: "mean_ns", title: "Mean", number: true, show: (row) => time(row.mean_ns) },
    { key: "max_ns", title: "Most", number: true, show: (row) => time(row.max_ns) },
    { key: "max_rank", title: "By", show: (row) => (row.over === "ranks" ? "rank " + row.max_rank : "thread " + row.max_tid) },
    { key: "name", title: "Function", show: (row) => [name(row.name || "(not known)"), " ", row.file && link(place(row.file, row.line), () => openSource(row.file, row.line), { class: "link place" })] },
  ], rows, { caption: "Imbalance by function", limit: 8 }));
}

export function hasRanks(run) {
  return Boolean((run.report.mpi && run.report.mpi.ranks.length) || (run.sections.imbalance || []).length);
}

export function showRanks(section) {
  const { run } = state, mpi = run.report.mpi;
  section.append(el("div", { class: "head" }, el("h2", {}, mpi ? "Ranks" : "Balance")));
  for (const part of mpi ? [cards(mpi), ranks(mpi), waits(mpi), matrix(mpi), imbalance(run)] : [imbalance(run)]) if (part) section.append(part);
}
