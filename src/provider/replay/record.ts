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
  function write(line: string): string | undefined {
    let clean = line;
    for (const secret of secrets) {
      // As it stands in JSON: a key with a quote or a backslash looks different there.
      if (secret !== "") clean = clean.replaceAll(JSON.stringify(secret).slice(1, -1), "[key]");
    }
    try {
      Deno.writeTextFileSync(file, `${clean}\n`, { append: true, mode: 0o600 });
      return undefined;
    } catch (error) {
      return `Cannot record to "${file}": ${messageOf(error)}. Choose a file that can be written with --record`;
    }
  }

  async function* stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    for await (const event of provider.stream(request, signal)) {
      if (event.type === "end" && event.message.stopReason !== "aborted") {
        const problem = write(formatCassetteLine(cassetteLineOf(event.message)));
        if (problem !== undefined) yield { type: "notice", message: problem };
      }
      yield event;
    }
  }

  return { name: provider.name, model: provider.model, stream };
}
