import { askLine } from "../output/ask_line.ts";
import { writeAll } from "../output/write_all.ts";
import { join } from "@std/path";
import type { Config } from "../../config/config.ts";
import { mayHost } from "../../config/host_permissions.ts";
import type { Values } from "../../config/options/parse.ts";
import { readGitBranch } from "../../context/git/branch.ts";
import type { UserError } from "../../core/error.ts";
import { VERSION } from "../../core/version.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import { DEFAULT_PROVIDER } from "../../provider/table/table.ts";
import type { NoModelError } from "../../engine/model/offers.ts";
import { promptHistory } from "../../tui/input/prompt_history.ts";
import type { SessionShelf } from "../../tui/commands/command.ts";
import { runTui } from "../../tui/run_tui.ts";
import { chooseTheme, type Theme } from "../../tui/screen/theme.ts";
import { createQuestions } from "../../tui/transcript/questions.ts";
import { keyBindings } from "../../tui/widgets/key_bindings.ts";
import { listenToEnds } from "../../core/support/signals.ts";
import { warner } from "../output/report.ts";

/**
 * Asks about the project's own configuration where nobody has answered yet (docs/cli.md, Files); the configuration that
 * follows, or an exit code. Goes before the choice of a model, which that configuration may make.
 */
export async function trustedConfig(config: Config): Promise<Config | number> {
  if (!config.trustQuestion) return config;
  const { askTrust } = await import("../interactive/ask_trust.ts");
  const { plainTrustText, trustScreen } = await import("../../tui/view/trust_screen.ts");
  return await askTrust(config, (question) => {
    if (!isPlain(config)) return trustScreen({ ...question, version: VERSION, theme: themeFor(config) });
    return Promise.resolve(plainTrust(plainTrustText(question)));
  });
}

/** Anything but a clear yes leaves it out. */
function plainTrust(text: string): "yes" | "never" | "no" {
  const answer = askLine(`${text}\n`)?.trim().toLowerCase();
  return answer === "y" || answer === "yes" ? "yes" : answer === "x" ? "never" : "no";
}

/**
 * The configuration with the session that the person chooses, where `-r` names none; else as it is. An exit code where they
 * leave. Goes before the choice of a model, which the session may make. Throws UserError where there is none.
 */
export async function chosenSession(config: Config): Promise<Config | number> {
  const { invocation } = config;
  if (invocation.values["resume"] !== "") return config;
  const shelf = sessionShelf(config, () => Promise.resolve(""));
  const which = isPlain(config)
    ? await (await import("../../tui/plain/pick.ts")).plainSession(
      shelf,
      (text) => void writeAll(Deno.stdout, `${text}\n`),
      () => askLine("") ?? "",
    )
    : await (await import("../../tui/view/session_screen.ts")).sessionScreen(shelf, VERSION, themeFor(config));
  if (typeof which === "number") return which;
  return { ...config, invocation: { ...invocation, values: { ...invocation.values, resume: which } } };
}

/** Sessions of the workspace, for a person to choose from; `current` gives the one that is open, or nothing. */
function sessionShelf(config: Config, current: () => Promise<string>): SessionShelf {
  const lines = async () => await import("../interactive/session_lines.ts");
  const kept = async () => await import("../../engine/sessions/kept_sessions.ts");
  return {
    sessions: async () => (await lines()).sessionLines(config, await current()),
    searchSessions: async (text) => (await lines()).sessionLines(config, await current(), text),
    deleteSession: async (which) => void (await kept()).deleteSession(config, which),
    renameSession: async (which, name) => (await kept()).renameSession(config, which, name, () => {}),
    now: Date.now,
  };
}

/**
 * Runs the terminal UI to its end; the exit code. `message`: sent at the start.
 *
 * Everything but the first frame is loaded after it: opening a session is most of the start.
 */
