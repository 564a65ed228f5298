// The folders that all programs of a machine share, /tmp and /dev/shm: what a grant names there is the machine's own at each
// level and by each way to it, a narrower scope holds inside, and what is private is called so.
import { assertEquals, assertMatch } from "@std/assert";
import { inWorkspace } from "../helpers/program.ts";
import { canMakeMachines, type Lack, onMachine, withoutNamespaces, withoutOwnNamespaces } from "../sandbox/machine.ts";
import { HAS_BUBBLEWRAP, HAS_OWN } from "../sandbox/namespaces_here.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";

const WAYS: readonly (readonly [name: string, isThere: boolean, lacks: readonly Lack[]])[] = [
  ["kernel+", HAS_OWN, []],
  ["kernel+ by bubblewrap", HAS_BUBBLEWRAP, [withoutOwnNamespaces]],
  ["kernel", CONFINED.includes("kernel") && canMakeMachines(), [withoutNamespaces]],
];

interface Case {
  readonly claim: string;
  /** Options, with TOP for the folder in the shared one. */
  readonly flags: readonly string[];
  readonly script: string;
  /** Starts in the folder `ws` there, not in a workspace elsewhere. */
  readonly isWithin?: true;
  readonly says: string;
  /** What is on the machine's disk below TOP afterwards, beside what was there. */
  readonly leaves: readonly string[];
  /** Where that is less: nothing new can be made beside what is denied. */
  readonly leavesAtKernel?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    claim: "a read grant shows the machine's and lets nothing be written",
    flags: ["--allow-read=+TOP/given"],
    script:
      "cat TOP/given/a; { echo x > TOP/given/new; echo x > TOP/given/a; } 2>/dev/null; cat TOP/given/a TOP/other/c",
    says: "given\ngiven\n",
    leaves: [],
  },
  {
    claim: "what is denied in a read grant stays closed",
    flags: ["--allow-read=+TOP/given", "--deny-read=TOP/given/key,TOP/given/secret"],
    script: "cat TOP/given/a; cat TOP/given/key/k TOP/given/secret; ls TOP/given/key",
    says: "given\n",
    leaves: [],
  },
  {
    claim: "a write grant writes the machine's",
    flags: ["--allow-write=+TOP/given"],
    script: "echo x > TOP/given/new; cat TOP/given/new TOP/given/a; cat TOP/other/c",
    says: "x\ngiven\n",
    leaves: ["given/new"],
  },
  {
    claim: "what is denied in a write grant stays as it is",
    flags: ["--allow-write=+TOP/given", "--deny-write=TOP/given/key"],
    script: "true; { echo x > TOP/given/new; echo x > TOP/given/key/k; } 2>/dev/null; cat TOP/given/key/k",
    says: "key\n",
    leaves: ["given/new"],
    leavesAtKernel: [],
  },
  {
    claim: "a workspace is the machine's",
    flags: [],
    script: "cat a sub/b; echo x > new; cat TOP/given/a TOP/other/c",
    isWithin: true,
    says: "ws\nsub\n",
    leaves: ["ws/new"],
  },
  {
    claim: "a read scope inside a workspace holds",
    flags: ["--allow-read=sub"],
    script: "cat sub/b; cat a TOP/ws/a other/d; { echo x > sub/../b; } 2>/dev/null",
    isWithin: true,
    says: "sub\n",
    leaves: ["ws/b"],
  },
  {
    claim: "a read and another write scope inside a workspace hold",
    flags: ["--allow-read=sub", "--allow-write=other"],
    script: "cat sub/b; echo x > other/new; cat other/new a TOP/ws/a; { echo x > sub/new; } 2>/dev/null",
    isWithin: true,
    says: "sub\nx\n",
    leaves: ["ws/other/new"],
  },
];

const FILES = ["given/a", "given/key/k", "given/secret", "other/c", "ws/a", "ws/sub/b", "ws/other/d"];

/** Runs a script on the machine itself: tests may not look into /dev. */
function sh(script: string, ...args: readonly string[]): string {
  const { success, stdout } = new Deno.Command("sh", { args: ["-c", script, "sh", ...args] }).outputSync();
  if (!success) throw new Error(`this failed: ${script}`);
  return new TextDecoder().decode(stdout).trimEnd();
}

/** A folder in a shared one, with each of the files, which holds the name of the folder around it. */
function makeTop(shared: string): string {
  const top = sh('mktemp -d "$1/sp-shared-XXXXXX"', shared);
  for (const file of FILES) {
    sh('mkdir -p "$(dirname "$1")"; basename "$(dirname "$1")" > "$1"', `${top}/${file}`);
  }
  return top;
}

for (const [way, isThere, lacks] of WAYS) {
  for (const shared of ["/tmp", "/dev/shm"]) {
    Deno.test({
      name: `at ${way} grants and workspaces below ${shared} are the machine's, and their scopes hold R452 R453`,
      ignore: !isThere,
      fn: (t) =>
        inWorkspace({}, async ({ ws, home }) => {
          for (const { claim, flags, script, isWithin, says, leaves, leavesAtKernel } of CASES) {
            await t.step(claim, async () => {
              const top = makeTop(shared);
              try {
                const named = (text: string): string => text.replaceAll("TOP", top);
                const { stdout } = await onMachine(lacks, ["tool", ...flags.map(named), "bash", "--", named(script)], {
                  cwd: isWithin ? `${top}/ws` : ws,
                  home,
                });
                const lines = stdout.split("\n").filter((line) => /^\w+$/.test(line));
                assertEquals(lines.map((line) => `${line}\n`).join(""), says, stdout);
                const after = sh('cd "$1"; find . -type f | cut -c3- | sort', top).split("\n");
                const more = after.filter((file) => !FILES.includes(file));
                assertEquals(more, way === "kernel" ? leavesAtKernel ?? leaves : leaves);
                for (const file of FILES) assertEquals(sh('cat "$1"', `${top}/${file}`), file.split("/").at(-2));
              } finally {
                sh('rm -r "$1"', top);
              }
            });
          }
        }),
    });
  }

  Deno.test({
    name: `at ${way} what a command puts into a folder of its own is called private, and the machine's gets nothing`,
    ignore: !isThere || way === "kernel",
    fn: () =>
      inWorkspace({}, async ({ ws, home }) => {
        const name = `sp-${crypto.randomUUID()}`;
        const said = async (script: string, ...flags: readonly string[]): Promise<string> =>
          (await onMachine(lacks, ["tool", ...flags, "bash", "--", script], { cwd: ws, home })).stdout;
        const both = await said(`echo a > /tmp/${name}; echo b > /dev/shm/${name}; cat /tmp/${name} /dev/shm/${name}`);
        assertMatch(both, /^a\nb\n/);
        assertMatch(both, /Sandbox: \/tmp is private to this session's commands/);
        assertMatch(both, /Sandbox: \/dev\/shm is private to each command/);
        for (const folder of ["/tmp", "/dev/shm"]) {
          assertEquals(sh('ls "$1"', folder).includes(name), false);
        }
        assertEquals(/private/.test(await said("echo one")), false);
        const top = makeTop("/dev/shm");
        try {
          const granted = await said(`echo x > ${top}/new; cat ${top}/new`, `--allow-write=+${top}`);
          assertEquals(granted.trim(), "x");
        } finally {
          sh('rm -r "$1"', top);
        }
      }),
  });
}
