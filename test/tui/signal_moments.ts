import { assertEquals } from "@std/assert";
import { serveGated } from "../helpers/gated_server.ts";
import { callReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";
import { hasTmux } from "./pty.ts";
import { inTerminal } from "./world.ts";

/** Moments after the process began and after its session began to open, milliseconds. */
const MOMENTS = [["start", 0], ["start", 150], ["start", 400], ["open", 0], ["open", 20], ["open", 50], [
  "open",
  100,
]] as const;

/** A signal while the terminal UI starts, with a message to send: it ends, sends nothing more and leaves nothing. */
export function signalMoments(name: string, command: readonly string[]): void {
  Deno.test({
    name: `${name}: a signal at any moment of the start ends the terminal UI, and nothing runs R243 R503`,
    ignore: !hasTmux,
    async fn() {
      for (const [at, [from, ms]] of MOMENTS.entries()) {
        await using server = serveGated([[
          { gate: "never" },
          ...callReply({ name: "bash", args: { command: "touch ran" } }),
        ]]);
        const tmp = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-moment-" }));
        const names = (): string[] => [...Deno.readDirSync(tmp)].map(({ name }) => name);
        try {
          const args = ["-m", "m", "--base-url", server.baseUrl, "go"];
          await inTerminal({ command, args, env: { TMPDIR: tmp } }, async (pty, { ws }) => {
            await until(() => Promise.try(pty.pid).then((pid) => pid > 0, () => false));
            if (from === "open") await until(() => names().some((name) => name.startsWith("sandpiper-")));
            await new Promise((later) => setTimeout(later, ms));
            const [signal, code] = at % 2 === 0 ? ["SIGTERM", 143] as const : ["SIGHUP", 129] as const;
            Deno.kill(await pty.pid(), signal);
            await pty.see(`[ended ${code}] terminal as before`);
            assertEquals([names().filter((name) => name.startsWith("sandpiper-")), [...Deno.readDirSync(ws)]], [
              [],
              [],
            ]);
          });
        } finally {
          await Deno.remove(tmp, { recursive: true });
        }
      }
    },
  });
}
