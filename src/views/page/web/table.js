// Tables. A click on a column's head sorts them, and a button shows further rows. A column is {
// key, title, number (right-aligned), show(row) -> text or element, sort(row) -> value }.
// A row with `last` is always shown, after the others.
import { el, link } from "./dom.js";
import { count } from "./format.js";

export function table(columns, rows, { caption, limit = 12, sort = null, empty = "Nothing." } = {}) {
  let shown = limit, by = sort, down = true;
  const body = el("tbody"), head = el("tr"), foot = el("div", { class: "more" });

  function value(row, column) {
    return column.sort ? column.sort(row) : row[column.key];
  }

  function cell(row, column) {
    const content = column.show ? column.show(row) : row[column.key];
    return el("td", { class: [column.number ? "number" : "", column.class || ""].join(" ").trim() }, content === null || content === undefined ? "" : content);
  }

  function fill() {
    const column = columns.find((of) => of.key === by);
    const order = rows.filter((row) => !row.last);
    if (column)
      order.sort((a, b) => {
        const left = value(a, column), right = value(b, column);
        const compared = typeof left === "string" || typeof right === "string" ? String(left).localeCompare(String(right)) : (left || 0) - (right || 0);
        return down ? -compared : compared;
      });
    body.replaceChildren(...[...order.slice(0, shown), ...rows.filter((row) => row.last)].map((row) => el("tr", row.attributes || {}, columns.map((of) => cell(row, of)))));
    head.replaceChildren(...columns.map((of) => el("th", { scope: "col", class: [of.number ? "number" : "", of.class || ""].join(" ").trim(), "aria-sort": of.key === by ? (down ? "descending" : "ascending") : null },
      el("button", { type: "button", on: { click: () => {
        down = by === of.key ? !down : Boolean(of.number);
        by = of.key;
        fill();
      } } }, of.title, el("span", { class: "arrow", "aria-hidden": "true" }, of.key === by ? (down ? "↓" : "↑") : "")))));
    foot.replaceChildren();
    if (order.length > shown)
      foot.append(link("Show " + count(Math.min(order.length - shown, 200)) + " more of " + count(order.length), () => {
        shown += 200;
        fill();
      }));
  }

  if (!rows.length) return el("p", { class: "muted" }, empty);
  fill();
  return el("div", { class: "table" }, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, el("table", {}, el("caption", { class: "hidden" }, caption), el("thead", {}, head), body)), foot);
}

// Makes a bar with parts of a whole, each { ns, class }, beside a number.
export function shareBar(parts, whole) {
  return el("span", { class: "sharebar", "aria-hidden": "true" }, parts.map((part) =>
    el("i", { class: part.class, style: { width: Math.min(100, whole ? (part.ns * 100) / whole : 0) + "%" } })));
}