export async function interactiveMode(config: Config, choice: ModelChoice, message = ""): Promise<number> {
  const { world: { env, cwd, home }, root, stateFolder, auditFolder } = config;
  const keys = keyBindings(config.settings.keybindings);
  const questions = createQuestions();
  // Lines are read when the session is open, and no earlier.
  const grants = { ask: questions.askGrant, isLater: isPlain(config) };
  const begin = Promise.withResolvers<void>();
  const opening = begin.promise.then(async () => {
    const { openEngine } = await import("../../engine/engine.ts");
    // When the session closes the screen is gone.
    const onLeft = warner(config.invocation);
    const { ask, ui } = questions;
    return await openEngine({ config, choice, channel: "interactive", ask, ui, grants, onLeft });
  });
  const historyFile = stateFolder !== undefined && mayHost({ name: "write", path: stateFolder })
    ? join(stateFolder, "history.jsonl")
    : undefined;
  const editor = env["VISUAL"] ?? env["EDITOR"];
  const pictures: string[] = []; // out of the clipboard; gone with the screen
  try {
    return await runTui({
      engine: opening,
      onFirstFrame: begin.resolve,
      questions,
      cwd: root,
      version: VERSION,
      theme: themeFor(config),
      asksGround: (config.settings.theme ?? "auto") === "auto" && knowsMore(config) && themeFor(config).name !== "none",
      async keepTheme(name) {
        const [{ grantFolder }, { recordSetting }] = [
          await import("../../engine/tools/grant_folder.ts"),
          await import("../../engine/tools/grants.ts"),
        ];
        recordSetting(grantFolder(config), "theme", name === "auto" ? undefined : name);
      },
      hasTitle: knowsMore(config),
      // In CI nobody is called, whatever the terminal there claims to be.
      notify: env["CI"] ? "off" : config.settings.notify ?? "bell",
      showsThinking: config.settings.showThinking ?? false,
      plain: isPlain(config),
      keys,
      models: Object.keys(config.settings.models ?? {}),
      async serverModels() {
        const { modelLines } = await import("../interactive/models.ts");
        return await modelLines(config, choice);
      },
      ...sessionShelf(config, async () => (await opening).state().sessionId),
      async policy() {
        const { describePolicy } = await import("../../sandbox/policy/describe.ts");
        const { policy } = (await opening).state();
        return [`Workspace: ${policy.root}`, ...describePolicy(policy)];
      },
      async audit() {
        const { auditLines } = await import("../interactive/audit_lines.ts");
        return auditLines(auditFolder, (await opening).store());
      },
      async exportSession(path) {
        const { exportSession } = await import("../interactive/export_session.ts");
        const { namedFilesUnder } = await import("../../config/named_files.ts");
        const engine = await opening;
        return exportSession(namedFilesUnder(config, engine.state().policy), engine.store(), path, cwd);
      },
      history: promptHistory(historyFile),
      async files() {
        const { listedFiles } = await import("../interactive/listed_files.ts");
        return listedFiles((await opening).state().policy);
      },
      async readImage(path) {
        const { readPicture } = await import("../interactive/pictures.ts");
        const { namedFilesUnder } = await import("../../config/named_files.ts");
        return readPicture(namedFilesUnder(config, (await opening).state().policy), path, root, home);
      },
      async keepPicture(other) {
        const { clipboardPicture } = await import("../interactive/pictures.ts");
        const bytes = await clipboardPicture(env, (await opening).state().policy) ?? await other();
        if (!bytes) return undefined;
        const path = await Deno.makeTempFile({ prefix: "sandpiper-", suffix: ".png" });
        pictures.push(path);
        await Deno.writeFile(path, bytes);
        return path;
      },
      branch: () => readGitBranch(root),
      resumeOptions: (model) => resumeOptions(config.invocation.values, model),
      ...(editor === undefined ? {} : { editor }),
      async programPath() {
        const { programPath } = await import("../../config/program_path.ts");
        return programPath(env["PATH"] ?? "");
      },
      ...(message === "" ? {} : { firstMessage: message }),
    });
  } finally {
    // The screen is gone and watches no more: a signal while the session closes ends the process at once.
    const stopWatching = listenToEnds((code) => Deno.exit(code), { isEnding: true });
    questions.release();
    begin.resolve();
    await opening.then((opened) => opened.close(), () => {}); // why it did not open has been told
    await Promise.all(pictures.map((path) => Deno.remove(path).catch(() => {}))); // who removed it before is right
    stopWatching();
  }
}

/**
 * The first start: says what is missing, and offers the models that were found and the demo. One that is chosen is written
 * into the user's settings, and `startWith` runs with it under a configuration that says so. The exit code: that of the session, or of the error. In plain mode the error is all there is: it is thrown.
 */
export async function firstStartMode(
  config: Config,
  problem: UserError,
  startWith: (model: string, config: Config) => Promise<number>,
): Promise<number> {
  if (isPlain(config)) throw problem;
  const { firstStart } = await import("../../tui/view/first_start.ts");
  const { keepModel, modelPlace } = await import("../interactive/models.ts");
  // A model of a server that only the command line names would be asked of another server at the next start.
  const isKept = config.invocation.values["base-url"] === undefined;
  const answer = await firstStart({
    problem,
    offers: "offers" in problem ? (problem as NoModelError).offers : [],
    settingsFile: config.stateFolder && join(config.stateFolder, "settings.json"),
    keptIn: isKept ? modelPlace(config) : undefined,
    version: VERSION,
    theme: themeFor(config),
  });
  if (answer === "quit") return problem.exitCode;
  if (answer !== "demo") {
    const said = isKept ? keepModel(config, answer.model) : undefined;
    return await startWith(
      answer.model,
      said === undefined ? config : { ...config, warnings: [...config.warnings, said] },
    );
  }
  const demo = (await import("../interactive/demo.ts")).makeDemo(config);
  try {
    return await interactiveMode(demo.config, demo.choice, demo.message);
  } finally {
    demo.remove();
  }
}

/** Lines only: asked for, or the terminal can do nothing else. */
function isPlain({ world: { env }, invocation: { values } }: Config): boolean {
  return values["plain"] === true || env["TERM"] === "dumb";
}

/** The console of Linux prints parts of the sequences for window names and colours (OSC) that it does not know. */
function knowsMore({ world: { env } }: Config): boolean {
  return env["TERM"] !== "linux";
}

function themeFor({ world: { env }, invocation: { values }, settings }: Config): Theme {
  return chooseTheme(settings.theme, values["no-color"] ? { ...env, NO_COLOR: "1" } : env);
}

/** What a session does not know of itself, and the command line said. */
const REPEATED = ["base-url", "api", "api-key-env"] as const;

/**
 * The options with which a later start goes on with the same server. A base URL that only the command line names would
 * else be another one, which the conversation would be sent to; with it the model has to be named, too.
 */
export function resumeOptions(values: Values, model: { readonly provider: string; readonly id: string }): string[] {
  const place = values["session-dir"];
  const kept = typeof place === "string" ? ["--session-dir", place] : [];
  // A cassette has no server; the session knows its file.
  if (model.provider === "replay") return kept;
  const given = REPEATED.flatMap((name) => {
    const value = values[name];
    return typeof value === "string" ? [`--${name}`, value] : [];
  });
  if (values["base-url"] === undefined) return [...kept, ...given];
  // A prefix is taken off once: this one belongs to the name.
  const usual = `${DEFAULT_PROVIDER.name}/`;
  const id = model.id.startsWith(usual) ? usual + model.id : model.id;
  return [...kept, ...given, "--model", id];
}
