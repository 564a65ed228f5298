import { assert, assertEquals, assertLess, assertMatch, assertRejects } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import type { SandboxLevel } from "../../../src/core/policy.ts";
import { PROGRAM_BYTES, type ProgramOutcome, type ProgramRequest } from "../../../src/core/runner.ts";
import { openProcessPool } from "../../../src/sandbox/pool/pool.ts";
import { openPrograms, type Programs } from "../../../src/sandbox/shell/programs.ts";
import { numbersIn, readProc } from "../../../src/sandbox/system/procfs.ts";
import { until } from "../../helpers/until.ts";
import { makeWorld, programFor, type World, worldPolicy } from "../confined_world.ts";
import { CONFINED } from "../shell_fixture.ts";

const signal = new AbortController().signal;
const encoder = new TextEncoder();
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

interface Room {
  readonly world: World;
  readonly programs: Programs;
  readonly run: (
    argv: readonly string[],
    more?: Partial<ProgramRequest>,
    ending?: AbortSignal,
  ) => Promise<ProgramOutcome>;
}

async function withPrograms(
  level: SandboxLevel,
  run: readonly string[],
  work: (room: Room) => Promise<void>,
): Promise<void> {
  using world = makeWorld();
  const policy = worldPolicy(world, level, { flags: { run } }, { ONE: "1" });
  const programs = openPrograms(policy, openProcessPool(policy, programFor(world)), { MARK: "m" });
  try {
    await work({
      world,
      programs,
      run: (argv, more, ending = signal) =>
        programs.run({ argv, cwd: world.root, stdin: new Uint8Array(), ...more }, ending),
    });
  } finally {
    await programs.close();
  }
}

