import { Buffer } from "node:buffer";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { attempt } from "../core/support/attempt.ts";

/** Longest message of a server, bytes: a large picture fits, a flood does not. */
export const MESSAGE_BYTES = 8 * 1024 * 1024;
/** Deepest nesting of one message: deep enough for any schema, shallow enough for whoever walks it. */
const MOST_DEPTH = 128;
/** What a server may send within a second; more is nothing that anybody waits for. */
const PER_SECOND = { messages: 1_000, bytes: 64 * 1024 * 1024 };

/** A server that broke the rules of its connection; the message is a clause. */
export class BrokenConnection extends Error {
  override readonly name = "BrokenConnection";
}

/** What else than messages a server may print, lines: greetings and forgotten output, which are passed over. */
const MOST_JUNK = 100;

/** Cuts a server's output into lines and gives the messages in them; throws BrokenConnection for what is too much. */
export function messageReader(now: () => number): (bytes: Uint8Array) => JSONRPCMessage[] {
  const parts: Uint8Array[] = [];
  let waiting = 0;
  let junk = 0;
  const rate = { since: now(), messages: 0, bytes: 0 };

  const count = (messages: number, bytes: number): void => {
    if (now() - rate.since > 1_000) Object.assign(rate, { since: now(), messages: 0, bytes: 0 });
    rate.messages += messages;
    rate.bytes += bytes;
    if (rate.messages > PER_SECOND.messages || rate.bytes > PER_SECOND.bytes) {
      throw new BrokenConnection("it sends more than anybody could read");
    }
  };

  const keep = (bytes: Uint8Array): void => {
    waiting += bytes.length;
    if (waiting > MESSAGE_BYTES) throw new BrokenConnection("it sent a message of more than 8 MiB");
    parts.push(bytes);
  };

  return (bytes) => {
    count(0, bytes.length);
    const messages: JSONRPCMessage[] = [];
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(10, start);
      if (end < 0) {
        keep(bytes.slice(start));
        break;
      }
      keep(bytes.subarray(start, end));
      const line = new TextDecoder().decode(Buffer.concat(parts)).trim();
      parts.length = 0;
      waiting = 0;
      start = end + 1;
      if (line === "") continue;
      count(1, 0);
      const message = readMessage(line);
      if (message) messages.push(message);
      else if (++junk > MOST_JUNK) throw new BrokenConnection("it writes something else than messages to its output");
    }
    return messages;
  };
}

/** The message in a line; undefined for what is none. The library sorts messages by their fields and checks these. */
function readMessage(line: string): JSONRPCMessage | undefined {
  if (!line.startsWith("{")) return undefined;
  if (nesting(line) > MOST_DEPTH) throw new BrokenConnection("it sent a message that is nested too deeply");
  const value: unknown = attempt(() => JSON.parse(line));
  const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
  return isMessage ? value as JSONRPCMessage : undefined; // see above
}

/** How deeply the brackets of a JSON text are nested; what stands in strings does not count. */
function nesting(line: string): number {
  let [depth, deepest, inString] = [0, 0, false];
  for (let at = 0; at < line.length; at++) {
    const unit = line.charCodeAt(at);
    if (inString) {
      if (unit === 0x5c) at++;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return deepest;
}
