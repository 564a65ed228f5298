import type { HttpWay } from "./deps.ts";
import { MESSAGE_BYTES } from "./lines.ts";

/** Longest answer that is no stream of events, and longest single event, bytes. */
const LONGEST = MESSAGE_BYTES;
/** What a stream of events may bring within a second, bytes. */
const PER_SECOND = 64 * 1024 * 1024;

/** A `fetch` with bounded answers: one that grows past its limit is cut off and fails. */
export function boundedFetch(
  { fetch }: Pick<HttpWay, "fetch">,
  now: () => number = () => performance.now(),
): HttpWay["fetch"] {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit(isStream, now)), { status, statusText, headers });
  };
}

function limit(isStream: boolean, now: () => number): TransformStream<Uint8Array, Uint8Array> {
  let since = now();
  let inSecond = 0;
  // Bytes since the last empty line, which ends an event; of an answer that is no stream all of them.
  let waiting = 0;
  let endedLine = false;
  return new TransformStream({
    transform(bytes, controller) {
      if (now() - since > 1_000) [since, inSecond] = [now(), 0];
      inSecond += bytes.length;
      waiting += bytes.length;
      if (isStream) {
        const end = lastEmptyLine(bytes, endedLine);
        if (end >= 0) waiting = bytes.length - end;
        endedLine = bytes.at(-1) === 10 || bytes.at(-1) === 13;
      }
      if (waiting > LONGEST) return controller.error(new Error("it sent a message of more than 8 MiB"));
      if (inSecond > PER_SECOND) return controller.error(new Error("it sends more than anybody could read"));
      controller.enqueue(bytes);
    },
  });
}

/** Where the last event ends; -1 where none does. `after`: what came before ended with a line. */
function lastEmptyLine(bytes: Uint8Array, after: boolean): number {
  for (let at = bytes.length - 1; at >= 0; at--) {
    if (bytes[at] !== 10 && bytes[at] !== 13) continue;
    const before = at === 0 ? (after ? 10 : 0) : bytes[at - 1];
    // CR LF is one end of a line, LF LF and CR CR are two.
    if (before === bytes[at] || (before === 10 && bytes[at] === 13)) return at + 1;
  }
  return -1;
}
