import { programTitle } from "../../core/version.ts";
import { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";
import { chooseSession } from "../commands/resume.ts";
import type { SessionShelf } from "../commands/command.ts";
import { createDialogs } from "../dialogs/dialogs.ts";
import { watchEnds } from "../screen/exit_signals.ts";
import { createScreen } from "../screen/screen.ts";
import { processTerminal } from "../screen/terminal.ts";
import type { Theme } from "../screen/theme.ts";
import { wrap } from "../screen/wrap.ts";

/**
 * Lets the person choose a session before one is open; the exit code instead when they leave or the process is told to
 * end. Throws UserError where there is none.
 */
export async function sessionScreen(shelf: SessionShelf, version: string, theme: Theme): Promise<string | number> {
  const terminal = processTerminal();
  const { promise, resolve, reject } = Promise.withResolvers<string | number>();
  const ends = watchEnds({ restore: terminal.restore, end: resolve, resumed: terminal.retake });
  const screen = createScreen(terminal);
  let problem = "";
  const draw = (): void => {
    const width = terminal.columns();
    const head = [theme.strong(programTitle(version)), ...(problem ? wrap(theme.warn(problem), width) : []), ""];
    const look = { width, rows: terminal.rows() - head.length, theme, expanded: false };
    screen.redraw({ above: [], live: [...head, ...dialogs.current()?.lines(look) ?? []] });
  };
  const dialogs = createDialogs(draw, { text: () => "", setText: () => {} }, () => performance.now());
  const buffer = new StdinBuffer({ escapeTimeout: 25 });
  const key = (data: string): void => {
    problem = "";
    dialogs.current()?.key(data);
    draw();
  };
  buffer.on("data", key);
  buffer.on("paste", (text) => key(`\x1b[200~${text}\x1b[201~`));
  try {
    terminal.start({ onInput: (text) => buffer.process(text), onResize: draw, onEnd: () => resolve(129) });
    void chooseSession(shelf, dialogs.pick, (text) => void (problem = text)).then(
      (which) => resolve(which ?? 0),
      reject,
    );
    return await promise;
  } finally {
    buffer.destroy();
    screen.redraw({ above: [], live: [] }); // the session's own screen begins in its place
    screen.leave();
    await terminal.close();
    ends.stop();
  }
}
