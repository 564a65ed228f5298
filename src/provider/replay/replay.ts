import { messageOf, UserError } from "../../core/error.ts";
import { type Provider, type ProviderFailure, type ProviderRequest, systemText } from "../../core/provider.ts";
import { textOf } from "../../core/message.ts";
import { type CassetteEntry, parseCassette } from "./cassette.ts";
import { playFailure, playLine } from "./playback.ts";

/** A provider that plays a cassette file. Throws a UserError for a file that cannot be read or holds a bad line. */
export async function openReplay(file: string, now: () => number = Date.now): Promise<Provider> {
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    throw new UserError({
      what: `Cannot open cassette "${file}"`,
      why: messageOf(error),
      fix: `Name a file of JSON lines that exists, or make one with --record ${file}`,
    }, { cause: error });
  }
  return openReplayText(text, file, now);
}

/**
 * A provider that plays a cassette's text: one reply for each request, in order, failed ones included.
 *
 * `name` is what messages and errors call it. Throws a UserError for a bad line or a text without any.
 */
export function openReplayText(text: string, name: string, now: () => number = Date.now): Provider {
  const entries = parseCassette(text, name);
  if (entries.length === 0) {
    throw new UserError({
      what: `Cannot use cassette "${name}"`,
      why: "it holds no reply",
      fix: `Write one JSON object a line, for example {"text":"Done."}`,
    });
  }
  const played = new Set<CassetteEntry>();
  return {
    name: "replay",
    model: name,
    stream(request, signal) {
      const own = linesFor(request, entries);
      const entry = own.find((one) => !played.has(one));
      if (entry) played.add(entry);
      const stamp = { provider: "replay", model: name, timestamp: now() };
      if (!entry) return playFailure(atItsEnd(name, own.length), stamp);
      const missing = missingText(request, entry.line.expect ?? []);
      if (missing === undefined) return playLine(entry, stamp, signal);
      return playFailure(unmet(name, entry.lineNumber, missing), stamp);
    },
  };
}

/** The lines of this sub-agent, else those that name this conversation; where none does, those that name none. */
function linesFor({ messages, agentId }: ProviderRequest, all: readonly CassetteEntry[]): readonly CassetteEntry[] {
  const its = agentId === undefined ? [] : all.filter(({ line }) => line.agent === agentId);
  if (its.length > 0) return its;
  const entries = all.filter(({ line }) => line.agent === undefined);
  const first = messages.find(({ role }) => role === "user");
  const words = first?.role === "user" ? textOf(first.content) : "";
  const named = entries.filter(({ line: { conversation } }) =>
    conversation !== undefined && words.includes(conversation)
  );
  return named.length > 0 ? named : entries.filter(({ line }) => line.conversation === undefined);
}

/** The first of `wanted` that the request does not hold, taken literally or as JSON writes it. */
function missingText({ system, messages, tools }: ProviderRequest, wanted: readonly string[]): string | undefined {
  if (wanted.length === 0) return undefined;
  const sent = JSON.stringify({ system: systemText(system), messages, tools });
  return wanted.find((text) => !sent.includes(text) && !sent.includes(JSON.stringify(text).slice(1, -1)));
}

function atItsEnd(name: string, count: number): ProviderFailure {
  const replies = count === 1 ? "1 reply" : `${count} replies`;
  return {
    kind: "bad_request",
    message: `Cassette "${name}" is at its end: it holds ${replies} and the run asked for one more. ` +
      "Add a line for it, or record the run again",
    retry: false,
  };
}

function unmet(name: string, lineNumber: number, missing: string): ProviderFailure {
  return {
    kind: "bad_request",
    message: `Cassette "${name}", line ${lineNumber}, expects ${JSON.stringify(missing)} in the request; ` +
      "it is not there",
    retry: false,
  };
}
