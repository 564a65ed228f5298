import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { ContextFile } from "../../../src/core/prompt.ts";
import { gatherContextFiles } from "../../../src/context/files/context_files.ts";
import { inFolder, yes } from "../world.ts";

/** What was found below `root`, as `path: text` or `path: status`; what a machine has above the test is left out. */
function shown(files: readonly ContextFile[], root: string): readonly string[] {
  return files.filter((file) => file.path.startsWith(root)).map((file) =>
    `${file.path.slice(root.length + 1)}: ${file.status === "loaded" ? file.text : file.status}`
  );
}

function gather(root: string, workspace = "work/app"): readonly string[] {
  const options = { root: join(root, workspace), userFolder: join(root, "user"), enabled: true, canRead: yes };
  return shown(gatherContextFiles(options), root);
}

const CASES: readonly {
  readonly name: string;
  readonly world: Record<string, string>;
  readonly found: readonly string[];
}[] = [
  {
    name: "R86 R87 the user's file first, then every folder from the root to the workspace",
    world: {
      "user/AGENTS.md": "user",
      "AGENTS.md": "top",
      "work/AGENTS.md": "mid",
      "work/app/AGENTS.md": "near",
    },
    found: ["user/AGENTS.md: user", "AGENTS.md: top", "work/AGENTS.md: mid", "work/app/AGENTS.md: near"],
  },
  {
    name: "R88 R89 AGENTS.md, and CLAUDE.md only where there is none",
    world: { "work/AGENTS.md": "agents", "work/CLAUDE.md": "not me", "work/app/CLAUDE.md": "claude" },
    found: ["work/AGENTS.md: agents", "work/app/CLAUDE.md: claude"],
  },
  {
    name: "R93 nothing of a sibling or of a folder below",
    world: { "work/other/AGENTS.md": "sibling", "work/app/sub/AGENTS.md": "below", "work/app/": "" },
    found: [],
  },
  {
    name: "a folder that bears the name, and then the other name",
    world: { "work/AGENTS.md/x": "", "work/CLAUDE.md": "claude", "work/app/": "" },
    found: ["work/AGENTS.md: read_error", "work/CLAUDE.md: claude"],
  },
];
for (const { name, world, found } of CASES) {
  Deno.test(`gatherContextFiles() finds ${name}`, () => inFolder(world, (root) => assertEquals(gather(root), found)));
}

Deno.test("gatherContextFiles() R94 ends at the filesystem root", () => {
  const found = gatherContextFiles({ root: "/", enabled: true, canRead: yes });
  assert(found.every((file) => file.path === "/AGENTS.md" || file.path === "/CLAUDE.md"));
});

Deno.test("gatherContextFiles() R95 gives a file that is reachable twice once", () =>
  inFolder({ "work/AGENTS.md": "one", "work/app/": "", "user/": "" }, (root) => {
    const options = { root: join(root, "work/app"), userFolder: join(root, "work"), enabled: true, canRead: yes };
    assertEquals(shown(gatherContextFiles(options), root), ["work/AGENTS.md: one"]);
    Deno.symlinkSync("../work/AGENTS.md", join(root, "user/AGENTS.md"));
    assertEquals(gather(root), ["user/AGENTS.md: one"]);
  }));

Deno.test("gatherContextFiles() R97 passes by folders that may not be read, without touching them", () =>
  inFolder({ "AGENTS.md": "top", "work/AGENTS.md": "mid", "work/app/AGENTS.md": "near" }, (root) => {
    const canRead = (path: string) => path === join(root, "work/app") || path.startsWith(join(root, "work/app/"));
    const found = gatherContextFiles({ root: join(root, "work/app"), enabled: true, canRead });
    assertEquals(found.filter((file) => file.status === "loaded").map((file) => file.text), ["near"]);
    assert(found.slice(0, -1).every((file) => file.status === "denied" && file.message));
    assertEquals(shown(found, root), ["AGENTS.md: denied", "work/AGENTS.md: denied", "work/app/AGENTS.md: near"]);
  }));

