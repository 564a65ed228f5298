// What tools may touch, as the program says it and as a command meets it.
import { assertEquals, assertMatch } from "@std/assert";
import { probeSandbox } from "../../src/sandbox/confine/probe.ts";
import { inPlace } from "./permission_place.ts";
import { cassette, events, inWorkspace, PROGRAM, run } from "../helpers/program.ts";

/** The workspace and a home whose settings are the user's. */
function withSettings(
  user: unknown,
  project: unknown,
  work: (place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }) => Promise<void>,
): Promise<void> {
  return inWorkspace({ ".sandpiper/settings.json": JSON.stringify(project) }, async ({ ws, home }) => {
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(user));
    await work({ cwd: ws, env: { HOME: home } });
  });
}

Deno.test("limits of the settings hold, and a trusted project only lowers them", async () => {
  const user = { bash: { openFiles: 256, processes: 40, outputLines: 5, fileBytes: 2 ** 33 } };
  const project = { bash: { openFiles: 128, processes: 4000, memoryBytes: 2 ** 40, fileBytes: 2 ** 14 } };
  await withSettings(user, project, async (place) => {
    const report = await run(PROGRAM, ["policy", "--trust", "--json"], place);
    assertEquals(JSON.parse(report.stdout).limits, {
      bashTimeoutMs: 120_000,
      bashMaxTimeoutMs: 600_000,
      outputBytes: 65_536,
      outputLines: 5,
      fileBytes: 2 ** 14,
      openFiles: 128,
      processes: 40,
      memoryBytes: 2 ** 31,
    }, report.stderr);
    // Files are bounded by the kernel where it confines, else by the tools themselves.
    const big = await run(
      PROGRAM,
      ["tool", "--trust", "write", JSON.stringify({ path: "big", content: "x".repeat(2 ** 14 + 1) })],
      place,
    );
    assertMatch(big.stdout + big.stderr, /exceeds the limit of 16\.0KB a file/);
    const long = await run(PROGRAM, ["tool", "--trust", "bash", "--", "seq 1 9"], place);
    assertMatch(long.stdout, /^6\n7\n8\n9\n\n?\n?\[Showing lines/m, long.stdout);
    const { sandbox } = JSON.parse(report.stdout);
    if (sandbox !== "kernel" && sandbox !== "kernel+") return;
    const command = "ulimit -n -f; head -c 20000 /dev/zero > filled; wc -c < filled";
    const { stdout } = await run(PROGRAM, ["tool", "--trust", "bash", "--", command], place);
    assertMatch(stdout, /\b128\b[^]*\b16\b[^]*\n16384\n/, stdout);
  });
});

Deno.test("every distinct denial of one command has its line with its grant, of a single call and of a run R480", async () => {
  if (probeSandbox().landlockAbi === 0) return;
  await inWorkspace({}, async ({ ws, home }) => {
    const place = { cwd: ws, env: { HOME: home } };
    const command = "touch /usr/new-a; touch /usr/lib/new-b; touch /usr/lib/new-b; true";
    const replies = [{ calls: [{ name: "bash", args: { command } }] }, { text: "Done." }];
    const call = await run(PROGRAM, ["tool", "bash", "--", command], place);
    const whole = await run(PROGRAM, ["-p", "--model", `replay:${cassette(home, replies)}`, "go"], place);
    for (const [{ code, stderr }, often] of [[call, " (2 times)"], [whole, ""]] as const) {
      assertEquals([code, stderr.match(/^warning: denied: write .*$/gm)], [0, [
        "warning: denied: write /usr/new-a; --allow-write=+/usr/ allows it",
        `warning: denied: write /usr/lib/new-b; --allow-write=+/usr/lib/ allows it${often}`,
      ]], stderr);
    }
  });
});

Deno.test("what a command in the background did to a protected path is told where the session ends before any other call", async () => {
  if (probeSandbox().landlockAbi === 0) return;
  await inWorkspace({}, async ({ ws, home }) => {
    const place = { cwd: ws, env: { HOME: home } };
    const command = "echo x > .envrc; touch done; sleep 300";
    const replies = [
      { calls: [{ name: "bash", args: { command, background: true } }] },
      { calls: [{ name: "read", args: { path: "done" } }] },
      { text: "Done." },
    ];
    const { code, stdout, stderr } = await run(
      PROGRAM,
      ["-p", "--model", `replay:${cassette(home, replies)}`, "go"],
      place,
    );
    assertEquals([code, stdout], [0, "Done.\n"], stderr);
    assertMatch(stderr, /^warning: A command in the background: Removed \.envrc: /m);
    assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name), ["done"]);
  });
});

