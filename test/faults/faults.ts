// What a network and its servers do to a reply, as a table. Each fault knows what has to come of it.
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ODDITIES, whole, type Wired, wired } from "./replies.ts";
import type { Seeded } from "../helpers/seeded.ts";
import type { Api, Turn } from "./task.ts";
import type { Act } from "./wire.ts";

/**
 * What has to come of a request: `reply` is taken as if nothing had been, `retry` is asked again, `again` at once and
 * without being counted, `final` ends the run, `hang` never ends by itself; `either` is a reply or a retry, depending on
 * which bytes were read before the connection broke, or on whether it had been in use before.
 */
export type Outcome = "reply" | "retry" | "again" | "final" | "hang" | "either";

/** The request that a fault happens to. */
export interface Scene {
  readonly turn: Turn;
  readonly api: Api;
  readonly random: Seeded;
  readonly path: string;
  /** Sets the clock of this machine forward or back, where that can be done. */
  readonly jump: (ms: number) => void;
}

/** One thing that can happen. */
export interface Fault {
  readonly name: string;
  readonly outcome: Outcome;
  readonly acts: (scene: Scene) => readonly Act[];
  /** How often, beside 1 for the others. */
  readonly weight?: number;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const write = (data: string | Uint8Array): Act => ({
  type: "write",
  bytes: typeof data === "string" ? bytes(data) : data,
});
const wait = (ms: number): Act => ({ type: "wait", ms });
const HANG: Act = { type: "hang" };
const CLOSE: Act = { type: "close" };
const RESET: Act = { type: "reset" };

interface Response {
  readonly status?: string;
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

type Framing = "chunked" | "length" | "close";
const FRAMINGS: readonly Framing[] = ["chunked", "length", "close"];

interface Delivery {
  readonly framing?: Framing;
  /** Bytes of the body that are sent before `end`. */
  readonly until?: number;
  readonly end?: Act;
  readonly pieces?: number;
  readonly pauseMs?: number;
}

/** Puts a response on the wire in random pieces; without `end` as a server does that means well. */
function deliver(response: Response, random: Seeded, delivery: Delivery = {}): Act[] {
  const { status = "200 OK", headers = {}, body } = response;
  const type = "type" in response ? response.type : "text/event-stream";
  const { framing = random.pick(FRAMINGS), pieces = 1 + random.below(8), pauseMs = 0, end } = delivery;
  const data = typeof body === "string" ? bytes(body) : body;
  const head = [
    `HTTP/1.1 ${status}`,
    ...(type === undefined ? [] : [`content-type: ${type}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(framing === "chunked" ? ["transfer-encoding: chunked"] : []),
    ...(framing === "length" ? [`content-length: ${data.length}`] : []),
    ...(framing === "close" ? ["connection: close"] : []),
  ];
  const acts: Act[] = [write(head.join("\r\n") + "\r\n\r\n")];
  const until = delivery.until ?? data.length;
  const places = Array.from({ length: pieces - 1 }, () => random.below(until + 1)).sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, until]) {
    if (to > from) {
      const part = data.subarray(from, to);
      acts.push(
        ...(framing === "chunked"
          ? [write(`${part.length.toString(16)}\r\n`), write(part), write("\r\n")]
          : [write(part)]),
      );
      if (pauseMs > 0) acts.push(wait(pauseMs));
    }
    from = to;
  }
  if (end !== undefined) return [...acts, end];
  if (framing === "chunked") acts.push(write("0\r\n\r\n"));
  return framing === "close" ? [...acts, CLOSE] : acts;
}

const text = ({ events }: Wired): string => events.join("");
const plain = ({ turn, api, random }: Scene): string => text(wired(turn, api, random));
const streamed = (scene: Scene, response: Partial<Response> = {}, delivery: Delivery = {}): Act[] =>
  deliver({ body: plain(scene), ...response }, scene.random, delivery);

/** A place in the body before which the reply is not complete. */
function early(scene: Scene): { readonly body: string; readonly until: number } {
  const reply = wired(scene.turn, scene.api, scene.random);
  const limit = bytes(reply.events.slice(0, reply.last).join("")).length;
  return { body: text(reply), until: scene.random.below(limit + 1) };
}

function refusal(status: string, headers: Record<string, string> = {}, error: object = {}): (scene: Scene) => Act[] {
  return ({ random }) =>
    deliver({
      status,
      type: "application/json",
      headers,
      body: JSON.stringify({ error: { message: `told ${status}`, ...error } }),
    }, random);
}

const seconds = (ms: number): string => new Date(ms).toUTCString();
const LONG_AGO = Date.UTC(2020, 0, 5, 1, 2, 3);

/** Forms in which a server says when to come back, all of them soon. */
const SOON: readonly (readonly [form: string, headers: Record<string, string>, error?: object])[] = [
  ["seconds", { "retry-after": "0" }],
  ["a fraction of seconds", { "retry-after": "0.01" }],
  ["milliseconds", { "retry-after-ms": "7" }],
  ["both", { "retry-after-ms": "7", "retry-after": "3600" }],
  ["a date that is over", { "retry-after": seconds(LONG_AGO) }],
  ["a date of RFC 850", { "retry-after": "Sunday, 05-Jan-20 01:02:03 GMT" }],
  ["a date of asctime", { "retry-after": "Sun Jan  5 01:02:03 2020" }],
  ["a date by a clock that is ahead", { date: seconds(LONG_AGO + 5e11), "retry-after": seconds(LONG_AGO + 5e11) }],
  ["no number", { "retry-after": "soon" }],
  ["a negative number", { "retry-after": "-5" }],
  ["an empty header", { "retry-after": "" }],
  ["a window in words", { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9ms" }],
  ["a window that is over", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(LONG_AGO / 1000) }],
  ["a window far away", { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "23h59m" }],
  ["a window as a date", { "anthropic-ratelimit-requests-reset": new Date(LONG_AGO).toISOString() }],
  ["words", {}, { message: "Rate limit reached. Please try again in 6ms." }],
  ["a delay in the body", {}, { details: [{ retryDelay: "0.004s" }] }],
  ["nothing", {}],
];

const BUSY = [
  "408 Request Timeout",
  "409 Conflict",
  "425 Too Early",
  "500 Oops",
  "502 Bad Gateway",
  "503 Busy",
  "504 Late",
  "529 Overloaded",
  "599 What",
];
const REFUSED = [
  "400 Bad Request",
  "401 Unauthorized",
  "403 Forbidden",
  "404 Not Found",
  "405 No",
  "422 Unprocessable",
  "501 Not Implemented",
];

const PAGE = "<!doctype html><title>Sign in</title><p>Welcome to the hotel's network";

/** Half of `text`, in the middle of something. */
const half = (data: Uint8Array): Uint8Array => data.subarray(0, Math.floor(data.length * 0.6));

/** All that can happen to a request. */
export const FAULTS: readonly Fault[] = [
  { name: "nothing", outcome: "reply", weight: 12, acts: (scene) => streamed(scene) },
  { name: "latency", outcome: "reply", acts: (scene) => [wait(5 + scene.random.below(60)), ...streamed(scene)] },
  { name: "a stall", outcome: "reply", acts: (scene) => streamed(scene, {}, { pieces: 3, pauseMs: 60 }) },
  { name: "small pieces", outcome: "reply", acts: (scene) => streamed(scene, {}, { pieces: 80, pauseMs: 1 }) },
  {
    name: "a head in pieces",
    outcome: "reply",
    acts: (scene) => {
      const [head, ...rest] = streamed(scene);
      const all = head?.type === "write" ? head.bytes : bytes("");
      const middle = scene.random.below(all.length);
      return [write(all.subarray(0, middle)), wait(5), write(all.subarray(middle)), ...rest];
    },
  },
  {
    name: "an interim answer",
    outcome: "reply",
    acts: (scene) => [write("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"), ...streamed(scene)],
  },
  {
    name: "comments and CRLF",
    outcome: "reply",
    acts: (scene) =>
      streamed(scene, {
        body: ": hello\r\n\r\n" +
          plain(scene).replaceAll("\n", "\r\n").replaceAll("\r\n\r\n", "\r\n: keep-alive\r\n\r\n"),
      }),
  },
  { name: "a byte-order mark", outcome: "reply", acts: (scene) => streamed(scene, { body: `\ufeff${plain(scene)}` }) },
  {
    name: "no [DONE]",
    outcome: "reply",
    acts: (scene) => {
      const { events, last } = wired(scene.turn, scene.api, scene.random);
      return streamed(scene, { body: events.slice(0, last + 1).join("") });
    },
  },
  {
    name: "more after the end",
    outcome: "reply",
    acts: (scene) => streamed(scene, { body: plain(scene) + 'data: {"choices":[{"delta":{"content":"again"}}]}\n\n' }),
  },
  {
    name: "a body that stays open",
    outcome: "reply",
    acts: (scene) => streamed(scene, {}, { framing: "close", end: HANG }),
  },
  {
    name: "another content type",
    outcome: "reply",
    acts: (scene) =>
      streamed(scene, {
        type: scene.random.pick([
          "text/plain",
          "application/json",
          "application/octet-stream",
          "TEXT/EVENT-STREAM; charset=UTF-8",
          "text/html",
        ]),
      }),
  },
  { name: "no content type", outcome: "reply", acts: (scene) => streamed(scene, { type: undefined }) },
  {
    name: "one JSON value",
    outcome: "reply",
    acts: (scene) => streamed(scene, { type: "application/json", body: whole(scene.turn, scene.api) }),
  },
  {
    name: "gzip",
    outcome: "reply",
    acts: (scene) => streamed(scene, { headers: { "content-encoding": "gzip" }, body: gzipSync(plain(scene)) }),
  },
  {
    name: "brotli",
    outcome: "reply",
    acts: (scene) => streamed(scene, { headers: { "content-encoding": "br" }, body: brotliCompressSync(plain(scene)) }),
  },
  {
    name: "gzipped JSON",
    outcome: "reply",
    acts: (scene) =>
      streamed(scene, {
        type: "application/json",
        headers: { "content-encoding": "gzip" },
        body: gzipSync(whole(scene.turn, scene.api)),
      }),
  },
  ...ODDITIES.map((oddity): Fault => ({
    name: oddity,
    outcome: "reply",
    acts: ({ turn, api, random }) => deliver({ body: text(wired(turn, api, random, { oddity })) }, random),
  })),
  {
    name: "a line of 20 MB",
    outcome: "reply",
    weight: 0.1,
    acts: ({ turn, api, random }) =>
      deliver({ body: text(wired(turn, api, random, { padding: "x".repeat(20_000_000) })) }, random),
  },
  {
    name: "cut by the output limit",
    outcome: "reply",
    acts: ({ turn, api, random }) =>
      deliver({ body: text(wired(turn, api, random, { finish: "length", share: random.next() * 0.9 })) }, random),
  },
  {
    name: "a redirect that keeps the request",
    outcome: "again",
    acts: ({ path, random }) =>
      deliver(
        { status: random.pick(["307 Temporary", "308 Permanent"]), headers: { location: path }, body: "" },
        random,
        { framing: "length" },
      ),
  },
  {
    name: "a clock that jumps",
    outcome: "reply",
    acts: (scene) => {
      scene.jump((scene.random.next() - 0.5) * 4 * 24 * 3600_000);
      return streamed(scene);
    },
  },

  // A connection that was in use before and ends without an answer is tried once more by the platform, uncounted.
  { name: "a reset before the answer", outcome: "either", acts: ({ random }) => [wait(random.below(10)), RESET] },
  { name: "an end before the answer", outcome: "either", acts: () => [CLOSE] },
  {
    name: "half a head",
    outcome: "either",
    acts: (scene) => [write("HTTP/1.1 200 OK\r\ncontent-ty"), scene.random.pick([CLOSE, RESET])],
  },
  { name: "no HTTP", outcome: "either", acts: () => [write("SSH-2.0-OpenSSH_9.6\r\n"), CLOSE] },
  {
    name: "a reset in the body",
    outcome: "retry",
    weight: 4,
    acts: (scene) => {
      const { body, until } = early(scene);
      return streamed(scene, { body }, { until, end: RESET });
    },
  },
  {
    name: "an end in the body",
    outcome: "retry",
    weight: 4,
    acts: (scene) => {
      const { body, until } = early(scene);
      return streamed(scene, { body }, { until, end: CLOSE });
    },
  },
  { name: "a reset after the body", outcome: "either", acts: (scene) => streamed(scene, {}, { end: RESET }) },
  { name: "an empty body", outcome: "retry", acts: (scene) => streamed(scene, { body: "" }) },
  {
    name: "an empty body of JSON",
    outcome: "retry",
    acts: (scene) => streamed(scene, { type: "application/json", body: "" }),
  },
  { name: "nothing but comments", outcome: "retry", acts: (scene) => streamed(scene, { body: ": one\n\n: two\n\n" }) },
  {
    name: "a reply that says nothing",
    outcome: "retry",
    acts: ({ api, random }) => deliver({ body: text(wired({ text: "", calls: [] }, api, random)) }, random),
  },
  {
    name: "half a JSON value",
    outcome: "retry",
    acts: (scene) => streamed(scene, { type: "application/json", body: half(bytes(whole(scene.turn, scene.api))) }),
  },
  {
    name: "half of gzip",
    outcome: "retry",
    acts: (scene) => streamed(scene, { headers: { "content-encoding": "gzip" }, body: half(gzipSync(plain(scene))) }),
  },
  {
    name: "half of gzipped JSON",
    outcome: "retry",
    acts: (scene) =>
      streamed(scene, {
        type: "application/json",
        headers: { "content-encoding": "gzip" },
        body: half(gzipSync(whole(scene.turn, scene.api))),
      }),
  },
  {
    name: "gzip that is none",
    outcome: "retry",
    acts: (scene) => streamed(scene, { headers: { "content-encoding": "gzip" } }),
  },
  {
    name: "gzip that is not told",
    outcome: "retry",
    acts: (scene) => streamed(scene, { body: gzipSync(plain(scene)) }),
  },
  {
    name: "a damaged event",
    outcome: "retry",
    acts: (scene) => {
      const { events, last } = wired(scene.turn, scene.api, scene.random);
      const at = scene.random.below(last);
      const damaged = events.map((event, index) => index === at ? `${event.slice(0, event.length / 2)}\n\n` : event);
      return streamed(scene, { body: damaged.join("") });
    },
  },
  {
    name: "an error inside a 200",
    outcome: "retry",
    weight: 2,
    acts: (scene) => {
      const { events, last } = wired(scene.turn, scene.api, scene.random);
      const error = {
        type: "error",
        error: { type: "overloaded_error", code: "overloaded", message: "Too much to do" },
      };
      const event = `${scene.random.chance(0.5) ? "event: error\n" : ""}data: ${JSON.stringify(error)}\n\n`;
      return streamed(scene, { body: [...events.slice(0, scene.random.below(last)), event].join("") });
    },
  },
  {
    name: "an error as a JSON value inside a 200",
    outcome: "retry",
    acts: (scene) =>
      streamed(scene, { type: "application/json", body: '{"error":{"code":503,"message":"Upstream unavailable"}}' }),
  },
  {
    name: "a finish that is an error",
    outcome: "retry",
    acts: ({ turn, api, random }) =>
      deliver({ body: text(wired(turn, api, random, { finish: api === "chat" ? "error" : "server_error" })) }, random),
  },
  ...BUSY.map((status): Fault => ({ name: `${status}`, outcome: "retry", acts: refusal(status) })),
  {
    name: "a page of a gateway",
    outcome: "retry",
    acts: (scene) => streamed(scene, { status: "502 Bad Gateway", type: "text/html", body: PAGE }),
  },
  ...SOON.map(([form, headers, error]): Fault => ({
    name: `429, wait as ${form}`,
    outcome: "retry",
    weight: 0.5,
    acts: refusal("429 Too Many Requests", headers, error),
  })),
  { name: "503 that names a wait", outcome: "retry", acts: refusal("503 Busy", { "retry-after": "0" }) },
  {
    name: "a refusal that breaks off",
    outcome: "retry",
    acts: ({ random }) =>
      deliver(
        { status: "503 Busy", type: "application/json", body: '{"error":{"message":"' + "x".repeat(500) },
        random,
        { framing: "length", until: 200, end: random.pick([CLOSE, RESET]) },
      ),
  },

  ...REFUSED.map((status): Fault => ({ name: `${status}`, outcome: "final", weight: 0.06, acts: refusal(status) })),
  {
    name: "429, no money",
    outcome: "final",
    weight: 0.1,
    acts: refusal("429 Too Many Requests", {}, { code: "insufficient_quota" }),
  },
  {
    name: "429, an hour",
    outcome: "final",
    weight: 0.1,
    acts: refusal("429 Too Many Requests", { "retry-after": "3600" }),
  },
  {
    name: "429, a date in an hour",
    outcome: "final",
    weight: 0.1,
    acts: (scene) => refusal("429 Too Many Requests", { "retry-after": seconds(Date.now() + 3600_000) })(scene),
  },
  {
    name: "429, more than a number holds",
    outcome: "final",
    weight: 0.1,
    acts: refusal("429 Too Many Requests", { "retry-after": "9".repeat(40) }),
  },
  {
    name: "a redirect that loses the request",
    outcome: "final",
    weight: 0.1,
    acts: ({ random }) =>
      deliver({ status: "302 Found", headers: { location: "/login" }, body: "" }, random, { framing: "length" }),
  },
  {
    name: "a redirect to nowhere",
    outcome: "final",
    weight: 0.1,
    acts: ({ random }) =>
      deliver({ status: "307 Temporary", headers: { location: "/loop" }, body: "" }, random, { framing: "length" }),
  },
  {
    name: "a web page",
    outcome: "final",
    weight: 0.1,
    acts: (scene) => streamed(scene, { type: "text/html", body: PAGE }),
  },
  {
    name: "a content filter",
    outcome: "final",
    weight: 0.1,
    acts: ({ turn, api, random }) =>
      deliver({ body: text(wired(turn, api, random, { finish: "content_filter" })) }, random),
  },

  { name: "silence before the answer", outcome: "hang", weight: 0.15, acts: () => [HANG] },
  {
    name: "silence in the body",
    outcome: "hang",
    weight: 0.15,
    acts: (scene) => {
      const { body, until } = early(scene);
      return streamed(scene, { body }, { until, end: HANG });
    },
  },
];

const NOTHING = FAULTS[0]!;
const TOTAL = FAULTS.reduce((sum, { weight = 1 }) => sum + weight, 0);

/** The next thing to happen; never more than that with a share of `calm`. */
export function drawFault(random: Seeded, calm: number): Fault {
  if (random.chance(calm)) return NOTHING;
  let left = random.next() * TOTAL;
  return FAULTS.find(({ weight = 1 }) => (left -= weight) < 0) ?? NOTHING;
}
