import type { UserErrorParts } from "../../core/error.ts";
import { watchEnds } from "../screen/exit_signals.ts";
import { createScreen } from "../screen/screen.ts";
import { processTerminal } from "../screen/terminal.ts";
import type { Theme } from "../screen/theme.ts";
import { wrap } from "../screen/wrap.ts";

/** What the first screen says when nothing is configured. */
export interface FirstStart {
  /** What is missing. */
  readonly problem: Pick<UserErrorParts, "what" | "why" | "fix">;
  readonly settingsFile: string | undefined;
  readonly version: string;
  readonly theme: Theme;
}

/** One screen that says what is missing and how to mend it; a key tries the demo, any other leaves. */
export async function firstStart(options: FirstStart): Promise<"demo" | "quit"> {
  const terminal = processTerminal();
  const { promise, resolve } = Promise.withResolvers<"demo" | "quit">();
  const ends = watchEnds({ restore: terminal.restore, end: () => resolve("quit"), resumed: terminal.retake });
  const screen = createScreen(terminal);
  const draw = (): void => screen.redraw({ above: [], live: firstStartLines(options, terminal.columns()) });
  try {
    terminal.start({
      onInput: (text) => resolve(/^d$/i.test(text) ? "demo" : "quit"),
      onResize: draw,
      onEnd: () => resolve("quit"),
    });
    draw();
    return await promise;
  } finally {
    screen.leave();
    await terminal.close();
    ends.stop();
  }
}

/** The screen's lines. */
export function firstStartLines(
  { problem, settingsFile, version, theme }: FirstStart,
  width: number,
): readonly string[] {
  const lines = [
    theme.strong(`sandpiper ${version}`),
    "",
    theme.warn(`${problem.what}: ${problem.why}.`),
    ...(problem.fix === "" ? [] : [problem.fix]),
    "",
    theme.strong("A model over the network"),
    "  export OPENAI_API_KEY=...",
    "  sandpiper --model gpt-5",
    theme.strong("A model on this machine (Ollama, llama.cpp, vLLM)"),
    "  sandpiper --base-url http://127.0.0.1:11434/v1 --model NAME",
    ...(settingsFile === undefined ? [] : [
      theme.strong("For good"),
      `  ${settingsFile}`,
      '  {"model": "NAME", "baseUrl": "http://127.0.0.1:11434/v1"}',
    ]),
    "",
    `${theme.accent("d")}  try the demo: no key, no network, a project of its own`,
    `${theme.accent("any other key")}  leave`,
  ];
  return lines.flatMap((line) => wrap(line, width));
}
