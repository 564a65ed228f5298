import { messageOf, UserError } from "../../core/error.ts";
import type { Provider } from "../../core/provider.ts";
import { type CassetteEntry, parseCassette } from "./cassette.ts";
import { playEntry } from "./replay.ts";

/** Replies of a cassette that are played before a model is asked. */
export interface Lead {
  /** `live` with the replies before its own: its own lines for each sub-agent. `agentId`: as in `recordProvider`. */
  readonly before: (live: Provider, agentId?: string) => Provider;
}

/**
 * Opens a cassette whose replies come first, each once, for all models of a run together. They cost nothing: what they cost is
 * paid. Throws a UserError for a file that cannot be read or holds a bad line.
 */
export function openLead(file: string, now: () => number = Date.now): Lead {
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    throw new UserError({
      what: `Cannot play ${file} first`,
      why: messageOf(error),
      fix: "Name a recording with sandpiper check --from",
    }, { cause: error });
  }
  const waiting = new Set(parseCassette(text, file).map(withoutCost));
  return {
    before: (live, agentId) => ({
      name: live.name,
      model: live.model,
      stream(request, signal) {
        const asking = request.agentId ?? agentId;
        const entry = [...waiting].find(({ line }) => line.agent === asking);
        if (!entry) return live.stream(request, signal);
        waiting.delete(entry);
        return playEntry(entry, request, { provider: "replay", model: file, timestamp: now() }, signal);
      },
    }),
  };
}

function withoutCost({ line, lineNumber }: CassetteEntry): CassetteEntry {
  if (!line.usage) return { line, lineNumber };
  const { costUsd: _, ...usage } = line.usage;
  return { line: { ...line, usage }, lineNumber };
}
