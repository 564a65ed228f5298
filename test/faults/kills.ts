// Ends the program at random moments of a scripted run of thirty turns and looks at what is left of the session.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { cassette, inWorkspace, type Program, run, start } from "../helpers/program.ts";
import { childrenOfThread, numbersIn, readProc } from "../../src/sandbox/system/procfs.ts";
import { loadSession } from "../../src/session/load.ts";

const TURNS = 30;

/** Kills of hosts, and of runners, in one test; `SANDPIPER_KILLS=200 deno task faults` makes them many. */
export const KILLS = Number(Deno.env.get("SANDPIPER_KILLS") ?? "5");

function script(): unknown[] {
  const turns = Array.from(
    { length: TURNS - 1 },
    (_, i) =>
      i % 5 === 4
        ? { calls: [{ name: "bash", args: { command: `echo ${i}` } }] }
        : { text: `turn ${i}`, calls: [{ name: "read", args: { path: "a.txt", offset: i + 1, limit: 1 } }] },
  );
  return [...turns, { text: "all done" }];
}

/** How long a whole run takes, milliseconds: what the moments are drawn from. */
async function duration(program: Program, ws: string, home: string): Promise<number> {
  const began = performance.now();
  const file = cassette(home, script());
  const ran = await run(program, ["-p", "-m", `replay:${file}`, "--no-session", "go"], {
    cwd: ws,
    env: { HOME: home },
  });
  assertEquals(ran.stdout, "all done\n", ran.stderr);
  return performance.now() - began;
}

const files = { "a.txt": "line\n".repeat(100) };

/** Kills hosts; nothing that they told of may be missing, the file must open, and the session must go on. */
export async function killHosts(program: Program, kills: number): Promise<void> {
  await inWorkspace(files, async ({ ws, home }) => {
    const whole = await duration(program, ws, home);
    for (let i = 0; i < kills; i++) {
      const folder = join(home, `kept-${i}`);
      const args = ["--session-dir", folder, "-m", `replay:${cassette(home, script())}`];
      const child = start(program, [...args, "--mode", "json", "go"], { cwd: ws, env: { HOME: home } });
      const told = new Response(child.stdout).text();
      const moment = Math.random() * whole * 1.1;
      const timer = setTimeout(() => {
        try {
          child.kill("SIGKILL");
        } catch (error) {
          // It has ended by itself, which nobody has told yet.
          if (!(error instanceof TypeError)) throw error;
        }
      }, moment);
      await Promise.all([child.status, child.stderr.cancel()]);
      clearTimeout(timer);
      const lines = (await told).split("\n").slice(0, -1).map((line) => JSON.parse(line));
      const said = lines.filter((event) => event.type === "message_end").map((event) => JSON.stringify(event.message));
      if (said.length === 0) continue; // nothing was told: there need not be a session
      const [name = ""] = [...Deno.readDirSync(folder)].map((entry) => entry.name).filter((one) =>
        one.endsWith(".jsonl")
      );
      const kept = new Set(
        loadSession(join(folder, name)).entries.flatMap((entry) =>
          entry.type === "message" ? [JSON.stringify(entry.message)] : []
        ),
      );
      for (const message of said) assert(kept.has(message), `killed after ${moment} ms: lost ${message}`);
      const rest = cassette(home, [{ text: "went on" }]);
      const ran = await run(program, ["-p", "-c", "--session-dir", folder, "-m", `replay:${rest}`, "and?"], {
        cwd: ws,
        env: { HOME: home },
      });
      assertEquals([ran.code, ran.stdout], [0, "went on\n"], `killed after ${moment} ms: ${ran.stderr}`);
    }
  });
}

/** Kills the processes that run tools; the run must reach its end each time. */
export async function killRunners(program: Program, kills: number): Promise<void> {
  await inWorkspace(files, async ({ ws, home }) => {
    const whole = await duration(program, ws, home);
    let killed = 0;
    for (let i = 0; i < kills; i++) {
      const file = cassette(home, script());
      const args = ["-p", "-m", `replay:${file}`, "--no-session", "go"];
      const child = start(program, args, { cwd: ws, env: { HOME: home } });
      const timer = setTimeout(() => {
        for (const pid of processesBelow(child.pid)) {
          if (!readProc(`/proc/${pid}/cmdline`)?.includes("--internal-runner")) continue;
          try {
            Deno.kill(pid, "SIGKILL");
            killed++;
          } catch {
            // It ended by itself.
          }
        }
      }, Math.random() * whole * 0.9);
      const { stdout, stderr, code } = await child.output();
      clearTimeout(timer);
      const text = new TextDecoder().decode(stdout);
      assertEquals([code, text], [0, "all done\n"], new TextDecoder().decode(stderr));
    }
    assert(kills < 20 || killed > 0, "no runner was ever met");
  });
}

/** All of them: between a host and its runner there may be what makes its mounts. */
function processesBelow(pid: number): number[] {
  const children = numbersIn(`/proc/${pid}/task`).flatMap((thread) => childrenOfThread(pid, thread) ?? []);
  return children.flatMap((child) => [child, ...processesBelow(child)]);
}
