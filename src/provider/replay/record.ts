import type { Provider, ProviderEvent, ProviderRequest } from "../../core/provider.ts";
import { messageOf } from "../../core/error.ts";
import { cassetteLineOf, formatCassetteLine } from "./cassette.ts";

/** Where a recording goes. */
export interface RecordOptions {
  /** The cassette; made when missing, with rights for its owner alone, and added to. */
  readonly file: string;
  /** Texts that must not be in it, keys above all; they are replaced. */
  readonly secrets?: readonly string[];
}

/**
 * A provider that answers as another one does and writes each whole reply as one line of a cassette (`--record`).
 *
 * Aborted replies are left out: a replay could not reproduce the moment. A file that cannot be written is a notice.
 */
export function recordProvider(provider: Provider, { file, secrets = [] }: RecordOptions): Provider {
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
    for (const secret of secrets) {
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

  async function* stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    for await (const event of provider.stream(request, signal)) {
      if (event.type === "end" && event.message.stopReason !== "aborted") {
        const problem = write(formatCassetteLine(cassetteLineOf(event.message, request.agentId)));
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
