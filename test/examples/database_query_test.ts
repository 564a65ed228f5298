import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { type Session, withSession } from "../engine/world.ts";
import { example } from "./place.ts";
import { needs } from "../helpers/needs.ts";

const args = ["-e", example("database_query")];
const query = (sql: string, rest: object = {}) => ({ name: "database_query", args: { sql, ...rest } });

/** A test whose database Python makes. */
function withPython(name: string, fn: () => Promise<void>): void {
  Deno.test({ ...needs(["python3"], name), fn });
}

/** A database in the workspace. */
function makeDatabase(ws: string): void {
  const { success, stderr } = new Deno.Command("python3", {
    args: [
      "-c",
      `import sqlite3
base = sqlite3.connect("shop data.db")
base.execute("create table article (name text, stock integer, picture blob)")
base.executemany("insert into article values (?, ?, ?)", [("bolt's", 412, b"123"), ("Mutter ü", 9007199254740993, None)])
base.execute("create table many as with recursive c(x) as (select 1 union all select x + 1 from c where x < 500) select x from c")
base.commit()`,
    ],
    cwd: ws,
  }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

/** Text of each result, and whether it is an error. */
async function ask(
  calls: readonly object[],
  check: (results: readonly (readonly [boolean, string])[], session: Session) => void,
  more: readonly string[] = [],
): Promise<void> {
  await withSession({ replies: [{ calls }, { text: "ok" }], args: [...args, ...more] }, async (session) => {
    makeDatabase(session.ws);
    const before = Deno.readFileSync(`${session.ws}/shop data.db`);
    assertEquals(await session.say("go"), "ok");
    check(
      session.engine.messages().flatMap((one) =>
        one.role === "toolResult" ? [[one.isError, textOf(one.content)] as const] : []
      ),
      session,
    );
    assertEquals(Deno.readFileSync(`${session.ws}/shop data.db`), before);
  });
}

const flag = ["--flag", "database=shop data.db"];

withPython("database_query answers from a real database, values apart from the statement", () =>
  ask([
    query("select * from article order by stock"),
    query("select stock from article where name = ?", { params: ["bolt's"], database: "shop data.db" }),
    query("select stock from article where name = ?", { params: ["' or 1 = 1 --"] }),
    query("select x from many", { limit: 2 }),
    query("with recursive c(x) as (select 1 union all select x + 1 from c where x < 3) select max(x) from c"),
  ], (results) => {
    assertEquals(results, [
      [false, '["name", "stock", "picture"]\n["bolt\'s", 412, "(3 bytes)"]\n["Mutter ü", 9007199254740993, null]'],
      [false, '["stock"]\n[412]'],
      [false, '["stock"]'],
      [false, '["x"]\n[1]\n[2]\nThere are more rows after these 2'],
      [false, '["max(x)"]\n[3]'],
    ]);
  }, flag));

withPython("database_query changes nothing, whatever the statement", () =>
  ask(
    [
      "delete from article",
      "select 1; delete from article",
      "attach 'file:made.db?mode=rwc' as made",
      "vacuum into 'made.db'",
      "pragma user_version = 3",
      "create temp table t (a)",
      "select load_extension('x')",
      "not sql",
    ].map((sql) => query(sql)),
    (results, { ws }) => {
      for (const [isError, text] of results) {
        assert(isError && /The query failed: |Warning/.test(text), text);
        assert(!text.includes("Traceback"), text);
      }
      assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name), ["shop data.db"]);
    },
    flag,
  ));

withPython("database_query has the scope of the tools and says what to do when it fails", async () => {
  const outside = Deno.makeTempDirSync({ dir: "/var/tmp", prefix: "sp-database-" });
  try {
    makeDatabase(outside);
    await ask([
      query("select 1"),
      query("select name from article", { database: `${outside}/shop data.db` }),
      query("select name from article", { database: "none.db" }),
    ], (results) => {
      assertEquals(results.map(([isError]) => isError), [true, true, true]);
      assertStringIncludes(results[0]?.[1] ?? "", "No database is chosen: give its path as database");
      assertStringIncludes(results[1]?.[1] ?? "", "The query failed");
      assertStringIncludes(results[2]?.[1] ?? "", "unable to open database file");
    });
  } finally {
    Deno.removeSync(outside, { recursive: true });
  }
});

Deno.test("database_query is in the prompt while it is active, and gone with it R80 R231", () =>
  withSession({ replies: [], args }, ({ engine }) => {
    const prompt = () => engine.compiled().full;
    for (const line of ["SELECT only", "never as a part of its sql", "at most 100 rows"]) {
      assertStringIncludes(prompt(), line);
    }
    engine.setActiveTools(["read", "bash"]);
    assert(!/SELECT only|database_query/.test(prompt()));
    return Promise.resolve();
  }));
