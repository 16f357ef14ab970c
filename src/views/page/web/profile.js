// What ran in the selection, as a tree: the contexts of all tracks that are selected, those of one chain of functions
// together. Times are sums of what the page's data has for each context and bin of time.
import { waits } from "./colours.js";
import { state } from "./state.js";

// Own times, waiting and calls of each context.
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
    // The whole run has its exact sums, with what was only counted.
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

// Nodes of the tree: { frame, parent, children, self, total, away, totalAway, calls }; the first is all.
export function profile(run, selection) {
  const { nodes, frames } = run, weights = weigh(run, selection);
  const tree = [{ frame: null, parent: null, children: new Map(), self: 0, away: 0, calls: 0, total: 0, totalAway: 0, totalCalls: 0 }];
  const merged = new Int32Array(nodes.count);
  const used = new Uint8Array(nodes.count);
  for (let n = nodes.count - 1; n >= 0; n--) {
    used[n] = used[n] || weights.self[n] > 0 || weights.calls[n] > 0 ? 1 : 0;
    if (used[n] && nodes.parent[n]) used[nodes.parent[n] - 1] = 1;
  }
  for (let n = 0; n < nodes.count; n++) {
    if (!used[n] || !nodes.parent[n]) continue;
    const above = tree[merged[nodes.parent[n] - 1]], same = frames[nodes.frame[n] - 1].same;
    let node = above.children.get(same);
    if (node === undefined) {
      node = tree.length;
      above.children.set(same, node);
      tree.push({ frame: same, parent: above, children: new Map(), self: 0, away: 0, calls: 0, total: 0, totalAway: 0, totalCalls: 0 });
    }
    merged[n] = node;
    const to = tree[node], waited = waits(frames[same]) ? weights.self[n] : Math.min(weights.away[n], weights.self[n]);
    to.self += weights.self[n];
    to.away += waited;
    to.calls += weights.calls[n];
  }
  return sum(tree);
}

function sum(tree) {
  for (let i = tree.length - 1; i >= 0; i--) {
    const node = tree[i];
    node.total += node.self;
    node.totalAway += node.away;
    node.totalCalls += node.calls;
    if (node.parent) {
      node.parent.total += node.total;
      node.parent.totalAway += node.totalAway;
      node.parent.totalCalls += node.totalCalls;
    }
    node.list = [...node.children.values()].map((child) => tree[child]);
  }
  return tree;
}

// The same from what runs to those that call it.
export function invert(tree) {
  const inverted = [{ frame: null, parent: null, children: new Map(), self: 0, away: 0, calls: 0, total: 0, totalAway: 0, totalCalls: 0 }];
  for (const leaf of tree) {
    if (leaf.frame === null || (!leaf.self && !leaf.calls)) continue;
    let at = inverted[0];
    for (let node = leaf; node.frame !== null; node = node.parent) {
      let next = at.children.get(node.frame);
      if (next === undefined) {
        next = inverted.length;
        at.children.set(node.frame, next);
        inverted.push({ frame: node.frame, parent: at, children: new Map(), self: 0, away: 0, calls: 0, total: 0, totalAway: 0, totalCalls: 0 });
      }
      at = inverted[next];
      at.total += leaf.self;
      at.totalAway += leaf.away;
      at.totalCalls += leaf.calls;
    }
    inverted[0].total += leaf.self;
    inverted[0].totalAway += leaf.away;
    inverted[0].totalCalls += leaf.calls;
  }
  for (const node of inverted) node.list = [...node.children.values()].map((child) => inverted[child]);
  return inverted;
}

// Of each function: own time, and with all that it called; a recursion counts once.
export function byFunction(tree) {
  const sums = new Map(), open = new Map();
  const walk = [[tree[0], 0]];
  while (walk.length) {
    const [node, next] = walk[walk.length - 1];
    if (next === 0 && node.frame !== null) {
      const row = sums.get(node.frame) || { frame: node.frame, self: 0, total: 0, away: 0, calls: 0 };
      sums.set(node.frame, row);
      row.self += node.self;
      row.away += node.away;
      row.calls += node.calls;
      if (!open.get(node.frame)) row.total += node.total;
      open.set(node.frame, (open.get(node.frame) || 0) + 1);
    }
    if (next < node.list.length) {
      walk[walk.length - 1][1]++;
      walk.push([node.list[next], 0]);
    } else {
      if (node.frame !== null) open.set(node.frame, open.get(node.frame) - 1);
      walk.pop();
    }
  }
  return [...sums.values()];
}

// Who calls a function, and what it calls: times of the callee within no other call of it.
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
