import { join } from "@std/path";
import { readGitBranch } from "../context/git_branch.ts";
import type { Engine } from "../core/engine.ts";
import type { UserError } from "../core/error.ts";
import { promptHistory } from "../tui/prompt_history.ts";
import { createQuestions } from "../tui/questions.ts";
import { runTui } from "../tui/run_tui.ts";
import { chooseTheme, type Theme } from "../tui/theme.ts";
import type { Config } from "./config.ts";
import { mayHost } from "./host_permissions.ts";
import type { ModelChoice } from "./model.ts";
import { VERSION } from "./version.ts";

/**
 * Runs the terminal UI to its end; the exit code. `message`: sent at the start.
 *
 * Everything but the first frame is loaded after it: opening a session is most of the start.
 */
export async function interactiveMode(config: Config, choice: ModelChoice, message = ""): Promise<number> {
  const { world: { env, cwd, home }, root, stateFolder, auditFolder } = config;
  const questions = createQuestions();
  const begin = Promise.withResolvers<void>();
  const opening = begin.promise.then(async () => {
    const { openEngine } = await import("./engine/engine.ts");
    return await openEngine({ config, choice, channel: "interactive", ask: questions.ask, ui: questions.ui });
  });
  const engine = (): Promise<Engine> => opening;
  const historyFile = stateFolder !== undefined && mayHost({ name: "write", path: stateFolder })
    ? join(stateFolder, "history.jsonl")
    : undefined;
  const editor = env["VISUAL"] ?? env["EDITOR"];
  try {
    return await runTui({
      engine: opening,
      onFirstFrame: begin.resolve,
      questions,
      cwd: root,
      version: VERSION,
      theme: themeFor(config),
      plain: isPlain(config),
      models: Object.keys(config.settings.models ?? {}),
      async sessions() {
        const { sessionLines } = await import("./interactive/session_lines.ts");
        return sessionLines(config, (await engine()).state().sessionId);
      },
      async policy() {
        const { describePolicy } = await import("../sandbox/describe.ts");
        return describePolicy((await engine()).state().policy);
      },
      async audit() {
        const { auditLines } = await import("./interactive/audit_lines.ts");
        return auditLines(auditFolder, (await engine()).state().sessionId);
      },
      async exportSession(path) {
        const { exportSession } = await import("./interactive/export_session.ts");
        return exportSession((await engine()).store(), path, cwd);
      },
      history: promptHistory(historyFile),
      async files() {
        const { listedFiles } = await import("./interactive/listed_files.ts");
        return listedFiles((await engine()).state().policy);
      },
      async readImage(path) {
        const { readPicture } = await import("./interactive/read_picture.ts");
        return await readPicture(path, root, home);
      },
      branch: () => readGitBranch(root),
      ...(editor === undefined ? {} : { editor }),
      ...(message === "" ? {} : { firstMessage: message }),
    });
  } finally {
    questions.release();
    begin.resolve();
    await opening.then((opened) => opened.close(), () => {}); // why it did not open has been told
  }
}

/**
 * The first start: says what is missing, and offers the demo. The exit code: that of the demo, or of the error. In plain
 * mode the error is all there is: it is thrown.
 */
export async function firstStartMode(config: Config, problem: UserError): Promise<number> {
  if (isPlain(config)) throw problem;
  const { firstStart } = await import("../tui/first_start.ts");
  const answer = await firstStart({
    problem,
    settingsFile: config.stateFolder && join(config.stateFolder, "settings.json"),
    version: VERSION,
    theme: themeFor(config),
  });
  if (answer === "quit") return problem.exitCode;
  const demo = (await import("./interactive/demo.ts")).makeDemo(config);
  try {
    return await interactiveMode(demo.config, { kind: "replay", file: demo.cassette }, demo.message);
  } finally {
    demo.remove();
  }
}

/** Lines only: asked for, or the terminal can do nothing else. */
function isPlain({ world: { env }, invocation: { values } }: Config): boolean {
  return values["plain"] === true || env["TERM"] === "dumb";
}

function themeFor({ world: { env }, invocation: { values }, settings }: Config): Theme {
  return chooseTheme(settings.theme, values["no-color"] ? { ...env, NO_COLOR: "1" } : env);
}
