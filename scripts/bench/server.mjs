// A scripted model on loopback: node server.mjs --scenario FILE --peer FILE --port N --log FILE [--var k=v …]
// Prints READY once it listens. Writes one JSON line a request to the log, once it is answered; times are microseconds since the epoch.
import fs from "node:fs";
import http from "node:http";
import { Buffer } from "node:buffer";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { parseArgs } from "node:util";
import zlib from "node:zlib";
import { loadScenario, mapCall } from "./scenario.mjs";
import { FORMATS } from "./wire.mjs";

const { values: given } = parseArgs({
  options: {
    scenario: { type: "string" },
    peer: { type: "string" },
    port: { type: "string" },
    log: { type: "string" },
    var: { type: "string", multiple: true, default: [] },
  },
});
const vars = Object.fromEntries(given.var.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
const scenario = loadScenario(given.scenario, vars);
const peer = JSON.parse(fs.readFileSync(given.peer, "utf8"));
const log = fs.openSync(given.log, "w");
const epochUs = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

/** More than a small file's worth of tokens would make some peers shorten their history. */
const USAGE_CAP = 20_000;
const connections = new WeakMap();
let connectionCount = 0;
let sequence = 0;
let previousEnd = 0;
let previousTurn = -1;

const server = http.createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, (request, response) => {
  const record = { t_us: epochUs(), connection: connections.get(request.socket), path: request.url };
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    record.t_body_us = epochUs();
    answer(request, response, Buffer.concat(parts), record).then(() => {
      fs.writeSync(log, JSON.stringify(record) + "\n");
    });
  });
});
server.on("connection", (socket) => connections.set(socket, ++connectionCount));

async function answer(request, response, bytes, record) {
  const path = new URL(request.url, "http://host").pathname;
  const format = Object.values(FORMATS).find((format) => request.method === "POST" && format.path.test(path));
  if (!format) {
    record.kind = "other";
    const models = { object: "list", data: [{ id: "bench", object: "model", created: 0, owned_by: "bench" }] };
    const isList = path.endsWith("/models");
    response.writeHead(isList ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isList ? models : { error: { message: "not served here" } }));
    return;
  }
  const raw = decoded(bytes, request.headers["content-encoding"]);
  const body = JSON.parse(raw);
  const { answers, systemChars, tools } = format.read(body);
  const isSide = tools.length === 0;
  Object.assign(record, {
    kind: isSide ? "side" : "main",
    bytes: Buffer.byteLength(raw),
    system_chars: systemChars,
    tools_bytes: body.tools ? Buffer.byteLength(JSON.stringify(body.tools)) : 0,
    tools: tools.length,
  });
  const reply = isSide
    ? { text: "Benchmark run", calls: [], chunk: 24 }
    : play(turnOf(raw, answers), raw, tools, record);
  if (reply.waitMs) await new Promise((resolve) => setTimeout(resolve, reply.waitMs));
  reply.usage = { input: Math.min(USAGE_CAP, Math.ceil(raw.length / 4)), output: Math.ceil(reply.text.length / 4) + 1 };
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const events = format.write(body, reply, `b${sequence++}`);
  for (let event = events.next(), next; !event.done; event = next) {
    next = events.next();
    if (next.done) {
      // The moment from which the peer's own time counts.
      record.t_end_us = epochUs();
      response.end(event.value);
    } else if (!response.write(event.value)) {
      await drained(response);
    }
  }
  if (!isSide) previousEnd = record.t_end_us;
}

function drained(response) {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.on("drain", go);
    response.on("close", go);
  });
}

/** The reply of one turn; notes in `record` how long the peer took and whether it brought what its tools gave. */
function play(turn, raw, offered, record) {
  record.turn = turn;
  if (previousEnd && turn > previousTurn) record.since_us = record.t_body_us - previousEnd;
  const expected = (scenario.turns[turn - 1]?.calls ?? []).map((call) => call.expect).filter(Boolean);
  record.lost = expected.filter((text) => !raw.includes(JSON.stringify(text).slice(1, -1)));
  const { text, calls, chunk, waitMs } = scenario.turns[turn] ?? { text: "", calls: [] };
  const mapped = calls.map((call, i) => ({ id: `call_bt${turn}_${i}`, ...mapCall(call, peer, vars) }));
  record.missing = mapped.map((call) => call.name).filter((name) => !offered.includes(name));
  previousTurn = turn;
  return { text, calls: mapped, chunk: chunk ?? scenario.chunk ?? 24, waitMs };
}

/** Ids of our calls carry the turn, and the newest wins: that survives a shortened history. */
function turnOf(raw, answers) {
  const at = raw.lastIndexOf("_bt");
  const id = at < 0 ? null : /^_bt(\d+)_\d/.exec(raw.slice(at, at + 16));
  return id ? Number(id[1]) + 1 : answers;
}

function decoded(bytes, encoding) {
  if (encoding === "gzip") return zlib.gunzipSync(bytes).toString();
  if (encoding === "br") return zlib.brotliDecompressSync(bytes).toString();
  if (encoding === "zstd" && zlib.zstdDecompressSync) return zlib.zstdDecompressSync(bytes).toString();
  return bytes.toString();
}

server.listen(Number(given.port), "127.0.0.1", () => console.log("READY"));
process.on("SIGTERM", () => process.exit(0));
