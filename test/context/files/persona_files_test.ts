import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { ContextFile } from "../../../src/core/prompt.ts";
import { gatherPersona, type PersonaOptions } from "../../../src/context/files/persona_files.ts";
import { inFolder, yes } from "../world.ts";

function gather(root: string, changes: Partial<PersonaOptions> = {}) {
  return gatherPersona({
    root,
    projectFolder: join(root, ".sandpiper"),
    userFolder: join(root, "user"),
    trusted: true,
    canRead: yes,
    mode: "sections",
    enabled: true,
    ...changes,
  });
}
/** Where a file was found, relative to the root, and what it holds; or its status. */
const brief = (root: string, file: ContextFile | undefined) =>
  file?.status === "loaded" ? `${file.path.slice(root.length + 1)}: ${file.text?.trim()}` : file?.status;

const EVERYWHERE = {
  ".sandpiper/SOUL.md": "project soul",
  "SOUL.md": "root soul",
  "user/SOUL.md": "user soul",
  "IDENTITY.md": "root identity",
  "user/IDENTITY.md": "user identity",
  "user/USER.md": "user user",
};

const PLACES: readonly {
  readonly name: string;
  readonly world: Readonly<Record<string, string>>;
  readonly options?: Partial<PersonaOptions>;
  readonly found: readonly [string, string, string];
  readonly passed?: readonly string[];
}[] = [
  {
    name: "R375 project folder, then workspace, then user folder, each name for itself",
    world: EVERYWHERE,
    found: [".sandpiper/SOUL.md: project soul", "IDENTITY.md: root identity", "user/USER.md: user user"],
  },
  {
    name: "passes by an untrusted project's folder and says so",
    world: EVERYWHERE,
    options: { trusted: false },
    found: ["SOUL.md: root soul", "IDENTITY.md: root identity", "user/USER.md: user user"],
    passed: ["untrusted .sandpiper/SOUL.md"],
  },
  {
    name: "an untrusted workspace's files do not replace the identity",
    world: { ...EVERYWHERE, "USER.md": "root user" },
    options: { trusted: false, mode: "replace" },
    found: ["user/SOUL.md: user soul", "user/IDENTITY.md: user identity", "USER.md: root user"],
    passed: ["untrusted .sandpiper/SOUL.md", "untrusted SOUL.md", "untrusted IDENTITY.md"],
  },
  {
    name: "R379 a draft is passed by, whatever its case and quotes",
    world: {
      "SOUL.md": '---\nname: x\nStatus: "DRAFT" # not yet\n---\nroot soul',
      "user/SOUL.md": "user soul",
      "IDENTITY.md": "---\nstatus: draft\n---\nroot identity",
    },
    found: ["user/SOUL.md: user soul", "missing", "missing"],
  },
  {
    name: "R380 the block before the text is not part of it",
    world: { "SOUL.md": "---\r\nstatus: final\r\nname: [broken\r\n---\r\nroot soul" },
    found: ["SOUL.md: root soul", "missing", "missing"],
  },
  {
    name: "R373 an empty file is passed by",
    world: { "SOUL.md": " \n", ".sandpiper/SOUL.md": "---\na: b\n---\n", "user/SOUL.md": "user soul" },
    found: ["user/SOUL.md: user soul", "missing", "missing"],
  },
  {
    name: "R368 no other file of these folders",
    world: { "TOOLS.md": "tools", "MEMORY.md": "memory", "soul.txt": "text", "user/HEARTBEAT.md": "x" },
    found: ["missing", "missing", "missing"],
  },
];
for (const { name, world, options, found, passed = [] } of PLACES) {
  Deno.test(`gatherPersona() ${name}`, () =>
    inFolder(world, (root) => {
      const { persona, diagnostics } = gather(root, options);
      assertEquals([brief(root, persona?.soul), brief(root, persona?.identity), brief(root, persona?.user)], [
        ...found,
      ]);
      assertEquals(diagnostics.map(({ code, file }) => `${code} ${file?.slice(root.length + 1)}`), [...passed]);
    }));
}

Deno.test("gatherPersona() R347 R379 tells of a missing file where it could be, and of a draft what to do", () =>
  inFolder({ "SOUL.md": "---\nstatus: draft\n---\nx" }, (root) => {
    const { persona } = gather(root);
    assertEquals(persona?.soul?.path, join(root, "SOUL.md"));
    assertStringIncludes(persona?.soul?.message ?? "", 'Remove "status: draft"');
    assertStringIncludes(persona?.user?.message ?? "", join(root, "user"));
    assertEquals(gather(root, { enabled: false }), { diagnostics: [] });
  }));

Deno.test("gatherPersona() R383 asks before it touches the disk, and a denial is an entry", () =>
  inFolder(EVERYWHERE, (root) => {
    const asked: string[] = [];
    const { persona } = gather(root, { canRead: (path) => !asked.push(path) });
    assertEquals([persona?.soul, persona?.identity, persona?.user].map((file) => file?.status), [
      "denied",
      "denied",
      "denied",
    ]);
    assert(asked.every((path) => path.startsWith(root)) && asked.length === 3);
    assertStringIncludes(persona?.soul?.message ?? "", "--allow-read");
  }));

Deno.test("gatherPersona() keeps the choices of how to use the files", () =>
  inFolder({}, (root) => {
    const { persona } = gather(root, { mode: "replace", defaults: true, withSystem: true });
    assertEquals([persona?.mode, persona?.defaults, persona?.withSystem], ["replace", true, true]);
    assertEquals(Object.hasOwn(gather(root).persona ?? {}, "defaults"), false);
  }));