Deno.test("git's settings that do not last are told, and those that nobody set are not said to be set", async () => {
  const probe = probeSandbox();
  if (probe.landlockAbi === 0) return;
  await inWorkspace({}, async ({ ws, home }) => {
    const place = { cwd: ws, env: { HOME: home } };
    new Deno.Command("git", { args: ["init", "-q"], cwd: ws }).outputSync();
    const global = await run(PROGRAM, ["tool", "bash", "--", "git config --global user.name x"], place);
    assertMatch(global.stdout, /git config --global changed a copy .* own ~\/\.gitconfig is as it was\.\n$/);
    const read = await run(PROGRAM, ["tool", "bash", "--", "git config --global user.name; :"], place);
    assertEquals(read.stdout, "(no output)\n");
    if (!("works" in probe.namespaces())) return;
    const replaced = await run(PROGRAM, ["tool", "bash", "--", "echo q > .git/config"], place);
    assertMatch(replaced.stdout, /only commands in the sandbox see: q, core\.\w+ \(removed\), .* \(removed\)\.\n$/);
  });
});

Deno.test("a folder that holds secrets is said to be closed, not empty, and what lies beside them is read by name", async () => {
  if (probeSandbox().landlockAbi === 0) return;
  await inPlace(async ({ ws, home }) => {
    for (const folder of [".ssh", "notes"]) Deno.mkdirSync(`${home}/${folder}`);
    Deno.writeTextFileSync(`${home}/notes/a.txt`, "beside\n");
    const said = async (tool: string, ...words: readonly string[]): Promise<string> =>
      (await run(PROGRAM, ["tool", tool, `--allow-read=+${home}`, ...words], { cwd: ws, env: { HOME: home } }))
        .stdout;
    const outputs = await Promise.all([
      said("ls", JSON.stringify({ path: home })),
      said("find", JSON.stringify({ path: home, pattern: "*" })),
      said("grep", JSON.stringify({ path: home, pattern: "beside" })),
    ]);
    for (const output of outputs) {
      assertMatch(
        output,
        /^Denied: list .*: what is in it may hold secrets; what else is in it can be read by its name\n$/,
      );
    }
    assertEquals(await said("grep", JSON.stringify({ path: `${home}/notes`, pattern: "beside" })), "a.txt:1: beside\n");
    const command = `ls ${home}; cat ${home}/notes/a.txt`;
    assertMatch(
      await said("bash", "--", command),
      /\nbeside\n\nSandbox: cannot list .*: what is in it may hold secrets; .*by its name\.\n$/,
    );
  })();
});

Deno.test({
  name: "a limit that the system has set already is kept and not raised",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      const lowered = {
        name: "lowered",
        command: ["/bin/sh", "-c", 'ulimit -n 777; exec "$@"', "sh", ...PROGRAM.command],
      };
      const place = { cwd: ws, env: { HOME: home } };
      const { sandbox } = JSON.parse((await run(PROGRAM, ["policy", "--json"], place)).stdout);
      if (sandbox !== "kernel" && sandbox !== "kernel+") return;
      const { stdout, stderr } = await run(lowered, ["tool", "bash", "--", "ulimit -n; ulimit -Hn"], place);
      assertEquals(stdout.trim(), "777\n777", stderr);
    }),
});

