import type { ToolRejections } from "../../agent/deps.ts";
import type { KnownTool, Toolset } from "./toolset.ts";

/** Tools of a session that the model's provider rejects, so that one bad tool does not end every request. */
export interface RejectedTools {
  readonly forReply: () => ToolRejections;
}

/** Requests of one reply that are made again without a tool that the provider names. Rejected requests cost nothing. */
const MAX_NAMED = 8;
/** Servers that are tried one by one if it names none. */
const MAX_SERVERS = 4;
/** Statuses of an answer to a request that is not valid, whatever in it is wrong. */
const INVALID: ReadonlySet<number | undefined> = new Set([400, 422]);

/**
 * Leaves tools of MCP servers and extensions out of requests that the provider rejects: the one that it names, otherwise
 * those of each server in turn, and at last those of all servers. If that helps, they stay out for this model, until
 * their server describes them otherwise; if it does not, they are sent again.
 */
export function createRejectedTools(
  { toolset, retake, model }: {
    readonly toolset: Pick<Toolset, "active" | "leaveOut">;
    /** Called when the next request has other tools. */
    readonly retake: () => void;
    /** The model that answers, as it is shown. */
    readonly model: () => string;
  },
): RejectedTools {
  let kept: readonly string[] = [];
  let keptFor = "";

  const leaveOut = (names: readonly string[]): void => {
    toolset.leaveOut(names);
    retake();
  };

  return {
    forReply() {
      if (kept.length > 0 && keptFor !== model()) leaveOut(kept = []);
      const named: KnownTool[] = [];
      const clauses: string[] = [];
      /** What is left to try if the provider names no tool. */
      let guesses: (readonly KnownTool[])[] | undefined;
      let guess: readonly KnownTool[] = [];
      const namesOf = (tools: readonly KnownTool[]): readonly string[] => tools.map(({ tool }) => tool.name);

      return {
        leaveOut(failure) {
          const brought = toolset.active().filter(({ origin }) => origin !== "builtin");
          const blamed = brought.filter(({ tool }) => failure.tools?.includes(tool.name));
          if (blamed.length > 0 && named.length < MAX_NAMED) {
            named.push(...blamed);
            clauses.push(`${blamed.map(shown).join(", ")}: ${failure.message}`);
          } else {
            if (!INVALID.has(failure.status)) return false;
            const next = (guesses ??= guessesOf(brought)).shift();
            if (next === undefined) return false;
            guess = next;
          }
          leaveOut([...kept, ...namesOf(named), ...namesOf(guess)]);
          return true;
        },
        settle(isAccepted) {
          if (named.length === 0 && guess.length === 0) return [];
          if (!isAccepted) {
            leaveOut(kept);
            return [];
          }
          kept = [...kept, ...namesOf(named), ...namesOf(guess)];
          keptFor = model();
          const servers = [...new Set(guess.map(({ server }) => `"${server}"`))];
          return [
            ...clauses.map((clause) => `A tool is left out, because the model's provider rejects it: ${clause}`),
            ...(servers.length === 0 ? [] : [
              `The tools of the MCP server ${servers.join(", ")} are left out: the model's provider rejects requests ` +
              `with them and does not say which one is wrong (${namesOf(guess).slice(0, 8).join(", ")})`,
            ]),
          ];
        },
      };
    },
  };
}

/** The tools of each server alone, then those of all. */
function guessesOf(brought: readonly KnownTool[]): (readonly KnownTool[])[] {
  const byServer = Map.groupBy(brought.filter(({ server }) => server !== undefined), ({ server }) => server);
  const each = [...byServer.values()];
  if (each.length < 2) return each;
  return [...each.slice(0, MAX_SERVERS), each.flat()];
}

function shown({ tool, server }: KnownTool): string {
  return server === undefined ? tool.name : `${tool.name} (MCP server "${server}")`;
}