for (const level of CONFINED) {
  Deno.test(`openPrograms() at ${level} runs a listed program with input, folder and both outputs apart R457`, async () => {
    await withPrograms(level, ["sh", "cat"], async ({ world, run }) => {
      const script = 'cat; echo "$PWD $MARK $HOME"; echo err >&2; exit 3';
      const outcome = await run(["sh", "-c", script], { stdin: encoder.encode("in\n") });
      assertEquals([outcome.exitCode, text(outcome.stdout), text(outcome.stderr), outcome.notes], [
        3,
        `in\n${world.root} m ${world.home}\n`,
        "err\n",
        [],
      ]);
      assertEquals(text((await run(["cat"])).stdout), "");
      // A program need not read what it is sent.
      assertEquals((await run(["sh", "-c", "exit 5"], { stdin: new Uint8Array(1 << 20) })).exitCode, 5);
      const copied = await run(["cat"], { stdin: new Uint8Array(3 << 20).fill(7) });
      assertEquals(copied.stdout, new Uint8Array(3 << 20).fill(7));
    });
  });

  Deno.test(`openPrograms() at ${level} confines a program: outside, protected, network, environment`, async () => {
    await withPrograms(level, ["sh"], async ({ world, run }) => {
      Deno.mkdirSync(`${world.root}/.vscode`);
      const script = `cat ${world.outside}/secret; echo x > ${world.outside}/new; echo y > here; cat here; ` +
        "exec 3<>/dev/tcp/127.0.0.1/9; env";
      const { stdout, stderr, notes } = await run(["sh", "-c", script]);
      assert(!text(stdout).includes("outside-secret"), text(stdout));
      assertMatch(text(stdout), /^y\n/);
      assertMatch(text(stderr) + notes.join(), /secret|new/);
      assertEquals([...Deno.readDirSync(world.outside)].map(({ name }) => name), ["secret"]);
      assert(!text(stdout).includes("ONE=1"));
      const { notes: undone } = await run(["sh", "-c", "echo evil > .envrc; echo evil > .vscode/settings.json"]);
      assert(level === "kernel+" || undone.length > 0);
      await assertRejects(async () => await Deno.lstat(`${world.root}/.envrc`), Deno.errors.NotFound);
    });
  });

  Deno.test(`openPrograms() at ${level} refuses what is not listed, by whatever name R457`, async () => {
    await withPrograms(level, ["true", "/bin/false", "nosuch"], async ({ world, run }) => {
      Deno.copyFileSync("/bin/true", `${world.root}/true`);
      for (
        const name of [
          "sh",
          "./true",
          "/bin/true",
          "/tmp/true",
          `${world.root}/true`,
          "true ",
          "TRUE",
          "",
          "../true",
          "__proto__",
        ]
      ) {
        await assertRejects(() => run([name]), ToolError, `NotCapable: run access to "${name}" is not granted`);
      }
      await assertRejects(() => run(["nosuch"]), ToolError, "there is no such program in PATH");
      assertEquals((await run(["true"])).exitCode, 0);
      assertEquals((await run(["/bin/false"])).exitCode, 1);
    });
  });

  Deno.test(`openPrograms() at ${level} starts only in folders that may be read`, async () => {
    await withPrograms(level, ["pwd"], async ({ world, run }) => {
      Deno.mkdirSync(`${world.root}/in`);
      Deno.symlinkSync(world.outside, `${world.root}/out`);
      assertEquals(text((await run(["pwd"], { cwd: `${world.root}/in` })).stdout), `${world.root}/in\n`);
      for (const cwd of [world.outside, `${world.root}/out`, `${world.root}/../outside`, "/root"]) {
        await assertRejects(() => run(["pwd"], { cwd }), ToolError, "outside the read scope");
      }
      await assertRejects(() => run(["pwd"], { cwd: `${world.root}/missing` }), ToolError, "no folder");
    });
  });

  Deno.test(`openPrograms() at ${level} ends a program that is aborted, and all that it started`, async () => {
    await withPrograms(level, ["sh"], async ({ run, programs }) => {
      const ending = new AbortController();
      const began = performance.now();
      const aborted = run(["sh", "-c", "sleep 987 & setsid sleep 987 & wait"], {}, ending.signal);
      await until(() => sleepers().length >= 2);
      ending.abort();
      const outcome = await aborted;
      assertLess(performance.now() - began, 60_000);
      assert(outcome.exitCode !== 0);
      assertEquals(sleepers(), []);
      const last = run(["sh", "-c", "sleep 987"]);
      await until(() => sleepers().length > 0);
      await programs.close();
      await last;
      assertEquals(sleepers(), []);
    });
  });

  Deno.test(`openPrograms() at ${level} keeps no more of an output than the limit`, async () => {
    await withPrograms(level, ["yes"], async ({ run }) => {
      const { stdout, exitCode, notes } = await run(["yes"]);
      assertEquals([stdout.length, exitCode], [PROGRAM_BYTES, 137]);
      assertMatch(notes.join(), /yes was ended: its output went over 8\.0MB/);
    });
  });
}

function sleepers(): number[] {
  return numbersIn("/proc").filter((pid) => (readProc(`/proc/${pid}/cmdline`) ?? "").startsWith("sleep\x00987\x00"));
}

Deno.test("openPrograms() notices a program whose file became another one", async () => {
  const level = CONFINED[0];
  if (level === undefined) return;
  using world = makeWorld();
  Deno.mkdirSync(`${world.base}/bin`);
  Deno.symlinkSync("/bin/true", `${world.base}/bin/tool`);
  const given = worldPolicy(world, level, { flags: { run: ["tool"] } });
  const policy = { ...given, env: { ...given.env, PATH: `${world.base}/bin` } };
  const programs = openPrograms(policy, openProcessPool(policy, programFor(world)));
  try {
    Deno.removeSync(`${world.base}/bin/tool`);
    Deno.symlinkSync("/bin/sh", `${world.base}/bin/tool`);
    const request = { argv: ["tool"], cwd: world.root, stdin: new Uint8Array() };
    await assertRejects(() => programs.run(request, signal), ToolError, "not the one that it was");
  } finally {
    await programs.close();
  }
});
