import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import { openFiles } from "../../../src/runner/files/files.ts";
import { run, world } from "../workspace.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const messageOf = (work: () => unknown): string => assertThrows(work, ToolError).message;

Deno.test("openFiles() reads, writes and lists inside its scopes R451 R453", () => {
  using w = world();
  const files = openFiles(w.policy);
  files.write(`${w.root}/a/b/c.txt`, bytes("hällo\n"));
  assertEquals(text(files.read(`${w.root}/a/b/c.txt`)), "hällo\n");
  assertEquals(text(files.read(`${w.root}/a/b/c.txt`, 1, 2)), "ä");
  assertEquals(files.read(`${w.root}/a/b/c.txt`, 99), new Uint8Array());
  assertEquals(files.list(`${w.root}/a`), [{ name: "b", isDirectory: true, isSymlink: false }]);
  assertEquals([files.info(`${w.root}/a`).kind, files.info(`${w.root}/a/b/c.txt`).size], ["directory", 7]);
  assertEquals([files.exists(`${w.root}/a`), files.exists(`${w.root}/z`), files.exists(w.outside)], [
    true,
    false,
    false,
  ]);
});

/** What is asked for, and the rule that the refusal names. `R` is the workspace, `O` the place beside it. */
const REFUSED = [
  { name: "an absolute path outside R459", path: "O/secret", rule: "outside the read scope" },
  { name: "a way out by .. R458", path: "R/../outside/secret", rule: "outside the read scope" },
  { name: "a link to a file outside R460", path: "R/link", rule: "which is outside the read scope" },
  { name: "a link to a folder outside R460", path: "R/folder/secret", rule: "which is outside the read scope" },
  { name: "a link to a link outside R460", path: "R/again", rule: "which is outside the read scope" },
  { name: "a new file behind a linked folder R461", path: "R/folder/new/er", rule: "which is outside the read scope" },
  { name: "a link to nowhere R461", path: "R/nowhere", rule: "a link to nowhere" },
  { name: "a path below a link to nowhere R461", path: "R/nowhere/x", rule: "a link to nowhere" },
  { name: "a circle of links", path: "R/circle", rule: "in a circle" },
  { name: "/proc R463", path: "/proc/self/environ", rule: "no grant opens /proc, /dev and /sys" },
  { name: "/dev R463", path: "/dev/zero", rule: "no grant opens /proc, /dev and /sys" },
  { name: "/sys R463", path: "/sys/kernel/version", rule: "no grant opens /proc, /dev and /sys" },
  { name: "a link into /proc R463", path: "R/proc", rule: "it leads to /proc" },
  { name: "a FIFO", path: "R/fifo", rule: "a FIFO" },
  { name: "a folder", path: "R/plain", rule: "is a folder" },
  { name: "a name with NUL", path: "R/a\0b", rule: "NUL" },
  { name: "a name below a file", path: "R/file/x", rule: "a file and not a folder" },
] as const;

for (const { name, path, rule } of REFUSED) {
  Deno.test(`openFiles() neither reads nor writes ${name}`, () => {
    using w = world();
    Deno.writeTextFileSync(`${w.outside}/secret`, "secret");
    Deno.writeTextFileSync(`${w.root}/file`, "file");
    Deno.mkdirSync(`${w.root}/plain`);
    Deno.symlinkSync(`${w.outside}/secret`, `${w.root}/link`);
    Deno.symlinkSync(w.outside, `${w.root}/folder`);
    Deno.symlinkSync("link", `${w.root}/again`);
    Deno.symlinkSync(`${w.outside}/nothing`, `${w.root}/nowhere`);
    Deno.symlinkSync("circle", `${w.root}/circle`);
    Deno.symlinkSync("/proc/self/environ", `${w.root}/proc`);
    run("mkfifo", `${w.root}/fifo`);
    const files = openFiles(w.policy);
    const at = path.replace(/^R/, w.root).replace(/^O/, w.outside);
    for (const work of [() => files.read(at), () => files.write(at, bytes("changed"))]) {
      const message = messageOf(work);
      assertEquals(message.includes(rule) || message.includes(rule.replace("read", "write")), true, message);
      assertEquals(message.includes("\n"), false);
    }
    assertEquals(Deno.readTextFileSync(`${w.outside}/secret`), "secret");
    assertEquals([...Deno.readDirSync(w.outside)].map(({ name }) => name), ["secret"]);
  });
}

