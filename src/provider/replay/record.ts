import type { Provider, ProviderEvent, ProviderRequest } from "../../core/provider.ts";
import { messageOf } from "../../core/error.ts";
import { cassetteLineOf, formatCassetteLine } from "./cassette.ts";

/** A cassette that a run writes: all models that answer in it are in the same one. */
export interface Recording {
  /** Texts that must not be in it, keys above all; they are replaced, also those that the list gets later. */
  readonly hide: (secrets: readonly string[]) => void;
  /** Adds a line; what kept it from being written. */
  readonly write: (line: string) => string | undefined;
}

/** Begins a cassette: the file is made with the first line, with rights for its owner alone, or added to. */
export function openRecording(file: string): Recording {
  const hidden = new Set<readonly string[]>();
  /** The file of the first line. What a command puts in its place later is not written to. */
  let first: Deno.FileInfo | undefined;

  function append(line: string): void {
    const before = first || isThere(file) ? Deno.lstatSync(file) : undefined;
    // Opening what is no file might wait for a reader, and a link leads elsewhere.
    if (before && !before.isFile) throw new Error("it is no file");
    using opened = Deno.openSync(file, { append: true, createNew: before === undefined, mode: 0o600 });
    const now = opened.statSync();
    const same = first ?? before ?? now;
    if (now.dev !== same.dev || now.ino !== same.ino) throw new Error("another file is in its place");
    first = now;
    const bytes = new TextEncoder().encode(line);
    for (let done = 0; done < bytes.length;) done += opened.writeSync(bytes.subarray(done));
  }

  function write(line: string): string | undefined {
    let clean = line;
    for (const secret of [...hidden].flat()) {
      // As it stands in JSON: a key with a quote or a backslash looks different there.
      if (secret !== "") clean = clean.replaceAll(JSON.stringify(secret).slice(1, -1), "[key]");
    }
    try {
      append(`${clean}\n`);
      return undefined;
    } catch (error) {
      return `Cannot record to "${file}": ${messageOf(error)}. Choose a file that can be written with --record`;
    }
  }

  return { hide: (secrets) => void hidden.add(secrets), write };
}

/**
 * A provider that answers as another one does and writes each whole reply as one line of a cassette (`--record`). `agentId`:
 * the sub-agent that it answers, where requests do not say so.
 *
 * Aborted replies are left out: a replay could not reproduce the moment. A file that cannot be written is a notice.
 */
export function recordProvider(provider: Provider, recording: Recording, agentId?: string): Provider {
  async function* stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    for await (const event of provider.stream(request, signal)) {
      if (event.type === "end" && event.message.stopReason !== "aborted") {
        const line = formatCassetteLine(cassetteLineOf(event.message, request.agentId ?? agentId));
        const problem = recording.write(line);
        if (problem !== undefined) yield { type: "notice", message: problem };
      }
      yield event;
    }
  }

  return { name: provider.name, model: provider.model, stream };
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
