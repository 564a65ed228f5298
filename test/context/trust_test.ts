import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { join } from "@std/path";
import { decideTrust, lookAtProject, readTrust, recordTrust } from "../../src/context/trust.ts";
import { build, inFolder } from "./world.ts";

const YES = [{ folder: "/p", digest: "d", trusted: true }];
const CASES = [
  { name: "the flag says yes", question: { flag: true, digest: "d", records: [] }, decision: [true, "flag"] },
  {
    name: "the flag says no against a record",
    question: { flag: false, digest: "d", records: YES },
    decision: [false, "flag"],
  },
  { name: "a record of this content", question: { digest: "d", records: YES }, decision: [true, "recorded"] },
  { name: "a record of other content", question: { digest: "e", records: YES }, decision: [false, "changed"] },
  { name: "content that cannot be digested", question: { digest: null, records: YES }, decision: [false, "changed"] },
  { name: "no record", question: { digest: "d", records: [] }, decision: [false, "unknown"] },
  {
    name: "a record of a folder above",
    question: { digest: "d", records: [{ folder: "/", digest: "d", trusted: true }] },
    decision: [false, "unknown"],
  },
  {
    name: "a record that says no",
    question: { digest: "d", records: [{ folder: "/p", digest: "d", trusted: false }] },
    decision: [false, "recorded"],
  },
  { name: "nothing to trust", question: { digest: undefined, records: YES }, decision: [false, "nothing_to_trust"] },
] as const;
for (const { name, question, decision } of CASES) {
  Deno.test(`decideTrust() R145 with ${name} is ${decision[0] ? "yes" : "no"}`, () => {
    const { trusted, reason } = decideTrust({ folder: "/p", ...question });
    assertEquals([trusted, reason], [...decision]);
  });
}

Deno.test("recordTrust() keeps one private answer a folder, readTrust() gives it back", () =>
  inFolder({}, (root) => {
    const path = join(root, "agent/trust.json");
    recordTrust(path, { folder: "/p", digest: "1", trusted: true });
    recordTrust(path, { folder: "/__proto__", digest: "2", trusted: true });
    recordTrust(path, { folder: "/p", digest: "3", trusted: false });
    assertEquals(readTrust(path), {
      records: [{ folder: "/__proto__", digest: "2", trusted: true }, { folder: "/p", digest: "3", trusted: false }],
    });
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
    assertEquals((Deno.statSync(join(root, "agent")).mode ?? 0) & 0o777, 0o700);
    assertEquals([...Deno.readDirSync(join(root, "agent"))].map((entry) => entry.name), ["trust.json"]);
  }));

Deno.test("readTrust() a file that makes no sense grants nothing and says why", () =>
  inFolder({}, (root) => {
    const path = join(root, "trust.json");
    assertEquals(readTrust(path), { records: [] });
    for (const text of ["", "{", "null", "[]", `{"records":{}}`, `{"records":[{"folder":"/p","trusted":true}]}`]) {
      Deno.writeTextFileSync(path, text);
      const { records, problem } = readTrust(path);
      assertEquals(records, []);
      assert(problem, text);
    }
  }));

const PROJECT = { ".sandpiper/SYSTEM.md": "a", ".sandpiper/skills/s/SKILL.md": "b", ".agents/skills/t/SKILL.md": "c" };
const CHANGES: readonly {
  readonly name: string;
  readonly change: (root: string) => void;
  readonly matters: boolean;
}[] = [
  { name: "a base prompt", change: (root) => build(root, { ".sandpiper/SYSTEM.md": "A" }), matters: true },
  { name: "an extension", change: (root) => build(root, { ".sandpiper/extensions/x.ts": "" }), matters: true },
  { name: "an agent", change: (root) => build(root, { ".sandpiper/agents/explore.md": "" }), matters: true },
  { name: "a skill's script", change: (root) => build(root, { ".sandpiper/skills/s/run.sh": "" }), matters: true },
  {
    name: "a skill for all agents",
    change: (root) => build(root, { ".agents/skills/t/SKILL.md": "C" }),
    matters: true,
  },
  { name: "settings", change: (root) => build(root, { ".sandpiper/settings.json": "{}" }), matters: true },
  { name: "an empty folder", change: (root) => build(root, { ".sandpiper/prompts/": "" }), matters: true },
  {
    name: "a file's place",
    change: (root) => Deno.renameSync(join(root, ".sandpiper/skills/s"), join(root, ".sandpiper/skills/z")),
    matters: true,
  },
  { name: "a context file", change: (root) => build(root, { "AGENTS.md": "x" }), matters: false },
  { name: "a note beside them", change: (root) => build(root, { ".sandpiper/NOTES.md": "x" }), matters: false },
];
for (const { name, change, matters } of CHANGES) {
  Deno.test(`lookAtProject() ${matters ? "changes" : "stays"} with ${name}`, () =>
    inFolder(PROJECT, (root) => {
      const before = digestOf(root, join(root, ".sandpiper"));
      change(root);
      const after = digestOf(root, join(root, ".sandpiper"));
      assertEquals(typeof after, "string");
      if (matters) assertNotEquals(after, before);
      else assertEquals(after, before);
    }));
}

Deno.test("lookAtProject() follows what a link holds and gives up on what has no end", () =>
  inFolder({ "shared.md": "1", ".sandpiper/": "" }, (root) => {
    const digest = () => digestOf(root, join(root, ".sandpiper"));
    assertEquals([digest(), digestOf(root, undefined)], [undefined, undefined]);
    Deno.symlinkSync("../shared.md", join(root, ".sandpiper/SYSTEM.md"));
    const before = digest();
    Deno.writeTextFileSync(join(root, "shared.md"), "2");
    assertNotEquals(digest(), before);
    assertEquals(digestOf(root, join(root, ".sandpiper"), { bytes: 0, entries: 10 }), null);
    assertEquals(digestOf(root, join(root, ".sandpiper"), { bytes: 10, entries: 0 }), null);
    Deno.symlinkSync(".", join(root, ".sandpiper/skills"));
    assertEquals(digest(), null);
    Deno.removeSync(join(root, ".sandpiper/skills"));
    Deno.symlinkSync("/dev/zero", join(root, ".sandpiper/settings.json"));
    assertEquals(digest(), null);
  }));

function digestOf(...asked: Parameters<typeof lookAtProject>): string | null | undefined {
  return lookAtProject(...asked)?.digest;
}

Deno.test("lookAtProject() names links and where they lead, also of a directory on the way", () =>
  inFolder({ "ws/.agents/keep": "", "out/s/SKILL.md": "x", "ws/.sandpiper/keep": "" }, (root) => {
    const ws = join(root, "ws");
    const links = () => lookAtProject(ws, join(ws, ".sandpiper"))?.files.filter(({ target }) => target !== undefined);
    assertEquals(links(), undefined);
    Deno.symlinkSync("../../out", join(ws, ".agents/skills"));
    assertEquals(links()?.map(({ path, target }) => [path, target]), [[join(ws, ".agents/skills"), "../../out"]]);
    Deno.removeSync(join(ws, ".agents"), { recursive: true });
    Deno.mkdirSync(join(root, "agents"));
    Deno.symlinkSync("../out", join(root, "agents/skills"));
    Deno.symlinkSync("../agents", join(ws, ".agents"));
    assertEquals(links()?.map(({ path, target }) => [path, target]), [
      [join(ws, ".agents"), "../agents"],
      [join(ws, ".agents/skills"), "../out"],
    ]);
  }));