Deno.test("gatherContextFiles() R97 a missing permission of Deno's is an entry and no question", () =>
  inFolder({ "AGENTS.md": "top", "app/AGENTS.md": "near" }, (root) => {
    const module = new URL("../../../src/context/files/context_files.ts", import.meta.url);
    const code = `import { gatherContextFiles } from "${module}";
      const found = gatherContextFiles({ root: "${root}/app", enabled: true, canRead: () => true });
      console.log(JSON.stringify(found.slice(-2).map((file) => file.status + " " + (file.text ?? ""))));`;
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const output = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-prompt",
        "--no-check",
        "--config",
        config,
        `--allow-read=${root}/app`,
        `data:text/typescript,${encodeURIComponent(code)}`,
      ],
    }).outputSync();
    const text = new TextDecoder().decode(output.stdout) + new TextDecoder().decode(output.stderr);
    assertEquals(text.trim(), `["denied ","loaded near"]`);
  }));

Deno.test("gatherContextFiles() R100 finds nothing when it is turned off", () =>
  inFolder({ "work/app/AGENTS.md": "near" }, (root) => {
    assertEquals(gatherContextFiles({ root: join(root, "work/app"), enabled: false, canRead: yes }), []);
  }));

const LINKS = [
  { name: "a file of the same folder", target: "notes.md", status: "loaded" },
  { name: "a file of the same repository", target: "../shared.md", status: "loaded" },
  { name: "a file outside the repository", target: "../../secret", status: "denied" },
  { name: "nothing", target: "nowhere", status: undefined },
  { name: "itself", target: "AGENTS.md", status: "read_error" },
] as const;
for (const { name, target, status } of LINKS) {
  Deno.test(`gatherContextFiles() a link to ${name} is ${status ?? "passed by"}`, () =>
    inFolder({ secret: "KEY", "repo/.git/HEAD": "", "repo/shared.md": "ok", "repo/app/notes.md": "ok" }, (root) => {
      Deno.symlinkSync(target, join(root, "repo/app/AGENTS.md"));
      const found = gatherContextFiles({ root: join(root, "repo/app"), enabled: true, canRead: yes })
        .filter((file) => file.path.startsWith(root));
      assertEquals(found.map((file) => file.status), status ? [status] : []);
      assert(!JSON.stringify(found).includes("KEY"));
    }));
}

Deno.test("gatherContextFiles() R96 an unreadable file is an entry that says what to do", () =>
  inFolder({ "app/AGENTS.md": "x" }, (root) => {
    // Root reads everything, so the state is made with what no user may read: invalid text.
    Deno.writeFileSync(join(root, "app/AGENTS.md"), new Uint8Array([0xc3, 0x28]));
    const [file] = gatherContextFiles({ root: join(root, "app"), enabled: true, canRead: yes }).slice(-1);
    assertEquals([file?.status, file?.text], ["read_error", undefined]);
    assertStringIncludes(file?.message ?? "", "UTF-8");
  }));

Deno.test("gatherContextFiles() never reads what takes a file's place while it is looked at", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const [root, secret] = [`${top}/root`, `${top}/secret`];
  Deno.mkdirSync(root);
  Deno.writeTextFileSync(secret, "the user's secret");
  Deno.writeTextFileSync(`${root}/file`, "instructions");
  Deno.symlinkSync(secret, `${root}/link`);
  const swap = `
    const [root] = Deno.args;
    for (;;) {
      Deno.linkSync(root + "/file", root + "/AGENTS.new"); Deno.renameSync(root + "/AGENTS.new", root + "/AGENTS.md");
      Deno.symlinkSync(${
    JSON.stringify(secret)
  }, root + "/AGENTS.new"); Deno.renameSync(root + "/AGENTS.new", root + "/AGENTS.md");
    }`;
  Deno.writeTextFileSync(`${top}/swap.js`, swap);
  const args = ["run", "--no-config", "--no-prompt", "--allow-read", "--allow-write", `${top}/swap.js`, root];
  const swapper = new Deno.Command(Deno.execPath(), { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
  try {
    const seen = new Set<string>();
    const end = performance.now() + 1_500;
    while (performance.now() < end || seen.size === 0) {
      for (const { text, status } of gatherContextFiles({ root, enabled: true, canRead: yes })) {
        assertNotEquals(text, "the user's secret");
        seen.add(status);
      }
    }
    assert(seen.has("loaded") || seen.has("denied"), [...seen].join());
  } finally {
    swapper.kill("SIGKILL");
    await swapper.status;
    Deno.removeSync(top, { recursive: true });
  }
});
