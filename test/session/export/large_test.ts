import { OWN_FILES } from "../../helpers/named_files.ts";
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import process from "node:process";
import { htmlPieces } from "../../../src/session/html/html.ts";
import { jsonlPieces } from "../../../src/session/export/jsonl.ts";
import { markdownPieces } from "../../../src/session/export/markdown.ts";
import { writeNew } from "../../../src/session/export/write_new.ts";
import { loadSession } from "../../../src/session/load.ts";
import { viewSession } from "../../../src/session/view/view.ts";
import { inWorld, reply, result, user, type World, writeLines } from "../world.ts";
import { TOTALS } from "./sample.ts";

const COUNT = 10_000;

/** Questions, calls and results, as long as they are in use. */
function longSession({ folder }: World): string {
  const path = join(folder, "long.jsonl");
  const at = { timestamp: "2026-01-01T00:00:01.000Z" };
  const call = { type: "toolCall", id: "c", name: "read", arguments: { path: "src/a.ts" } } as const;
  const text = { type: "text", text: "I **look** at `a.ts`:\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n" } as const;
  const kinds = [
    user("a line of a question\n".repeat(5)),
    { ...reply(""), content: [text, call] },
    result("c", "const a: Array<string> = [];\n".repeat(40)),
    reply("A paragraph of an answer.\n".repeat(10)),
  ];
  writeLines(path, [
    { type: "session", version: 3, id: "s", ...at, cwd: "/w" },
    ...Array.from({ length: COUNT }, (_, i) => {
      const ids = { id: `e${i}`, parentId: i === 0 ? null : `e${i - 1}` };
      return { type: "message", ...ids, ...at, message: kinds[i % kinds.length] };
    }),
  ]);
  return path;
}

Deno.test("a session of 10,000 entries is read and exported within two seconds of work as a page, one in other formats", () => {
  inWorld((world) => {
    const path = longSession(world);
    const formats = {
      html: () => htmlPieces(viewSession(loadSession(path), TOTALS, false)),
      md: () => markdownPieces(viewSession(loadSession(path), TOTALS, false)),
      jsonl: () => jsonlPieces(loadSession(path), false, world),
    };
    for (const [name, pieces] of Object.entries(formats)) {
      const to = join(world.folder, `out.${name}`);
      const before = process.cpuUsage();
      writeNew(OWN_FILES, to, pieces());
      const ms = process.cpuUsage(before).user / 1000; // others run on this machine: their time is not counted
      assert(ms <= (name === "html" ? 2000 : 1000), `${name}: ${Math.round(ms)} ms`);
      const written = Deno.readTextFileSync(to);
      assertEquals(
        written.split("a line of a question\n".repeat(5).slice(0, -1).replaceAll("\n", name === "jsonl" ? "\\n" : "\n"))
          .length - 1,
        COUNT / 4,
      );
    }
  });
});
