import { join } from "@std/path";
import { readGitBranch } from "../context/git_branch.ts";
import type { Engine } from "../core/engine.ts";
import type { UserError } from "../core/error.ts";
import { describePolicy } from "../sandbox/describe.ts";
import { listSessions } from "../session/list.ts";
import { promptHistory } from "../tui/prompt_history.ts";
import { createQuestions } from "../tui/questions.ts";
import { runTui } from "../tui/run_tui.ts";
import { chooseTheme } from "../tui/theme.ts";
import type { Config } from "./config.ts";
import { mayHost } from "./host_permissions.ts";
import { listedFiles } from "./interactive/listed_files.ts";
import { readPicture } from "./interactive/read_picture.ts";
import type { ModelChoice } from "./model.ts";
import { sessionPlaces } from "./session_choice.ts";
import { VERSION } from "./version.ts";

/** Runs the terminal UI to its end; the exit code. `message`: sent at the start. */
export async function interactiveMode(config: Config, choice: ModelChoice, message?: string): Promise<number> {
  const { world: { env, cwd, home }, invocation: { values }, root, stateFolder, auditFolder } = config;
  const questions = createQuestions();
  let engine: Engine | undefined;
  // The screen comes first: opening a session is most of the start.
  const opening = (async () => {
    await new Promise((soon) => setTimeout(soon, 0));
    const { openEngine } = await import("./engine/engine.ts");
    return engine = await openEngine({ config, choice, channel: "interactive", ask: questions.ask, ui: questions.ui });
  })();
  const historyFile = stateFolder !== undefined && mayHost({ name: "write", path: stateFolder })
    ? join(stateFolder, "history.jsonl")
    : undefined;
  const editor = env["VISUAL"] ?? env["EDITOR"];
  try {
    return await runTui({
      engine: opening,
      questions,
      cwd: root,
      version: VERSION,
      theme: chooseTheme(undefined, values["no-color"] ? { ...env, NO_COLOR: "1" } : env),
      plain: values["plain"] === true || env["TERM"] === "dumb",
      models: Object.keys(config.settings.models ?? {}),
      sessions: () => sessionLines(config, engine?.state().sessionId),
      policy: () => engine ? describePolicy(engine.state().policy) : [],
      audit: () => engine && auditFolder ? auditLines(auditFolder, engine.state().sessionId) : [],
      exportSession: async (path) => {
        if (!engine) throw new Error("commands run in a session");
        return (await import("./interactive/export_session.ts")).exportSession(engine.store(), path, cwd);
      },
      history: promptHistory(historyFile),
      files: () => Promise.resolve(engine ? listedFiles(engine.state().policy) : []),
      readImage: (path) => readPicture(path, root, home),
      branch: () => readGitBranch(root),
      ...(editor === undefined ? {} : { editor }),
      ...(message === undefined || message === "" ? {} : { firstMessage: message }),
    });
  } finally {
    questions.release();
    await opening.then((opened) => opened.close(), () => {}); // why it did not open has been told
  }
}

function sessionLines(config: Config, current: string | undefined) {
  const { folder } = sessionPlaces(config);
  if (folder === undefined) return [];
  return listSessions(folder).filter(({ cwd, id }) => cwd === config.root && id !== current).map((one) => ({
    which: one.id,
    firstMessage: one.firstMessage,
    messageCount: one.messageCount,
    modified: one.modified.getTime(),
    ...(one.name ? { name: one.name } : {}),
  }));
}

function auditLines(folder: string, session: string): readonly string[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(join(folder, `${session}.jsonl`));
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const { time, tool, decision, outcome, durationMs } = JSON.parse(line);
      return [`${String(time).slice(11, 19)}  ${tool}  ${decision}  ${outcome}  ${Math.round(Number(durationMs))} ms`];
    } catch {
      return [];
    }
  });
}

/**
 * The first start: says what is missing, and offers the demo. The exit code: 0 after the demo, otherwise that of the
 * error, which is then still to be printed.
 */
export async function firstStartMode(config: Config, problem: UserError): Promise<number> {
  const { world: { env }, invocation: { values }, stateFolder } = config;
  const { firstStart } = await import("../tui/first_start.ts");
  const answer = await firstStart({
    problem,
    settingsFile: stateFolder && join(stateFolder, "settings.json"),
    version: VERSION,
    theme: chooseTheme(undefined, values["no-color"] ? { ...env, NO_COLOR: "1" } : env),
  });
  if (answer === "quit") return problem.exitCode;
  const demo = (await import("./interactive/demo.ts")).makeDemo(config);
  try {
    return await interactiveMode(demo.config, { kind: "replay", file: demo.cassette }, demo.message);
  } finally {
    demo.remove();
  }
}
