import { programTitle } from "../../core/version.ts";
import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";
import { formatSize } from "../../core/support/text.ts";
import { type Answer, answersDialog } from "../dialogs/answers_dialog.ts";
import type { Look } from "../widgets/block.ts";
import { watchEnds } from "../screen/exit_signals.ts";
import { cleanLine } from "../screen/foreign.ts";
import { createScreen } from "../screen/screen.ts";
import { processTerminal } from "../screen/terminal.ts";
import type { Theme } from "../screen/theme.ts";
import { cut, wrap } from "../screen/wrap.ts";

/** Load it and remember; leave it out and remember; leave it out this time. */
export type TrustAnswer = "yes" | "never" | "no";

/** What the screen asks about. */
export interface TrustScreen {
  /** The workspace: absolute. */
  readonly folder: string;
  /** What would load; `name` is relative to the workspace where it is inside. */
  readonly files: readonly { readonly name: string; readonly bytes?: number }[];
  /** Another content had an answer. */
  readonly hasChanged: boolean;
  readonly version: string;
  readonly theme: Theme;
}

const ANSWERS: readonly [Answer<TrustAnswer>, ...Answer<TrustAnswer>[]] = [
  { key: "n", answer: "no", label: "No, leave it out this time" },
  { key: "y", answer: "yes", label: "Yes, load it; asked again when one of these files changes" },
  { key: "x", answer: "never", label: "No, and not asked again until one of them changes" },
];

/** Lines around the list of files. */
const FRAME_ROWS = 12;

/** Asks on a screen of its own, before there is a session; the exit code instead when the process is told to end. */
export async function trustScreen(asked: TrustScreen): Promise<TrustAnswer | number> {
  const terminal = processTerminal();
  const { promise, resolve } = Promise.withResolvers<TrustAnswer | number>();
  const ends = watchEnds({ restore: terminal.restore, end: resolve, resumed: terminal.retake });
  const screen = createScreen(terminal);
  let typed = ""; // there is no editor yet; what is typed here goes nowhere, and allows nothing
  const dialog = answersDialog({
    head: (look) => trustLines(asked, { ...look, rows: terminal.rows() }),
    answers: ANSWERS,
    draft: { text: () => typed, setText: (text) => void (typed = text) },
    now: () => performance.now(),
    done: resolve,
  });
  const draw = (): void => {
    const look = { width: terminal.columns(), rows: terminal.rows(), theme: asked.theme, expanded: false };
    screen.redraw({ above: [], live: dialog.lines(look) });
  };
  const buffer = new StdinBuffer({ escapeTimeout: 25 });
  buffer.on("data", (data) => {
    if (!dialog.key(data)) typed = matchesKey(data, "backspace") ? "" : typed + data;
    draw();
  });
  try {
    terminal.start({ onInput: (text) => buffer.process(text), onResize: draw, onEnd: () => resolve(129) });
    draw();
    return await promise;
  } finally {
    buffer.destroy();
    screen.leave();
    await terminal.close();
    ends.stop();
  }
}

/** The lines of the question: what brings something, and which files. */
function trustLines(
  { folder, files, hasChanged, version, theme }: TrustScreen,
  { width, rows }: Pick<Look, "width"> & { readonly rows: number },
): readonly string[] {
  const room = Math.max(4, rows - FRAME_ROWS);
  const shown = files.length > room ? files.slice(0, room - 1) : files;
  const why = hasChanged ? "has changed since you answered" : "brings configuration of its own";
  return [
    theme.strong(programTitle(version)),
    ...wrap(theme.warn(`▣ This project ${why}. It can tell the model what to do and change its conversation:`), width),
    cut(theme.dim(cleanLine(folder)), width),
    "",
    ...shown.map(({ name, bytes }) => cut(`  ${cleanName(name)} ${theme.dim(sizeOf(bytes))}`, width)),
    ...(shown.length < files.length ? [cut(theme.dim(`  and ${files.length - shown.length} more`), width)] : []),
    "",
    ...wrap("Load it only when you know these files and who wrote them. It never widens what tools may touch.", width),
  ];
}

/** The question for lines only; the first word of the answer counts. */
export function plainTrustText({ folder, files, hasChanged }: Omit<TrustScreen, "theme" | "version">): string {
  const why = hasChanged ? "has changed since you answered" : "brings configuration of its own";
  return [
    `question: the project ${cleanLine(folder)} ${why}:`,
    ...files.slice(0, 50).map(({ name, bytes }) => `  ${cleanName(name)} ${sizeOf(bytes)}`.trimEnd()),
    ...(files.length > 50 ? [`  and ${files.length - 50} more`] : []),
    "Load it? n not this time, y yes, x no and not asked again until one of them changes",
  ].join("\n");
}

/** What belongs to the line above keeps its indent. */
function cleanName(name: string): string {
  return `${/^ */.exec(name)?.[0] ?? ""}${cleanLine(name.trimStart())}`;
}

function sizeOf(bytes: number | undefined): string {
  return bytes === undefined ? "" : formatSize(bytes);
}
