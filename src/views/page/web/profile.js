// Makes the profile of the selection as a tree. Contexts of all selected tracks with one chain of
// functions are one node. Times are sums over the contexts and bins in the page's data.
import { waits } from "./colours.js";
import { state } from "./state.js";

// Returns the own times, waiting and calls of each context.
function weigh(run, { tracks, from, to }) {
  const { nodes, bins, timeline } = run;
  const weights = { self: new Float64Array(nodes.count), away: new Float64Array(nodes.count), calls: new Float64Array(nodes.count) };
  const wanted = new Uint8Array(timeline.tracks.length);
  for (const track of timeline.tracks) wanted[track.track] = tracks ? tracks.has(track.track) : track.kind === "thread" || track.kind === undefined;
  const first = from === null ? 0 : Math.floor((from - run.binBegin) / run.binWidth), last = from === null ? Infinity : Math.floor((to - run.binBegin) / run.binWidth);
  for (let i = 0; i < bins.self.length; i++) {
    if (!wanted[bins.track[i]] || bins.bin[i] < first || bins.bin[i] > last) continue;
    weights.self[bins.node[i]] += bins.self[i];
    weights.away[bins.node[i]] += bins.away[i];
    weights.calls[bins.node[i]] += bins.calls[i];
  }
  if (from === null) {
    // The whole run has exact sums, which include counted calls.
    const roots = new Set(timeline.tracks.filter((track) => wanted[track.track] && track.root !== undefined).map((track) => track.root));
    const known = new Set(timeline.tracks.map((track) => track.root));
    for (let n = 0; n < nodes.count; n++) {
      const root = Math.floor(nodes.root[n] / 2);
      const counted = !known.has(root) && !tracks;
      weights.self[n] = roots.has(root) || counted ? nodes.self[n] : 0;
      weights.calls[n] = roots.has(root) || counted ? nodes.calls[n] : 0;
    }
  }
  return weights;
}

// A tree that grows by chains of functions. Its nodes are { frame, parent, number, list, self,
// away, calls, total, totalAway, totalCalls }. The first node is the whole.
class Tree {
  constructor() {
    this.nodes = [];
    this.known = new Map(); // node, by its parent's number and its function
    this.add(null, null);
  }

  add(frame, parent) {
    const node = { frame, parent, number: this.nodes.length, list: [], self: 0, away: 0, calls: 0, total: 0, totalAway: 0, totalCalls: 0 };
    this.nodes.push(node);
    if (parent) parent.list.push(node);
    return node;
  }

  // Returns the node of a function beneath a node, and makes it at the first call.
  enter(parent, frame) {
    const key = parent.number * 2 ** 24 + frame, known = this.known.get(key);
    if (known) return known;
    const node = this.add(frame, parent);
    this.known.set(key, node);
    return node;
  }
}

// Returns the tree of the selection as a list of nodes, with parents before their children. Time of
// functions that the filter by module leaves out counts for the functions that called them.
export function profile(run, selection) {
  const { nodes, frames } = run, weights = weigh(run, selection), tree = new Tree();
  const merged = new Array(nodes.count), used = new Uint8Array(nodes.count);
  for (let n = nodes.count - 1; n >= 0; n--) {
    if (!used[n] && (weights.self[n] > 0 || weights.calls[n] > 0)) used[n] = 1;
    if (used[n] && nodes.parent[n]) used[nodes.parent[n] - 1] = 1;
  }
  for (let n = 0; n < nodes.count; n++) {
    if (!used[n]) continue;
    if (!nodes.parent[n]) {
      merged[n] = tree.nodes[0];
      continue;
    }
    const same = frames[nodes.frame[n] - 1].same, above = merged[nodes.parent[n] - 1], { wanted } = frames[same];
    const to = (merged[n] = wanted ? tree.enter(above, same) : above);
    to.self += weights.self[n];
    to.away += waits(frames[same]) ? weights.self[n] : Math.min(weights.away[n], weights.self[n]);
    if (wanted) to.calls += weights.calls[n];
  }
  for (let i = tree.nodes.length - 1; i >= 0; i--) {
    const node = tree.nodes[i], above = node.parent;
    node.total += node.self;
    node.totalAway += node.away;
    node.totalCalls += node.calls;
    if (!above) continue;
    above.total += node.total;
    above.totalAway += node.totalAway;
    above.totalCalls += node.totalCalls;
  }
  return tree.nodes;
}

// Returns the tree from the running functions to their callers.
export function invert(nodes) {
  const tree = new Tree();
  for (const leaf of nodes) {
    if (leaf.frame === null || (!leaf.self && !leaf.calls)) continue;
    for (let at = tree.nodes[0], node = leaf; ; node = node.parent) {
      at.total += leaf.self;
      at.totalAway += leaf.away;
      at.totalCalls += leaf.calls;
      if (node.frame === null) break;
      at = tree.enter(at, node.frame);
    }
  }
  return tree.nodes;
}

// Returns for each function its own time, and the time with its callees. A recursion counts once.
export function byFunction(nodes) {
  const sums = new Map(), open = new Map(), walk = [[nodes[0], 0]];
  while (walk.length) {
    const top = walk[walk.length - 1], [node, next] = top;
    if (next === 0 && node.frame !== null) {
      let row = sums.get(node.frame);
      if (!row) sums.set(node.frame, (row = { frame: node.frame, self: 0, total: 0, away: 0, calls: 0 }));
      row.self += node.self;
      row.away += node.away;
      row.calls += node.calls;
      const above = open.get(node.frame) || 0;
      if (!above) row.total += node.total;
      open.set(node.frame, above + 1);
    }
    if (next < node.list.length) {
      top[1]++;
      walk.push([node.list[next], 0]);
    } else {
      if (node.frame !== null) open.set(node.frame, open.get(node.frame) - 1);
      walk.pop();
    }
  }
  return [...sums.values()];
}

// Returns the callers and the callees of a function. The times of a callee leave out calls within
// another call of it.
export function neighbours(tree, frame) {
  const callers = new Map(), callees = new Map();
  const add = (map, key, node) => {
    const row = map.get(key) || { frame: key, total: 0, self: 0, calls: 0 };
    map.set(key, row);
    row.total += node.total;
    row.self += node.self;
    row.calls += node.calls;
  };
  const within = (node, of) => {
    for (let at = node.parent; at && at.frame !== null; at = at.parent) if (at.frame === of) return true;
    return false;
  };
  for (const node of tree) {
    if (node.frame === frame && !within(node, frame)) add(callers, node.parent.frame, node);
    if (node.parent && node.parent.frame === frame && node.frame !== frame && !within(node, node.frame)) add(callees, node.frame, node);
  }
  return { callers: [...callers.values()], callees: [...callees.values()] };
}

export function selected() {
  return profile(state.run, state.selection);
}