Deno.test("openFiles() list refuses a link that leads out R460", () => {
  using w = world();
  Deno.symlinkSync(w.outside, `${w.root}/folder`);
  const files = openFiles(w.policy);
  assertEquals(
    messageOf(() => files.list(`${w.root}/folder`)),
    `Denied: read ${w.root}/folder: it leads to ${w.outside}, which is outside the read scope. ` +
      `Only the user can allow it, with --allow-read=+${w.outside}`,
  );
  assertEquals(messageOf(() => files.info(`${w.root}/folder`)).startsWith("Denied: read"), true);
  // What the link itself is may be seen in its own folder.
  assertEquals(files.list(w.root), [{ name: "folder", isDirectory: false, isSymlink: true }]);
});

Deno.test("openFiles() writes nothing that git obeys in a nested repository, nor in one that is not there yet R478", () => {
  using w = world((root, outside) => ({ write: { all: false, list: [root, `${outside}/more`] } }));
  const files = openFiles(w.policy);
  Deno.mkdirSync(`${w.root}/sub/.git`, { recursive: true });
  Deno.mkdirSync(`${w.outside}/more`);
  Deno.symlinkSync(".git", `${w.root}/sub/alias`);
  const refused = [
    ...[
      "sub/.git/config",
      "sub/.git/config.worktree",
      "sub/.git/hooks/pre-push",
      "sub/.git/hooks/a/b",
      "sub/alias/config",
    ],
    ...[
      ".git/config",
      ".git/modules/a/config",
      "other/.git",
      "other/.git/commondir",
      "SUB/.Git/Hooks/x",
      "x/.g\u200cit",
    ],
  ];
  for (const path of [...refused.map((name) => `${w.root}/${name}`), `${w.outside}/more/.git/config`]) {
    assertEquals([
      path,
      /it is protected, and no grant opens it\. Git itself may write it$/.test(
        messageOf(() => files.write(path, bytes("x"))),
      ),
    ], [path, true]);
  }
  for (const path of ["sub/.git/COMMIT_EDITMSG", "config", "hooks/x", "sub/.github/hooks/x", "x.git/config"]) {
    files.write(`${w.root}/${path}`, bytes("x"));
  }
  files.write(`${w.outside}/more/config`, bytes("x"));
});

Deno.test("openFiles() deny lists and protected paths beat every grant R478", () => {
  using w = world((root) => ({
    read: { all: true, list: [] },
    write: { all: true, list: [] },
    denyRead: [`${root}/secret`],
    denyWrite: [`${root}/fixed`],
    protected: [`${root}/.git/config`, `${root}/.git/hooks`],
  }));
  const files = openFiles(w.policy);
  for (const name of ["secret", "fixed", "open"]) Deno.writeTextFileSync(`${w.root}/${name}`, name);
  Deno.symlinkSync("secret", `${w.root}/alias`);
  const outcome = (work: () => unknown): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return false;
    }
  };
  const may = (path: string): boolean[] => [
    outcome(() => files.read(`${w.root}/${path}`)),
    outcome(() => files.write(`${w.root}/${path}`, bytes(path))),
  ];
  assertEquals(
    ["open", "secret", "alias", "fixed", ".git/config", ".git/hooks/pre-commit", ".GIT/Config", ".g\u200cit/config"]
      .map((path) => [path, ...may(path)]),
    [
      ["open", true, true],
      ["secret", false, false],
      ["alias", false, false],
      ["fixed", true, false],
      [".git/config", false, false],
      [".git/hooks/pre-commit", false, false],
      [".GIT/Config", false, false],
      [".g\u200cit/config", false, false],
    ],
  );
  files.write(`${w.root}/.git/index`, bytes("x"));
  assertEquals(
    messageOf(() => files.write(`${w.root}/.git/config`, bytes("x"))),
    `Denied: write ${w.root}/.git/config: it is protected, and no grant opens it. The user has to make such a change`,
  );
});

Deno.test("openFiles() hard links: a write never goes through, and the permissions level refuses them", () => {
  for (const sandbox of ["kernel", "permissions"] as const) {
    using w = world(() => ({ sandbox }));
    Deno.writeTextFileSync(`${w.outside}/secret`, "secret");
    Deno.linkSync(`${w.outside}/secret`, `${w.root}/hard`);
    const files = openFiles(w.policy);
    if (sandbox === "permissions") {
      assertEquals(messageOf(() => files.read(`${w.root}/hard`)).includes("2 hard links"), true);
      assertEquals(messageOf(() => files.write(`${w.root}/hard`, bytes("x"))).includes("2 hard links"), true);
    } else files.write(`${w.root}/hard`, bytes("mine"));
    assertEquals(Deno.readTextFileSync(`${w.outside}/secret`), "secret");
  }
});

