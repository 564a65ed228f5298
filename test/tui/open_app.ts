// The screen with a scripted engine and a terminal that only remembers.
import { openApp } from "../../src/tui/app.ts";
import type { App } from "../../src/tui/app.ts";
import { keyBindings } from "../../src/tui/widgets/key_bindings.ts";
import type { TuiOptions } from "../../src/tui/options/options.ts";
import { createQuestions } from "../../src/tui/transcript/questions.ts";
import { createScreen } from "../../src/tui/screen/screen.ts";
import type { Terminal } from "../../src/tui/screen/terminal.ts";
import { themeOf } from "../../src/tui/screen/theme.ts";
import { until } from "../helpers/until.ts";
import { type ScriptedEngine, scriptedEngine } from "./scripted_engine.ts";

/** A screen under test. */
export interface Opened {
  readonly app: App;
  readonly engine: ScriptedEngine;
  readonly questions: TuiOptions["questions"];
  /** Everything that was written since the last call, without styles. */
  readonly take: () => string;
  /** Waits until a text has been written, in one go or several; what was written since the last call is given. */
  readonly see: (text: string | RegExp) => Promise<string>;
  readonly bytes: () => number;
  /** Every name that the window got. */
  readonly titles: readonly string[];
}

/** Opens a screen of 80 by 24. */
export async function open(
  engine: ScriptedEngine = scriptedEngine(),
  size: { columns: number; rows: number; ground?: "light" | "dark" } = { columns: 80, rows: 24 },
  own: Partial<TuiOptions> = {},
): Promise<Opened> {
  let written: string[] = [];
  const titles: string[] = [];
  let bytes = 0;
  const terminal: Terminal = {
    columns: () => size.columns,
    rows: () => size.rows,
    write(text) {
      written.push(text);
      bytes += text.length;
    },
    start: () => {},
    restore: () => {},
    retake: () => {},
    lend: (work) => work(),
    alternate: (on) => void written.push(on ? "[other screen]" : "[first screen]"),
    setTitle: (title) => void titles.push(title),
    ground: () => Promise.resolve(size.ground),
    picture: () => Promise.resolve(undefined),
    settle: () => Promise.resolve(),
  };
  const questions = createQuestions();
  const app = openApp(
    {
      engine,
      questions,
      cwd: "/w/app",
      version: "1",
      theme: themeOf("dark"),
      asksGround: false,
      keepTheme: () => Promise.resolve(),
      hasTitle: true,
      notify: "bell",
      showsThinking: false,
      plain: false,
      keys: keyBindings(),
      models: ["model-1", "model-2"],
      serverModels: () => Promise.resolve([{ name: "model-3", detail: "" }]),
      sessions: () => Promise.resolve([]),
      searchSessions: () => Promise.resolve([]),
      deleteSession: () => Promise.resolve(),
      renameSession: () => Promise.resolve(),
      policy: () => Promise.resolve(["Write: the workspace."]),
      audit: () => Promise.resolve([]),
      exportSession: () => Promise.resolve("/x"),
      history: { load: () => [], add: () => {} },
      files: () => Promise.resolve([]),
      readImage: () => Promise.resolve(undefined),
      keepPicture: () => Promise.resolve(undefined),
      branch: () => "main",
      programPath: () => Promise.resolve("/usr/bin:/bin"),
      ...own,
    },
    terminal,
    createScreen(terminal),
  );
  await new Promise((soon) => setTimeout(soon, 0));
  const take = (): string => {
    const text = written.join("");
    written = [];
    // deno-lint-ignore no-control-regex -- styles
    return text.replace(/\x1b\[[0-9;]*m/g, "");
  };
  return {
    app,
    engine,
    questions,
    bytes: () => bytes,
    titles,
    take,
    async see(text) {
      let said = "";
      const isThere = (): boolean => {
        said += take();
        return typeof text === "string" ? said.includes(text) : text.test(said);
      };
      await until(isThere, () => `for ${text}: ${said}`);
      return said;
    },
  };
}
