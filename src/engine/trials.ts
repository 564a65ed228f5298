// Trials of a session: tools go on in a private copy, and what they changed there is taken or kept as a patch. The code of this
// file is loaded with the first trial.
import type { Config } from "../config/config.ts";
import type { ApplyOutcome, TakeRequest, TrialResult } from "../core/changes.ts";
import type { Engine } from "../core/engine.ts";
import { UserError } from "../core/error.ts";
import { counted, shellWord } from "../core/support/text.ts";
import type { EngineCore } from "./parts.ts";
import { beginTrial, type SessionTrial } from "./trial/session_trial.ts";

/** What a session does with trials. */
export interface Trials {
  readonly state: Engine["trial"];
  readonly result: Engine["trialResult"];
  readonly begin: Engine["beginTrial"];
  readonly changes: Engine["trialChanges"];
  readonly end: Engine["endTrial"];
  /** The session closes: keeps what was not taken, and says where. */
  readonly close: () => Promise<void>;
}

/** Trials of a session in which `first` goes on; `move` takes tools, and what looks at files, to another place. */
export function createTrials(
  core: Pick<EngineCore, "config" | "conversation" | "notify" | "tools" | "work">,
  move: (config: Config) => Promise<void>,
  first?: SessionTrial,
): Trials {
  let trial = first;
  let last: TrialResult | undefined;

  const open = (): SessionTrial => {
    if (trial) return trial;
    throw noTrial("none goes on", "Begin one: /trial, begin_trial, or sandpiper --trial");
  };
  /** Keeps what was not taken, and says where. */
  const keep = async (taken?: ReadonlySet<string>): Promise<void> => {
    const ended = trial;
    if (ended === undefined) return;
    trial = undefined;
    last = await ended.end(core.conversation.store(), taken);
    const { id } = core.conversation.store().header;
    for (const [level, line] of resultLines(last, taken !== undefined, id)) core.notify(line, level);
  };
  const end = async (request: TakeRequest): Promise<ApplyOutcome> => {
    const ending = open();
    // Nobody may write while what there is to take is looked at.
    if (!request.dryRun) await core.tools.move(ending.config);
    const isNone = request.paths?.length === 0;
    const outcome = isNone ? { files: [], misfits: [], isDone: true } : await ending.take(request);
    if (!outcome.isDone) return outcome;
    const { trial: _, ...config } = core.config();
    await move(config);
    await keep(new Set(outcome.files.map(({ path }) => path)));
    return outcome;
  };

  return {
    state: () => trial?.state(),
    result: () => last,
    begin: () =>
      core.work.run("session", async () => {
        if (trial) throw noTrial("one goes on already", "End it first");
        const begun = await beginTrial(core.config());
        try {
          await move(begun.config);
        } catch (error) {
          begun.drop();
          throw error;
        }
        trial = begun;
        for (const notice of begun.notices.slice(1)) core.notify(notice);
        return begun.state();
      }),
    changes: () => core.work.run("session", async () => await open().changes()),
    end: (request = {}) => core.work.run("session", () => end(request)),
    close: () => keep(),
  };
}

function noTrial(why: string, fix: string): UserError {
  return new UserError({ what: "There is no trial to do this with", why, fix });
}

type Line = readonly [level: "info" | "warning", text: string];

/** What became of a trial, for people: a warning only where something of it is missing. */
function resultLines({ files, patch, why, leftOut }: TrialResult, isRest: boolean, session: string): Line[] {
  const many = counted(files.length, "file");
  const lines = leftOut.map((
    { why, count, paths = [] },
  ): Line => [
    "warning",
    `Of the trial, ${why}${paths.length > 0 ? `: ${paths.slice(0, 3).join(", ")}` : ""}${
      (count ?? 0) > 3 ? ` and ${(count ?? 0) - 3} more` : ""
    }`,
  ]);
  if (why !== undefined) lines.push(["warning", `The patch of the trial: ${why}`]);
  if (files.length === 0) {
    return why === undefined && !isRest ? [...lines, ["info", "The trial changed nothing"]] : lines;
  }
  const what = isRest ? `What was not taken of the trial (${many})` : `The trial changed ${many}`;
  if (patch === undefined) return [...lines, ["warning", `${what}, and there is no patch of it`]];
  // One beside the session is found by it.
  const which = patch.endsWith(".patch") && patch.includes(`_${session}.`) ? session : shellWord(patch);
  return [...lines, ["info", `${what}: ${patch}. To apply it: sandpiper apply ${which}`]];
}
