import type { App } from "./app.ts";
import { firstFrame } from "./first_frame.ts";
import type { TuiOptions } from "./options/options.ts";
import { createScreen } from "./screen/screen.ts";
import { themeOf } from "./screen/theme.ts";
import { processTerminal, type Terminal } from "./screen/terminal.ts";
import { watchEnds } from "./screen/exit_signals.ts";

/**
 * Runs the terminal UI until the person leaves; gives the exit code: 0, or 128 + signal.
 *
 * Rejects as the promise of the engine does. The engine is left open. The terminal is given back on every way out.
 */
export async function runTui(options: TuiOptions): Promise<number> {
  if (options.plain) {
    options.onFirstFrame?.();
    return await (await import("./plain/plain.ts")).runPlain(options);
  }
  const terminal: Terminal = processTerminal();
  let app: App | undefined;
  let early = ""; // typed before the editor was there
  let theme = options.theme;
  let isGone = false;
  const ends = watchEnds({
    restore: terminal.restore,
    end: (code) => app ? app.quit(code) : leave(code),
    resumed() {
      terminal.retake();
      app?.resumed();
    },
  });
  const leave = (code: number): never => {
    terminal.restore();
    Deno.exit(code);
  };
  try {
    terminal.start({
      onInput: (text) => app ? app.input(text) : void (early += text),
      onResize: () => app?.resized(),
      onEnd() {
        isGone = true;
        app?.quit(129); // as after SIGHUP
      },
    });
    const screen = createScreen(terminal);
    screen.draw(firstFrame(options, { width: terminal.columns(), theme: options.theme, expanded: false }));
    // Whoever waits gets the next turn, before the rest of the code is loaded.
    options.onFirstFrame?.();
    if (options.asksGround) {
      // Nothing waits for the answer.
      void terminal.ground().then((ground) => {
        if (ground === undefined || ground === theme.name) return;
        theme = themeOf(ground);
        app?.setTheme(theme);
      });
    }
    // The editor and Markdown are most of the code: the first frame does not wait for them.
    const { openApp } = await import("./app.ts");
    app = openApp({ ...options, theme }, terminal, screen);
    if (early !== "") app.input(early);
    if (isGone) app.quit(129);
    const code = await app.done;
    await terminal.settle();
    return code;
  } finally {
    terminal.restore();
    ends.stop();
  }
}