const WARNED: readonly (readonly [options: readonly string[], warnings: readonly string[]])[] = [
  [["--allow-run=git"], ["git can start other programs: the list does not bound those, only the sandbox does."]],
  [["--sandbox", "off"], ["The sandbox is off: tools may do whatever you may do."]],
  [["--sandbox", "off", "--allow-run"], [
    "The sandbox is off: tools may do whatever you may do.",
    "A real shell without a sandbox voids the read and write scope: commands may touch whatever you may.",
  ]],
  [[], []],
];
for (const [options, warnings] of WARNED) {
  Deno.test({
    name: `${options.join(" ") || "a run without options"}: warnings of its sandbox are printed and recorded R468`,
    // A list starts nothing where the kernel confines no program.
    ignore: Deno.build.os !== "linux" || probeSandbox().landlockAbi < 6,
    fn: () =>
      inWorkspace({}, async ({ ws, home }) => {
        const place = { cwd: ws, env: { HOME: home } };
        const model = ["-m", `replay:${cassette(home, [{ text: "done" }])}`];
        const said = (stderr: string) => stderr.split("\n").filter((line) => line.startsWith("warning: "));
        const expected = warnings.map((text) => `warning: ${text}`);
        const printed = await run(PROGRAM, [...options, ...model, "-p", "go"], place);
        assertEquals([printed.stdout, said(printed.stderr)], ["done\n", expected]);
        const json = await run(PROGRAM, [...options, ...model, "--mode", "json", "go"], place);
        assertEquals(said(json.stderr), expected);
        const manifest = events(json.stdout).find(({ type }) => type === "prompt_compiled").manifest;
        assertEquals([manifest.policy.notices, manifest.policy.weaknesses], [warnings, []]);
        const report = JSON.parse((await run(PROGRAM, ["policy", ...options, "--json"], place)).stdout);
        assertEquals([report.notices, report.weaknesses], [warnings, []]);
      }),
  });
}

Deno.test("the scope report says as text what holds, what enforces it and what to know R493", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const options = ["--sandbox", "permissions", "--allow-run", "--deny-read=private", "--tools", "bash,read"];
    const { code, stdout, stderr } = await run(PROGRAM, ["policy", ...options], { cwd: ws, env: { HOME: home } });
    // What else may be read depends on the machine.
    const text = stdout.replace(/^Read: the workspace, .*system, toolchains\.$/m, "Read: …");
    assertEquals([code, text, stderr], [
      0,
      [
        `workspace  ${ws}`,
        "sandbox    permissions",
        "tools      read, bash",
        "",
        "Read: …",
        "Write: the workspace, $TMPDIR (not /tmp); never .gitmodules, .sandpiper, .sf, .pi, .vscode, .idea, .envrc, .mcp.json.",
        `Never readable: ${ws}/private.`,
        "Programs: none; bash is an interpreter with its own grep, sed, awk, find, jq and the like.",
        "Network: none.",
        "Enforced by Deno's permissions; no kernel sandbox is active.",
        "Note: No program is started at the sandbox level permissions: bash interprets scripts itself.",
        "",
      ].join("\n"),
      "",
    ]);
  });
});

Deno.test("the user's folder is closed to tools wherever SANDPIPER_HOME names it from and the process stands", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    Deno.mkdirSync(`${ws}/inner`);
    const own = Deno.realPathSync(outside) + "/own";
    Deno.mkdirSync(own);
    // It counts from the workspace.
    const relative = "../../outside/own";
    for (const [named, cwd] of [[own, ws], [relative, home], [relative, `${ws}/inner`]] as const) {
      const env = { HOME: home, SANDPIPER_HOME: named };
      const { stdout, stderr } = await run(PROGRAM, ["policy", "--json", "-C", `${ws}/inner`], { cwd, env });
      const { denyRead, denyWrite } = JSON.parse(stdout);
      assertEquals([denyRead.includes(own), denyWrite.includes(own)], [true, true], `${named} ${cwd} ${stderr}`);
    }
  });
});
