// The modules of functions, and the filter that leaves the functions of some modules.
import { el } from "./dom.js";
import { state, tell, when } from "./state.js";

const MOST_NAMES = 400; // in the list of the field

// Sets each function's module. A callable in C has it in its name, as numpy.dot does.
export function setModules(frames, functions) {
  const byFile = new Map(functions.map((row) => [row.file, row.module]));
  for (const frame of frames) {
    frame.module = (frame.category === "c" ? frame.name.slice(0, Math.max(0, frame.name.lastIndexOf("."))) : byFile.get(frame.file)) || "";
    frame.wanted = true;
  }
}

// Leaves the functions whose modules or files have the text in their names. "" leaves all.
export function filterModules(text) {
  const wanted = text.trim().toLowerCase();
  state.module = wanted && text.trim();
  for (const frame of state.run.frames) frame.wanted = frame.module.toLowerCase().includes(wanted) || frame.file.toLowerCase().includes(wanted);
  tell("module");
}

// Returns the field for the filter, which lists the modules.
export function moduleField() {
  const names = [...new Set(state.run.frames.map((frame) => frame.module).filter(Boolean))].sort().slice(0, MOST_NAMES);
  const field = el("input", { type: "search", list: "modules", placeholder: "Only module …", "aria-label": "Only functions of a module or file",
    on: { input: () => filterModules(field.value), keydown: (event) => event.stopPropagation() } });
  when("module", () => {
    if (field.value.trim() !== state.module) field.value = state.module;
  });
  return [field, el("datalist", { id: "modules" }, names.map((value) => el("option", { value })))];
}
