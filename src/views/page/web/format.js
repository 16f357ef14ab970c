// Writes numbers with units like the report: three significant digits.

// Writes a number with some digits after the point like the report, which rounds halves to the even
// digit. A half is a number whose last bit comes after as many bits as there are digits.
function fixed(value, digits) {
  const bits = value * 2 ** (digits + 1);
  if (!Number.isInteger(bits) || bits % 2 !== 1) return value.toFixed(digits);
  const low = Math.floor(value * 10 ** digits);
  return ((low % 2 ? low + 1 : low) / 10 ** digits).toFixed(digits);
}

export function scaled(value, unit) {
  return fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + " " + unit;
}

export function time(ns) {
  const seconds = Math.round(ns / 1e9);
  if (ns < 1000) return Math.round(ns) + " ns";
  if (ns < 999500) return scaled(ns / 1e3, "µs");
  if (ns < 999500000) return scaled(ns / 1e6, "ms");
  if (ns < 99950000000) return scaled(ns / 1e9, "s");
  if (seconds < 6000) return Math.floor(seconds / 60) + " min " + String(seconds % 60).padStart(2, "0") + " s";
  return Math.floor(seconds / 3600) + " h " + String(Math.floor((seconds % 3600) / 60)).padStart(2, "0") + " min";
}

export function count(number) {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function size(bytes) {
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let scale = 1024, unit = 0;
  if (bytes < 1024) return bytes + (bytes === 1 ? " byte" : " bytes");
  while (unit < 5 && bytes / scale >= 999.5) {
    scale *= 1024;
    unit++;
  }
  return scaled(bytes / scale, units[unit]);
}

export function percent(part, whole) {
  const share = whole ? (part * 100) / whole : 0;
  if (!part || !whole) return "0";
  return share < 0.1 ? "<0.1" : fixed(share, share < 99.95 ? 1 : 0);
}

export function plural(number, one, many) {
  return count(number) + " " + (number === 1 ? one : many || one + "s");
}

// Writes a time on an axis, exact to a step.
export function instant(ns, step) {
  const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  const [unit, scale] = units.find(([, of]) => Math.abs(ns) >= of) || units[3];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9));
  return (ns / scale).toFixed(Math.min(9, digits)) + " " + unit;
}

export function fileName(path) {
  return path ? path.slice(path.lastIndexOf("/") + 1) : "";
}

export function place(file, line) {
  return file ? fileName(file) + (line > 0 ? ":" + line : "") : "";
}

// Returns "DataFrame.__getitem__" for "pandas.core.frame.DataFrame.__getitem__".
export function shortName(name) {
  if (!name || name.includes(" ")) return name || "(not known)";
  if (name.includes("<locals>.")) return name.slice(name.lastIndexOf("<locals>.") + 9);
  return name.split(".").slice(-2).join(".");
}
