// Whoever answers a command's calls may die at any moment: then they fail, and nothing takes its place.
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { needs } from "../../helpers/needs.ts";
import { until } from "../../helpers/until.ts";
import { exists, processesWith } from "../shell_fixture.ts";

Deno.test({
  ...needs(
    ["python3"],
    "kill -9 of the host lets no call of a command with a list of hosts pass at the level kernel",
    probeSandbox().noHosts() !== undefined,
    true,
  ),
  // libc stays loaded for the life of the process.
  sanitizeResources: false,
  fn: async () => {
    const victim = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    let hits = 0;
    const taking = (async () => {
      for await (const conn of victim) {
        hits++;
        conn.close();
      }
    })();
    const { env, program, args } = thisProgram();
    const script = fromFileUrl(new URL("killed_host.ts", import.meta.url));
    const host = new Deno.Command(program, {
      args: [...args.slice(0, -1), script, String(victim.addr.port)],
      env: { ...env },
      clearEnv: true,
      stdout: "piped",
      stdin: "null",
    }).spawn();
    const lines = host.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const base = (await lines.read()).value?.trim() ?? "";
    const result = `${base}/work/result`;
    try {
      await until(() => exists(`${result}.alive`));
      host.kill("SIGKILL");
      await Promise.all([host.status, lines.cancel()]);
      await until(() => exists(result));
      assertEquals(JSON.parse(Deno.readTextFileSync(result)), {
        ...{ "before": "done", "connect": "ENOSYS", "fast open": "EACCES", "bind": "ENOSYS", "listen": "ENOSYS" },
        ...{ "listener": "EBUSY", "own listener, connect": "ENOSYS" },
      });
      assertEquals(hits, 0);
    } finally {
      for (const pid of processesWith(result)) Deno.kill(pid, "SIGKILL");
      await until(() => processesWith(result).length === 0);
      Deno.removeSync(base, { recursive: true });
      victim.close();
      await taking;
    }
  },
});
