import { FROM_SOURCE, hasTmux } from "./pty.ts";
import { inTerminal } from "./world.ts";

Deno.test({
  name: "Ctrl+Z gives the terminal to the shell, and fg goes on below",
  ignore: !hasTmux,
  fn: () =>
    inTerminal({ command: ["bash", "--norc", "-i"], columns: 200 }, async (pty, { home }) => {
      Deno.writeTextFileSync(`${home}/none.jsonl`, "");
      await pty.type("exec 2>/dev/tty; PS1='ready> '");
      await pty.keys("Enter");
      await pty.see(/ready>$/);
      await pty.type(`${FROM_SOURCE.join(" ")} -m replay:${home}/none.jsonl`);
      await pty.keys("Enter");
      await pty.see("write: .");
      await pty.type("half a");
      await pty.see("half a");
      await pty.keys("C-z");
      await pty.see("Stopped");
      await pty.type("echo shell has $(stty -a | grep -o -- '-*icanon')");
      await pty.keys("Enter");
      await pty.see(/^shell has icanon/m);
      await pty.type("fg");
      await pty.keys("Enter");
      await pty.see(/shell has icanon\n[\s\S]*─\nhalf a\n─/);
      await pty.type(" line");
      await pty.see("half a line");
      await pty.keys("C-c", "C-c");
      await pty.see(/ready>$/);
      await pty.type("echo again $(stty -a | grep -o -- '-*icanon')");
      await pty.keys("Enter");
      await pty.see(/^again icanon/m);
    }),
});
