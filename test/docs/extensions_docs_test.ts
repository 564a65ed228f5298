import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { HostUi } from "../../src/core/host_actions.ts";
import { textOf } from "../../src/core/message.ts";
import { NODE_MODULES } from "../../src/hooks/code/node_modules.ts";
import { createRegistry } from "../../src/hooks/api/registry.ts";
import { readSource } from "../../src/hooks/code/source_files.ts";
import { EVENTS } from "../../src/hooks/events/decisions.ts";
import { type Session, withSession } from "../engine/world.ts";
import { cassette, inWorkspace } from "../helpers/program.ts";
import { runDeno } from "./embedding.ts";
import { FILES, PAGE, PRINTS, PROGRAM, REPLIES, writeExtension } from "./page.ts";

const bash = (command: string) => ({ name: "bash", args: { command } });
const never = (): Promise<never> => Promise.reject(new Error("not asked"));

function results({ engine }: Session): readonly (readonly [boolean, string])[] {
  return engine.messages().flatMap((one) =>
    one.role === "toolResult" ? [[one.isError, textOf(one.content).trim()] as const] : []
  );
}

function notices({ events }: Session): readonly string[] {
  return events.flatMap((event) => event.type === "notice" ? [event.message] : []);
}

/** What a session with one extension of the page is given, and what has to come of it. */
interface Scenario {
  readonly replies: readonly unknown[];
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly isGranted?: boolean;
  readonly ui?: HostUi;
  readonly check: (session: Session) => Promise<void>;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  hello: {
    replies: [
      { calls: [{ name: "count_words", args: { text: "one two  three" } }, bash("git push origin")] },
      { text: "ok", expect: ["3 words", "Pushing is for people"] },
    ],
    check: async (session) => {
      assertEquals(await session.engine.prompt({ text: "/hello Ada", source: "interactive" }), { kind: "command" });
      assertEquals(await session.say("go"), "ok");
      assertEquals(notices(session), ["hello: Hello, Ada!"]);
    },
  },
  todo: {
    replies: [],
    check: async (session) => {
      for (const text of ["/todo", "/todo buy milk", "/todo sleep"]) {
        await session.engine.prompt({ text, source: "interactive" });
      }
      assertEquals(notices(session), [
        "todo: Nothing to do",
        "todo: - buy milk",
        "todo: - buy milk\n- sleep",
      ]);
    },
  },
  house_rules: {
    replies: [{ text: "ok", expect: ["# House rules", "Tabs, never spaces"] }],
    files: { "docs/house-rules.md": "Tabs, never spaces" },
    isGranted: true,
    check: async ({ say }) => assertEquals(await say("go"), "ok"),
  },
  no_keys: {
    replies: [{ calls: [{ name: "read", args: { path: "a.txt" } }] }, { text: "ok", expect: ["key=sk-(hidden)"] }],
    files: { "a.txt": "key=sk-abcdefgh1234" },
    check: async (session) => {
      assertEquals(await session.say("go"), "ok");
      assert(!JSON.stringify(session.engine.messages()).includes("abcdefgh"));
    },
  },
  line_count: {
    replies: [
      { calls: ["a 'b'.txt", "none"].map((path) => ({ name: "line_count", args: { path } })) },
      { text: "ok", expect: ["Use line_count before reading a file that may be long"] },
    ],
    files: { "a 'b'.txt": "1\n2\n3\n" },
    check: async (session) => {
      assertEquals(await session.say("go"), "ok");
      const [first, second] = results(session);
      assertEquals(first, [false, "3 a 'b'.txt"]);
      assertEquals(second?.[0], true);
      assertStringIncludes(second?.[1] ?? "", "Cannot count: wc: none: No such file");
    },
  },
  language: {
    replies: [{ text: "Ego sum.", expect: ["Answer in Latin."] }],
    args: ["--flag", "language=Latin"],
    check: async ({ say }) => assertEquals(await say("Who are you?"), "Ego sum."),
  },
  ported: {
    replies: [{ calls: [bash("rm a.txt"), bash("rm b.txt"), bash("echo farm")] }, { text: "ok" }],
    files: { "a.txt": "a", "b.txt": "b" },
    ui: {
      select: never,
      input: never,
      confirm: (title, message) => {
        assertEquals(title, "Remove files?");
        return Promise.resolve(message === "rm b.txt");
      },
      notify: () => Promise.resolve(),
      setStatus: () => Promise.resolve(),
    },
    check: async (session) => {
      assertEquals(await session.say("go"), "ok");
      assertEquals([...Deno.readDirSync(session.ws)].map(({ name }) => name), ["a.txt"]);
      assertEquals(results(session).map(([isError]) => isError), [true, false, false]);
    },
  },
};

for (const [name, { args = [], isGranted, check, ...rest }] of Object.entries(SCENARIOS)) {
  Deno.test(`docs/extensions.md: ${name} does what the page says`, async () => {
    const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-page-" }));
    try {
      const path = writeExtension(folder, name);
      const entry = Deno.statSync(path).isFile ? path : `${path}/index.ts`;
      const grants = { [readSource(entry).hash]: { read: Object.keys(rest.files ?? {}) } };
      const settings = isGranted ? { settings: { extensions: { grants } } } : {};
      await withSession({ ...rest, ...settings, args: ["-e", path, ...args] }, async (session) => {
        assertEquals(session.engine.notices, []);
        await check(session);
      });
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  });
}

Deno.test("docs/extensions.md: every extension of the page is run", () => {
  assertEquals([...new Set(Object.keys(FILES).map((path) => path.split(/[/.]/)[0]))], Object.keys(SCENARIOS));
});

Deno.test("docs/extensions.md: its program runs", async () => {
  await inWorkspace({}, async (place) => {
    const model = JSON.stringify(`replay:${cassette(place.home, JSON.parse(REPLIES))}`);
    const file = `${place.home}/program.ts`;
    Deno.writeTextFileSync(file, PROGRAM.replaceAll('"gpt-5-mini"', model));
    assertEquals(await runDeno(["run", "-A", "--no-prompt", file], place), {
      code: 0,
      stdout: `${PRINTS}\n`,
      stderr: "",
    });
  });
});

Deno.test("docs/extensions.md: the table has every event with its rule, in the order of the program's own", () => {
  const rows = [...PAGE.matchAll(/^\| `([a-z_]+)`(?: †)? +\|[^|]*\|[^|]*\| +(\w+) +\| +(\w+) +\| +(\d+) s +\|$/gm)]
    .map(([, name, combining, failure, seconds]) => [name, { combining, failure, limitMs: Number(seconds) * 1000 }]);
  assertEquals(rows, [...EVENTS] as unknown[]);
});

Deno.test("docs/extensions.md names every method of the API and every module that can be imported", () => {
  const { api } = createRegistry({
    facts: { cwd: "/", mode: "text", hasUI: false },
    call: never,
    changed: () => {},
  });
  const table = PAGE.split("| `sp.`")[1]?.split("\n\n")[0] ?? "";
  const missing = Object.keys(api).filter((name) => !new RegExp(`\`${name}[(\`]`).test(table));
  assertEquals([missing, NODE_MODULES.filter((name) => !PAGE.includes(`\`${name}\``))], [[], []]);
});
