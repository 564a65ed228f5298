import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { gatherMemory, type MemoryOptions } from "../../../src/context/files/memory_files.ts";
import { inFolder, yes } from "../world.ts";

/** Noon in the machine's own zone. */
const NOW = new Date(2026, 2, 3, 12).getTime();

function gather(root: string, changes: Partial<MemoryOptions> = {}) {
  return gatherMemory({ userFolder: root, now: NOW, canRead: yes, canOpen: () => false, enabled: true, ...changes });
}

Deno.test("gatherMemory() R401 R403 takes the list of lasting facts and a line of each note of the last seven days", () =>
  inFolder({
    "memory/index.md": "---\nupdated_at: 2026-03-01\n---\n# Facts\n\nprose\r\n- **Releases**: Mondays\n* No Fridays\n",
    "memory/2026-03-03/b.md": '---\ncreated_at: 2026-03-03 10:00\nsummary: "Mended the login"\n---\nMore\n',
    "memory/2026-03-03/c.md": "# Heading\n\n- Wrote tests\n",
    "memory/2026-03-03/empty.md": "# Only a heading\n",
    "memory/2026-03-03/other.txt": "no",
    "memory/2026-02-25/a.md": "Old enough",
    "memory/2026-02-24/a.md": "Too old",
    "memory/2026-03-04/a.md": "Tomorrow",
  }, (root) => {
    const opened = join(root, "memory/2026-02-25/a.md");
    const { memory, file, diagnostics } = gather(root, { canOpen: (path) => path === opened });
    assertEquals(memory, {
      today: "2026-03-03",
      longTerm: ["**Releases**: Mondays", "No Fridays"],
      recent: [
        { date: "2026-03-03", summary: "Wrote tests" },
        { date: "2026-03-03", summary: "Mended the login" },
        { date: "2026-02-25", summary: "Old enough", path: opened },
      ],
      maxItems: 50,
      days: 7,
    });
    assertEquals([file?.status, diagnostics], ["loaded", []]);
  }));

Deno.test("gatherMemory() R402 looks for nothing when it is off, and says where notes go when there are none", () =>
  inFolder({ "memory/index.md": "# Nothing yet\n" }, (root) => {
    assertEquals(gather(root, { enabled: false, canRead: () => fail() }), { diagnostics: [] });
    assertEquals(gather(root, { userFolder: undefined }), { diagnostics: [] });
    const index = join(root, "memory/index.md");
    const { diagnostics } = gather(root);
    assertEquals(diagnostics.map(({ code, file, section }) => [code, file, section]), [
      ["missing_file", index, "memory_summaries"],
    ]);
    assertStringIncludes(diagnostics[0]?.message ?? "", `${index}, each on a line that begins with "- "`);
  }));

Deno.test("gatherMemory() R401 never throws: what cannot be read is reported, the rest is used", () =>
  inFolder({
    "memory/index.md/": "",
    "memory/2026-03-03/bad.md": new Uint8Array([0xff, 0xfe]),
    "memory/2026-03-03/good.md": "Good",
    "memory/2026-03-02": "a file in place of a folder",
    "memory/2026-03-01/long.md": "x".repeat(100_000),
  }, (root) => {
    const { memory, diagnostics } = gather(root);
    assertEquals(memory?.recent?.map(({ summary }) => summary.length), [4, 16 * 1024]);
    assertEquals(diagnostics.map(({ code, file }) => `${code} ${file?.slice(root.length)}`), [
      "file_read_error /memory/index.md",
      "file_read_error /memory/2026-03-03/bad.md",
    ]);
    const denied = gather(root, { canRead: () => false });
    assertEquals([denied.memory?.recent, denied.diagnostics.map(({ code }) => code)], [[], ["permission_denied"]]);
  }));

Deno.test("gatherMemory() R403 reads fifty notes and no more, the newest", () =>
  inFolder({
    "memory/2026-03-02/x.md": "older",
    ...Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`memory/2026-03-03/${String(at).padStart(2, "0")}.md`, `n${at}`]),
    ),
  }, (root) => {
    const summaries = gather(root).memory?.recent?.map(({ summary }) => summary) ?? [];
    assertEquals([summaries.length, summaries[0], summaries.at(-1)], [50, "n59", "n10"]);
  }));

function fail(): never {
  throw new Error("the disk was looked at");
}
