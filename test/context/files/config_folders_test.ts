import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { findConfigFolders } from "../../../src/context/files/config_folders.ts";
import { inFolder } from "../world.ts";

const CASES: readonly {
  readonly name: string;
  readonly folders: readonly string[];
  readonly env?: Record<string, string>;
  readonly project?: string;
  readonly user?: string;
}[] = [
  { name: "none", folders: [] },
  {
    name: "our own before the others",
    folders: ["app/.pi", "app/.sf", "app/.sandpiper", "home/.pi/agent", "home/.sf/agent", "home/.sandpiper/agent"],
    project: "app/.sandpiper",
    user: "home/.sandpiper/agent",
  },
  {
    name: ".sf before .pi",
    folders: ["app/.pi", "app/.sf", "home/.pi/agent", "home/.sf/agent"],
    project: "app/.sf",
    user: "home/.sf/agent",
  },
  { name: ".pi", folders: ["app/.pi", "home/.pi/agent"], project: "app/.pi", user: "home/.pi/agent" },
  { name: "no folder without `agent`", folders: ["home/.sandpiper"] },
];
for (const { name, folders, project, user } of CASES) {
  Deno.test(`findConfigFolders() finds ${name} K12`, () =>
    inFolder(Object.fromEntries(["app", ...folders].map((folder) => [`${folder}/`, ""])), (root) => {
      assertEquals(findConfigFolders(join(root, "app"), { HOME: join(root, "home") }), {
        ...(project ? { project: join(root, project) } : {}),
        ...(user ? { user: join(root, user) } : {}),
        newProject: join(root, "app/.sandpiper"),
        newUser: join(root, "home/.sandpiper/agent"),
      });
    }));
}

Deno.test("findConfigFolders() takes the folder that SANDPIPER_HOME names, and no other", () =>
  inFolder({ "app/": "", "home/.sandpiper/agent/": "" }, (root) => {
    const env = { HOME: join(root, "home"), SANDPIPER_HOME: "../mine" };
    const found = findConfigFolders(join(root, "app"), env);
    assertEquals([found.user, found.newUser], [join(root, "mine"), join(root, "mine")]);
  }));

Deno.test("findConfigFolders() works without a home", () =>
  inFolder({}, (root) => assertEquals(findConfigFolders(root, {}), { newProject: join(root, ".sandpiper") })));
