import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { gatherScripts, type ScriptsOptions } from "../../../src/context/files/bootstrap_file.ts";
import { inFolder, yes } from "../world.ts";

function gather(root: string, changes: Partial<ScriptsOptions> = {}) {
  return gatherScripts({
    root,
    projectFolder: join(root, ".sandpiper"),
    userFolder: join(root, "user"),
    trusted: true,
    canRead: yes,
    canWrite: (path) => !path.includes("/.sandpiper/"),
    enabled: true,
    ...changes,
  });
}

Deno.test("gatherScripts() R384 R387 finds the notes and says where scripts go and whether the notes can be changed", () =>
  inFolder({ ".sandpiper/SCRIPTS.md": "project", "SCRIPTS.md": "root" }, (root) => {
    const folder = join(root, "scripts");
    const project = { path: join(root, ".sandpiper/SCRIPTS.md"), status: "loaded", text: "project" } as const;
    assertEquals(gather(root), { scripts: { file: project, folder, editable: false }, diagnostics: [] });
    const { scripts, diagnostics } = gather(root, { trusted: false });
    const own = { path: join(root, "SCRIPTS.md"), status: "loaded", text: "root" } as const;
    assertEquals(scripts, { file: own, folder, editable: true });
    assertEquals(diagnostics.map(({ code, file }) => `${code} ${file}`), [`untrusted ${project.path}`]);
  }));

Deno.test("gatherScripts() R385 without a file there are no notes; R386 an empty file is one", () =>
  inFolder({ "user/x": "" }, (root) => {
    assertEquals(gather(root), { diagnostics: [] });
    Deno.writeTextFileSync(join(root, "user/SCRIPTS.md"), "");
    assertEquals(gather(root).scripts?.file, { path: join(root, "user/SCRIPTS.md"), status: "loaded", text: "" });
    assertEquals(gather(root, { enabled: false }), { diagnostics: [] });
  }));
