// What a model that plans could do to the workspace: scripts in `plan/`, each of which succeeds only where something can be
// written or reached. The same scripts without a plan succeed: that shows that they are worth something.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { cassette, events, inWorkspace, LAZY_SOURCE, run } from "../helpers/program.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";

const SCRIPTS = join(import.meta.dirname ?? "", "plan");

/** How the program is started at a level: where no process may make namespaces (in a chroot), the best is `kernel`. */
const CHROOT = [
  ...["unshare", "--mount", "--", "sh", "-c"],
  'mount --rbind / /mnt && exec unshare --root=/mnt --wd="$PWD" -- "$@"',
  "sh",
];

const FILES = ["file", "emptied", "victim", "moved", "taken", "sub/other"];

/** Everything below a folder: what it is, its mode and time, what is in it. */
function snapshot(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory, isFile }) => {
    const path = join(folder, name);
    const { mode, mtime } = Deno.lstatSync(path);
    const own = `${path} ${mode} ${mtime?.getTime()} ${isFile ? Deno.readTextFileSync(path) : ""}`;
    return isDirectory ? [own, ...snapshot(path)] : [own];
  }).sort();
}

/** Exit code of each script, and whether anything in the workspace is another than before. */
async function attack(level: string, plans: boolean): Promise<{
  readonly codes: ReadonlyMap<string, number>;
  readonly isChanged: boolean;
}> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  void (async () => {
    for await (const conn of listener) conn.close();
  })().catch(() => {});
  const scripts = [...Deno.readDirSync(SCRIPTS)].map(({ name }) => name).sort();
  const files = Object.fromEntries([
    ...scripts.map((name) => [`.attacks/${name}`, Deno.readTextFileSync(join(SCRIPTS, name))]),
    ...FILES.map((name) => [name, `${name}\n`]),
    ["port", String(listener.addr.port)],
  ]);
  const codes = new Map<string, number>();
  let isChanged = false;
  await inWorkspace(files, async ({ ws, home }) => {
    Deno.mkdirSync(`${ws}/empty-folder`);
    const made = new Deno.Command("sh", {
      args: ["-c", "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first"],
      cwd: ws,
      env: { GIT_CONFIG_GLOBAL: "/dev/null" },
    }).outputSync();
    assert(made.success);
    const command =
      'for script in .attacks/*.sh; do bash "$script" >/dev/null 2>&1; code=$?; echo "RESULT $(basename "$script" .sh) $code"; done';
    const model = cassette(home, [
      {
        calls: [
          { name: "bash", args: { command, timeout: 120 } },
          { name: "write", args: { path: "tool.txt", content: "x" } },
          { name: "edit", args: { path: "sub/other", edits: [{ oldText: "other", newText: "new" }] } },
        ],
      },
      { text: "the plan" },
    ]);
    const before = snapshot(ws);
    const program = { name: level, command: [...(level === "kernel" ? CHROOT : []), ...LAZY_SOURCE.command] };
    const args = ["--sandbox", "kernel", "--allow-net", "--mode", "json", "-m", `replay:${model}`];
    const { stdout, stderr } = await run(program, [...args, ...(plans ? ["--plan"] : []), "go"], {
      cwd: ws,
      env: { HOME: home },
    });
    for (const { type, result } of events(stdout)) {
      if (type !== "tool_execution_end") continue;
      for (const [, name = "", code] of result.content[0].text.matchAll(/^RESULT (\S+) (\d+)$/gm)) {
        codes.set(name, Number(code));
      }
    }
    assertEquals(codes.size, scripts.length, stderr + stdout.slice(-3000));
    assertEquals(events(stdout).at(-1)?.sandbox.level, level);
    isChanged = JSON.stringify(before) !== JSON.stringify(snapshot(ws));
  });
  return { codes, isChanged };
}

/** Without mounts no rule covers attributes of what the user owns: docs/known-gaps.md, At level kernel. */
const OPEN: Readonly<Record<string, readonly string[]>> = { kernel: ["plan-mode", "plan-time", "plan-xattr"] };

for (const level of CONFINED) {
  Deno.test({
    name: `a plan at ${level}: nothing is written to the workspace, and no server is reached`,
    // Only root may change its root folder.
    ignore: level === "kernel" && Deno.uid() !== 0,
    fn: async () => {
      const { codes, isChanged } = await attack(level, true);
      const open = OPEN[level] ?? [];
      assertEquals([...codes].filter(([name, code]) => code === 0 && !open.includes(name)), []);
      if (open.length === 0) assertEquals(isChanged, false);
    },
  });
}

Deno.test({
  name: "without a plan each of these attacks works, so that none of them proves nothing",
  ignore: !CONFINED.includes("kernel+"),
  fn: async () => {
    const { codes, isChanged } = await attack("kernel+", false);
    const held = [...codes].filter(([, code]) => code !== 0 && code !== 77).map(([name]) => name);
    assertEquals([held, isChanged], [[], true]);
  },
});
