import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { searchSession } from "../../src/session/search.ts";
import { createSession } from "../../src/session/store.ts";
import { inWorld, reply, user } from "./world.ts";

Deno.test("searchSession() finds what was said, in any case and over line ends, and says who said it last", () => {
  inWorld((world) => {
    const store = createSession({ cwd: "/w", folder: world.folder }, world);
    store.append({ type: "message", message: user("How do I\n  build THE Café?") });
    store.append({ type: "message", message: reply("Build the café with `make`. ".repeat(20)) });
    store.append({ type: "session_info", name: "cafés" });
    store.append({ type: "message", message: reply("Done \x1b[2Jnow") });
    const path = store.path ?? "";
    const found = (text: string) => {
      const { newest: { by, excerpt }, count } = searchSession(path, text) ?? { newest: {}, count: 0 };
      return [by, count, excerpt?.slice(0, 30)];
    };
    assertEquals(found("i build the"), ["user", 1, "How do I build THE Café?"]);
    assertEquals(found("the CAFÉ"), ["assistant", 2, "Build the café with `make`. Bu"]);
    assertEquals(found("café"), ["name", 3, "cafés"]);
    assertEquals(found("done"), ["assistant", 1, "Done now"]);
    assertEquals([found("teahouse"), found("  ")], [[undefined, 0, undefined], [undefined, 0, undefined]]);
    store.close();
  });
});

Deno.test("searchSession() reads a last line without an end, skips what is none, and is silent about a file that is none", () => {
  inWorld(({ folder }) => {
    const path = join(folder, "a.jsonl");
    const line = (id: string, content: string) =>
      JSON.stringify({ type: "message", id, parentId: null, message: { role: "user", content, timestamp: 0 } });
    Deno.writeTextFileSync(
      path,
      `{"type":"session"}\n{ "needle": broken\n[1]\n${line("a", "no")}\n${line("b", "a needle")}`,
    );
    assertEquals(searchSession(path, "needle"), {
      newest: { entryId: "b", by: "user", excerpt: "a needle" },
      count: 1,
    });
    assertEquals(searchSession(join(folder, "none.jsonl"), "needle"), undefined);
  });
});

Deno.test("searchSession() finds a place behind letters whose small form is longer", () => {
  inWorld((world) => {
    const store = createSession({ cwd: "/w", folder: world.folder }, world);
    store.append({ type: "message", message: user("İİİİ then the Needle stands here") });
    assertEquals(searchSession(store.path ?? "", "needle stands")?.newest.excerpt, "İİİİ then the Needle stands here");
    store.close();
  });
});
