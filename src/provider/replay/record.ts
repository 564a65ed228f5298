import type { Provider, ProviderEvent, ProviderRequest } from "../../core/provider.ts";
import { messageOf } from "../../core/error.ts";
import type { NamedFile, NamedFiles } from "../../core/named_files.ts";
import { isObject } from "../../core/json.ts";
import { hideSecrets } from "../../core/support/hide_secrets.ts";
import { type CassetteLine, cassetteLineOf } from "./cassette.ts";
import type { Seen } from "./seen.ts";

/** Fields with what people, models and tools said, all that is below them included; the others have words of this format. */
const TEXTS: ReadonlySet<string> = new Set([
  ...["text", "thinking", "args", "refused", "message"],
  ...["task", "options", "places", "changes", "denied", "answer"],
]);

/** A cassette that a run writes: all models that answer in it are in the same one. */
export interface Recording {
  /** What must not be in its texts, keys above all (`hideSecrets`), also those that the list gets later. */
  readonly hide: (secrets: readonly string[]) => void;
  /** Adds a reply, or what was seen besides; what kept it from being written. */
  readonly write: (line: CassetteLine | { readonly seen: Seen }) => string | undefined;
}

/** Begins a cassette: the file is made with the first line, with rights for its owner alone, or added to. */
export function openRecording(files: NamedFiles, file: NamedFile): Recording {
  const hidden = new Set<readonly string[]>();
  /** The file of the first line. What a command puts in its place later is not written to. */
  let first: Deno.FileInfo | undefined;

  function append(line: string): void {
    const before = files.status(file);
    if (first !== undefined && before === undefined) throw new Error("it was removed");
    if (before && !before.isFile) throw new Error("it is not a file");
    using opened = before ? files.append(file, 0o600) : files.create(file, 0o600);
    const now = opened.statSync();
    const same = first ?? before ?? now;
    if (now.dev !== same.dev || now.ino !== same.ino) throw new Error("another file is in its place");
    first = now;
    const bytes = new TextEncoder().encode(line);
    for (let done = 0; done < bytes.length;) done += opened.writeSync(bytes.subarray(done));
  }

  function write(line: CassetteLine | { readonly seen: Seen }): string | undefined {
    const secrets = [...hidden].flat();
    const clean = (value: unknown, isText: boolean): unknown => {
      if (typeof value === "string") return isText ? hideSecrets(value, secrets) : value;
      if (Array.isArray(value)) return value.map((item) => clean(item, isText));
      if (!isObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([field, item]) => [field, clean(item, isText || TEXTS.has(field))]),
      );
    };
    try {
      append(`${JSON.stringify(clean(line, false))}\n`);
      return undefined;
    } catch (error) {
      return `Cannot record to "${file.path}": ${messageOf(error)}. Choose a file that can be written with --record`;
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
        const problem = recording.write(cassetteLineOf(event.message, request.agentId ?? agentId));
        if (problem !== undefined) yield { type: "notice", message: problem };
      }
      yield event;
    }
  }

  return { name: provider.name, model: provider.model, stream };
}