Deno.test("openFiles() writes through a link inside to its target and keeps the link", () => {
  using w = world();
  Deno.mkdirSync(`${w.root}/deep`);
  Deno.writeTextFileSync(`${w.root}/deep/target`, "old");
  Deno.symlinkSync("deep/target", `${w.root}/link`);
  openFiles(w.policy).write(`${w.root}/link`, bytes("new"));
  assertEquals(Deno.readTextFileSync(`${w.root}/deep/target`), "new");
  assertEquals(Deno.lstatSync(`${w.root}/link`).isSymlink, true);
  assertEquals([...Deno.readDirSync(`${w.root}/deep`)].length, 1);
});

for (const mode of [0o600, 0o644, 0o755, 0o777, 0o664]) {
  Deno.test(`openFiles() keeps mode ${mode.toString(8)} of a file it replaces`, () => {
    using w = world();
    Deno.writeTextFileSync(`${w.root}/f`, "old");
    Deno.chmodSync(`${w.root}/f`, mode);
    openFiles(w.policy).write(`${w.root}/f`, bytes("new"));
    const { mode: after } = Deno.statSync(`${w.root}/f`);
    assertEquals([(after ?? 0) & 0o777, Deno.readTextFileSync(`${w.root}/f`)], [mode, "new"]);
  });
}

Deno.test("openFiles() tells what is near a missing file, and which folder is missing", () => {
  using w = world();
  for (const name of ["README.md", "main.ts", "it\u2019s.txt"]) Deno.writeTextFileSync(`${w.root}/${name}`, "");
  const files = openFiles(w.policy);
  const told = (name: string): string => messageOf(() => files.read(`${w.root}/${name}`));
  assertEquals(told("readme.md"), "File not found: readme.md. In the same folder: README.md");
  assertEquals(told("main.js"), "File not found: main.js. In the same folder: main.ts");
  assertEquals(told("it's.txt"), "File not found: it's.txt. In the same folder: it\u2019s.txt");
  assertEquals(told("other.py"), "File not found: other.py");
  assertEquals(told("no/such/file"), "File not found: no/such/file. There is no folder no/such");
});

Deno.test("openFiles() names with newlines and control characters work and are shown harmless", () => {
  using w = world();
  const files = openFiles(w.policy);
  const name = "a\nb\x1b[31m\u202ec";
  files.write(`${w.root}/${name}`, bytes("odd"));
  assertEquals(text(files.read(`${w.root}/${name}`)), "odd");
  assertEquals(messageOf(() => files.read(`${w.root}/${name}/x`)).includes("\x1b"), false);
  assertEquals(
    messageOf(() => files.read(`${w.outside}/${name}`)).includes('outside/a\\u000ab\\u001b[31m\\u202ec"'),
    true,
  );
});

Deno.test("openFiles() a huge sparse file is read in pieces and never whole", () => {
  using w = world();
  Deno.writeTextFileSync(`${w.root}/big`, "start");
  Deno.truncateSync(`${w.root}/big`, 3 * 1024 ** 3);
  const files = openFiles(w.policy);
  assertEquals(text(files.read(`${w.root}/big`, 0, 5)), "start");
  assertEquals(files.read(`${w.root}/big`, 3 * 1024 ** 3 - 2), new Uint8Array(2));
  assertEquals(messageOf(() => files.read(`${w.root}/big`)), "big is too large to be taken whole (3072.0MB)");
});

Deno.test("openFiles() a failed write leaves the old file and nothing beside it", () => {
  using w = world(() => ({}));
  const small = { ...w.policy, limits: { ...w.policy.limits, fileBytes: 3 } };
  Deno.writeTextFileSync(`${w.root}/f`, "old");
  assertEquals(
    messageOf(() => openFiles(small).write(`${w.root}/f`, bytes("four"))),
    "Cannot write f: 4B exceeds the limit of 3B a file",
  );
  // A folder stands where the file would have to go: the folders made on the way are taken away again.
  assertThrows(() => openFiles(w.policy).write(`${w.root}/x/y/${"n".repeat(300)}`, bytes("a")), ToolError);
  assertEquals([...Deno.readDirSync(w.root)].map(({ name }) => name), ["f"]);
  assertEquals(Deno.readTextFileSync(`${w.root}/f`), "old");
});
