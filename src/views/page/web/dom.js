// Makes elements. Texts of the trace enter the page only as text nodes, never as markup.

// Makes a text of the trace readable. Control characters, and characters that change the direction
// of writing, become numbers. Long texts are cut.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function clean(text, most = 400) {
  const shown = String(text).replace(HIDDEN, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
  return shown.length > most ? shown.slice(0, most - 1) + "…" : shown;
}

// Makes an element with attributes and children. Text in both becomes clean.
export function el(tag, options, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(options || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") element.className = value;
    else if (key === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (key === "style") for (const [property, of] of Object.entries(value)) element.style.setProperty(property, of);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : clean(value, Infinity));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false).map((child) => (typeof child === "string" ? clean(child, Infinity) : child)));
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

// Makes a button that looks like a link and runs an action.
export function link(text, action, options) {
  return el("button", { type: "button", class: "link", on: { click: action }, ...options }, text);
}

export function name(text, options) {
  return el("bdi", { class: "name", title: clean(text, 2000), ...options }, clean(text));
}
