import { within } from "../../core/support/sleep.ts";
import { type BodyReader, bodyReader } from "./body.ts";
import { BadRequest, latin1Bytes, parseResponseHead, type ProxyRequest, readHead } from "./http_head.ts";
import { carry, closeQuietly, linger, writeAll } from "./relay.ts";

/** Longest head of an answer, bytes. */
const ANSWER_HEAD = 131_072;
/** How many interim answers (1xx) one request may have. */
const MOST_INTERIM = 8;
/** What a client that goes on sending after its answer may take. */
const SENDING_MS = 1_000;

/** Why there is no answer to bring back. */
export interface Fault {
  readonly status: number;
  readonly why: string;
}

/**
 * Sends a checked request with exactly its body and brings back the answer; what the client sends beyond goes nowhere.
 *
 * Gives a fault when nothing was answered yet; rejects when an end is lost in the middle of an answer.
 */
export async function forward(
  client: Deno.Conn,
  server: Deno.Conn,
  { head, framing }: NonNullable<ProxyRequest["forward"]>,
  rest: Uint8Array<ArrayBuffer>,
  active: () => void,
): Promise<Fault | undefined> {
  let fault: Fault | undefined;
  await writeAll(server, latin1Bytes(head));
  const sending = sendBody(client, server, bodyReader(framing), rest, active).catch((error) => {
    if (!(error instanceof BadRequest)) return; // the server has stopped listening and may have answered all the same
    fault = { status: 400, why: error.message };
    closeQuietly(server);
  });
  const answered = await bringHead(server, client, active).catch(() => "the server's answer is cut off");
  if (typeof answered === "string") return fault ?? { status: 502, why: answered };
  await writeAll(client, answered.rest);
  await carry(server, client, active);
  closeQuietly(server);
  await within(SENDING_MS, sending.then(() => linger(client)));
  return undefined;
}

/** Brings back heads up to and with that of the real answer; a sentence for what is none. */
async function bringHead(
  server: Deno.Conn,
  client: Deno.Conn,
  active: () => void,
): Promise<{ readonly rest: Uint8Array<ArrayBuffer> } | string> {
  let rest = new Uint8Array(0);
  for (let interim = 0; interim <= MOST_INTERIM; interim++) {
    const answer = await readHead(server, ANSWER_HEAD, rest);
    active();
    if (answer === "ended") return "the server's answer is cut off";
    const read = answer === "too long" ? undefined : parseResponseHead(answer.head);
    if (!read || answer === "too long") return "the server's answer is not HTTP/1";
    await writeAll(client, latin1Bytes(read.head));
    if (read.status >= 200) return answer;
    rest = answer.rest;
  }
  return "the server's answer does not come to an end";
}

async function sendBody(
  client: Deno.Conn,
  server: Deno.Conn,
  body: BodyReader,
  rest: Uint8Array<ArrayBuffer>,
  active: () => void,
): Promise<void> {
  await writeAll(server, rest.subarray(0, body.take(rest)));
  const buffer = new Uint8Array(65_536);
  while (!body.done()) {
    const count = await client.read(buffer);
    active();
    if (count === null) throw new BadRequest("the body is cut off");
    const bytes = buffer.subarray(0, count);
    await writeAll(server, bytes.subarray(0, body.take(bytes)));
  }
}
