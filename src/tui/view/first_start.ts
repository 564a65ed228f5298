import { inOwnName, programTitle } from "../../core/version.ts";
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
  /** Models that could answer: of keys that are set, and of servers that run on this machine. */
  readonly offers: readonly { readonly name: string; readonly because: string }[];
  readonly settingsFile: string | undefined;
  /** The file in which a chosen model is saved; undefined if it is not saved. */
  readonly keptIn?: string | undefined;
  readonly version: string;
  readonly theme: Theme;
}

/** What a person chose on the first screen: an offered model by its name, the demo, or to leave. */
export type FirstChoice = "demo" | "quit" | { readonly model: string };

/** One screen that says what is missing and offers what was found; a key takes a model or the demo, any other leaves. */
export async function firstStart(options: FirstStart): Promise<FirstChoice> {
  const terminal = processTerminal();
  const { promise, resolve } = Promise.withResolvers<FirstChoice>();
  const ends = watchEnds({ restore: terminal.restore, end: () => resolve("quit"), resumed: terminal.retake });
  const screen = createScreen(terminal);
  const draw = (): void => screen.redraw({ above: [], live: firstStartLines(options, terminal.columns()) });
  try {
    terminal.start({
      onInput: (text) => resolve(chosenBy(text, options)),
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

/** Models that have a key of their own. */
const MOST_OFFERS = 9;

function chosenBy(text: string, { offers }: FirstStart): FirstChoice {
  const offer = /^[1-9]$/.test(text) ? offers[Number(text) - 1] : undefined;
  return offer ? { model: offer.name } : /^d$/i.test(text) ? "demo" : "quit";
}

/** The screen's lines. */
export function firstStartLines(
  { problem, offers, settingsFile, keptIn, version, theme }: FirstStart,
  width: number,
): readonly string[] {
  const lines = [
    theme.strong(programTitle(version)),
    "",
    theme.warn(`${problem.what}: ${problem.why}.`),
    ...(offers.length > 0 ? offered(offers, theme) : missing(problem.fix, theme)),
    ...forGood(offers.length > 0 ? keptIn : undefined, settingsFile, theme),
    "",
    ...offers.slice(0, MOST_OFFERS).map(({ name }, index) => `${theme.accent(String(index + 1))}  start with ${name}`),
    `${theme.accent("d")}  try the demo: no key, no network, its own project`,
    `${theme.accent("any other key")}  quit`,
  ];
  return lines.flatMap((line) => wrap(inOwnName(line), width));
}

/** What holds for the starts to come: a model that is chosen here, or what a person writes. */
function forGood(keptIn: string | undefined, settingsFile: string | undefined, theme: Theme): readonly string[] {
  if (keptIn !== undefined) return [theme.strong("Settings"), `  The model that you choose is saved in ${keptIn}`];
  return settingsFile === undefined
    ? []
    : [theme.strong("To save a choice, write"), `  ${settingsFile}`, `  {"model": "PROVIDER/ID"}`];
}

function offered(offers: FirstStart["offers"], theme: Theme): readonly string[] {
  const rest = offers.length > MOST_OFFERS ? ["  and more: sandpiper models"] : [];
  return [
    "",
    theme.strong("Found on this machine"),
    ...offers.slice(0, MOST_OFFERS).map(({ name, because }) => `  ${name}  ${theme.dim(because)}`),
    ...rest,
  ];
}

/** Lines of a list that leave room for the rest on a screen of 24. */
const LISTED = 6;

function missing(fix: string, theme: Theme): readonly string[] {
  const [head = "", ...list] = fix.split("\n");
  const more = list.length - LISTED;
  return [
    ...(fix === "" ? [] : [head, ...list.slice(0, LISTED)]),
    ...(more > 0 ? [`    … and ${more} more: sandpiper doctor`] : []),
    theme.strong("Your own server"),
    "  sandpiper --base-url http://127.0.0.1:9000/v1",
  ];
}
