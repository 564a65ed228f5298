// One session's tools with somebody who answers: the test's program. Reads what to do as JSON from its only argument and
// prints what came of it.
import { textOf } from "../../src/core/message.ts";
import type { Denial, PermissionAnswer } from "../../src/core/event.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { configure } from "../../src/config/config.ts";
import { parseCommandLine } from "../../src/config/options/parse.ts";
import type { Settings } from "../../src/config/settings/settings_table.ts";
import { approving } from "../../src/engine/tools/approval.ts";
import { openTools } from "../../src/engine/tools/tools_host.ts";
import { readWorld } from "../../src/config/host_environment.ts";

/** One tool call, or something that happens between two. */
export type Step =
  | {
    readonly tool: string;
    readonly args: JsonObject;
    /** What is answered, should there be questions; then "no". */
    readonly answers?: readonly PermissionAnswer[];
    /** Replaces a path by a link to another after the question and before the answer. */
    readonly swap?: readonly [path: string, to: string];
    /** Stops the run at the question. */
    readonly abort?: boolean;
    /** Goes on beside the next step. */
    readonly beside?: boolean;
  }
  | { readonly grant: Denial }
  /** Allows a denial of this session, as `/allow` does. */
  | { readonly allow: Denial; readonly duration: "session" | "project" };

export interface Script {
  readonly args: readonly string[];
  /** Nobody can be asked. */
  readonly mute?: boolean;
  /** `projects` of the user's settings. */
  readonly projects?: JsonObject;
  readonly steps: readonly Step[];
}

/** What came of a step. */
export interface Seen {
  readonly text: string;
  readonly isError: boolean;
  readonly details: JsonObject | null;
  readonly asked: readonly Denial[];
  readonly trouble: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly active: readonly string[];
  /** What can be allowed now. */
  readonly open: readonly Denial[];
}

if (import.meta.main) {
  const script: Script = JSON.parse(Deno.args[0] ?? "");
  const config = configure(parseCommandLine(script.args), readWorld());
  let step: Step | undefined;
  let asked: Denial[] = [];
  let answers: PermissionAnswer[] = [];
  let trouble: string[] = [];
  let ending = new AbortController();
  const asker = {
    ask: (denial: Denial): Promise<PermissionAnswer> => {
      asked.push(denial);
      if (step && "swap" in step && step.swap) {
        const [path, to] = step.swap;
        Deno.renameSync(path, `${path}.old`);
        Deno.symlinkSync(to, path);
      }
      if (step && "abort" in step && step.abort) ending.abort();
      return Promise.resolve(answers.shift() ?? "no");
    },
    onTrouble: (sentence: string): void => void trouble.push(sentence),
  };
  const user = script.projects ? { ...config.user, projects: script.projects } as Settings : config.user; // as the file says
  const tools = openTools({ ...config, user }, true, script.mute ? undefined : approving(asker));
  const seen: Seen[] = [];
  const running: Promise<void>[] = [];
  try {
    for (step of script.steps) {
      [asked, trouble, ending] = [[], [], new AbortController()];
      const [ownAsked, ownTrouble] = [asked, trouble];
      const note = (text: string, isError: boolean, details: JsonObject | null): void => {
        const { read, write } = tools.policy;
        const active = tools.active.map((tool) => tool.name);
        seen.push({
          text,
          isError,
          details,
          asked: ownAsked,
          trouble: ownTrouble,
          read: read.list,
          write: write.list,
          active,
          open: tools.approval?.denials().map(({ denial }) => denial) ?? [],
        });
      };
      if ("grant" in step || "allow" in step) {
        try {
          if ("grant" in step) await tools.grant(step.grant);
          else await tools.approval?.allow(step.allow, step.duration);
          note("granted", false, null);
        } catch (error) {
          note(String(error), true, null);
        }
        continue;
      }
      const { tool: name, args } = step;
      answers = [...step.answers ?? []];
      const tool = tools.known.find((known) => known.name === name);
      if (!tool) throw new Error(`${name} is not active`);
      const call = tools.run(tool, args, "c", { signal: ending.signal, onUpdate: () => {} })
        .then((result) => note(textOf(result.content), result.isError ?? false, result.details ?? null));
      if (step.beside) running.push(call);
      else await call;
    }
    await Promise.all(running);
  } finally {
    await tools.close();
  }
  console.log(JSON.stringify(seen));
  Deno.exit(0);
}
