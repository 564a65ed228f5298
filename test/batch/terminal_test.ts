import { until } from "../helpers/until.ts";
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { inWorkspace, LAZY_SOURCE } from "../helpers/program.ts";
import { hasTmux, openPty } from "../tui/pty.ts";
import { runningProcesses } from "../helpers/processes.ts";

/** As no other process sleeps. */
const SLEEP = `sleep 77.${Deno.pid}`;

Deno.test({
  name: "a batch on a terminal: Ctrl+C stops it, and the second one leaves no half line behind",
  ignore: !hasTmux,
  fn: () =>
    inWorkspace({}, async ({ ws, home, outside }) => {
      const replies = [{ calls: [{ name: "bash", args: { command: `trap "" TERM INT; ${SLEEP}` } }] }, {
        text: "done",
      }];
      Deno.writeTextFileSync(join(outside, "slow.jsonl"), replies.map((reply) => JSON.stringify(reply)).join("\n"));
      const task = { id: "slow", workspace: ws, prompt: "go", model: "replay:slow.jsonl" };
      Deno.writeTextFileSync(join(outside, "tasks.jsonl"), JSON.stringify(task));
      const pty = await openPty({
        cwd: outside,
        env: { HOME: home, DENO_DIR: Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "/", ".cache", "deno") },
        // Both of its outputs are the terminal.
        command: ["sh", "-c", 'exec "$@" 2>&1', "sh", ...LAZY_SOURCE.command, "batch", "tasks.jsonl", "-o", "out"],
      });
      try {
        await pty.see("0 done · 1 running");
        await until(() => runningProcesses().some(({ args }) => args === SLEEP));
        // As Ctrl+C does: the terminal's own would end the shell around the program, too.
        const pid = await pty.pid();
        Deno.kill(pid, "SIGINT");
        await pty.see("stopping:");
        Deno.kill(pid, "SIGINT");
        const screen = await pty.see(/\[ended \d+\]/);
        assertEquals(/\[ended (\d+)\]/.exec(screen)?.[1], "130");
        assertEquals(screen.match(/^.*(?:done|running) ·.*$/gm), null, screen);
      } finally {
        await pty.close();
      }
    }),
});
