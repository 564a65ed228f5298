import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { buildContext } from "../../src/session/context.ts";
import { entryLine, isSystemPrompt } from "../../src/session/entry_shape.ts";
import { loadSession } from "../../src/session/load.ts";
import { transcriptOf } from "../../src/session/view/transcript.ts";
import { createSession } from "../../src/session/store.ts";
import { openSession } from "../../src/session/reopen.ts";
import { inWorld, linesOf, refusalOf, reply, said, user, writeLines } from "./world.ts";

const HEADER = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" };
const place = (id: string, parentId: string | null) => ({ id, parentId, timestamp: "2026-01-01T00:00:01.000Z" });
const message = (id: string, parentId: string | null, value: unknown) => ({
  type: "message",
  ...place(id, parentId),
  message: value,
});

Deno.test("openSession() of a file cut at any byte keeps every whole entry, and goes on in a valid file R332", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    for (const text of ["first", "zweite äöü", "third 😀"]) session.append(said(user(text)));
    session.close();
    const bytes = Deno.readFileSync(session.path!);
    const header = bytes.indexOf(10);
    const path = join(world.folder, "cut.jsonl");
    for (let cut = header; cut <= bytes.length; cut++) {
      Deno.writeFileSync(path, bytes.subarray(0, cut));
      const whole = new TextDecoder().decode(bytes.subarray(0, cut)).split("\n").slice(1).filter((line) =>
        line.endsWith("}}")
      ).length;
      world.notices.length = 0;
      const opened = openSession(path, world);
      assertEquals([opened.entries(), Deno.statSync(path).size], [session.entries().slice(0, whole), cut]);
      const isTorn = cut > header + 1 && bytes[cut - 1] !== 10 && bytes[cut] !== 10;
      assertEquals(world.notices.length, isTorn ? 1 : 0, `cut at ${cut}`);
      const added = opened.append(said(reply("after")));
      opened.close();
      assertEquals(
        linesOf(path).slice(1),
        [...session.entries().slice(0, whole), added].map((entry) => ({ ...entry })),
      );
    }
    assertEquals(world.failures, []);
  });
});

Deno.test("loadSession() leaves out what is no entry, keeps the rest connected, and says so", () => {
  inWorld((world) => {
    const path = join(world.folder, "a.jsonl");
    writeLines(path, [
      HEADER,
      message("a", null, user("1")),
      "{broken",
      "",
      "[1]",
      { type: "message", parentId: "a", message: user("no id") },
      message("c", "lost", reply("2")),
      message("c", "a", user("the same id")),
      { type: "holodeck", ...place("d", "c"), payload: { deep: [1] } },
      message("e", "d", { role: "hologram", content: "x" }),
      { type: "compaction", ...place("f", "e"), firstKeptEntryId: "a" },
      message("g", "g", user("3")),
      { ...message("h", "g", reply("4")), timestamp: "never" },
    ]);
    const { entries, notices } = loadSession(path);
    assertEquals(entries.map(({ id, parentId }) => [id, parentId]), [
      ["a", null],
      ["c", "a"],
      ["d", "c"],
      ["e", "d"],
      ["f", "e"],
      ["g", "f"],
      ["h", "g"],
    ]);
    assertEquals(buildContext(entries).messages, [user("1"), reply("2"), user("3"), reply("4")]);
    assertEquals(entries.at(-1)?.timestamp, "2026-01-01T00:00:01.000Z");
    assertEquals(notices.length, 3);
    assert(notices[0]?.startsWith("4 lines") && notices[1]?.startsWith("2 lines") && notices[2]?.startsWith("2 lines"));
  });
});

Deno.test("openSession() keeps entries from the future and lines that are not UTF-8 in the file", () => {
  inWorld((world) => {
    const path = join(world.folder, "a.jsonl");
    writeLines(path, [HEADER, message("a", null, user("1")), { type: "holodeck", ...place("b", "a"), payload: 1 }]);
    Deno.writeFileSync(path, new Uint8Array([123, 255, 254, 125, 10]), { append: true });
    const before = Deno.readFileSync(path);
    const session = openSession(path, world);
    assertEquals(session.append(said(user("2"))).parentId, "b");
    session.close();
    assertEquals(Deno.readFileSync(path).subarray(0, before.length), before);
    assertEquals(world.notices, ["1 line of the session cannot be read; left out"]);
    assertEquals(buildContext(loadSession(path).entries).messages, [user("1"), user("2")]);
  });
});

for (
  const [name, content] of [
    ["an empty file", ""],
    ["text", "hello\n"],
    ["another kind of JSON lines", '{"type":"message","id":"a"}\n'],
    ["a header without an id", '{"type":"session","version":3,"timestamp":"2026-01-01T00:00:00Z","cwd":"/"}\n'],
    ["a header without a time", '{"type":"session","version":3,"id":"a","timestamp":"soon","cwd":"/"}\n'],
    ["a format from the future", JSON.stringify({ ...HEADER, version: 4 }) + "\n"],
    ["a torn header", JSON.stringify(HEADER).slice(0, -1)],
    ["bytes that are not UTF-8", "\xff\xfe\x00\n"],
    ["one endless line", "x".repeat(100_000)],
  ] as const
) {
  Deno.test(`openSession() refuses ${name} and leaves it as it is`, () => {
    inWorld((world) => {
      const path = join(world.folder, "a.jsonl");
      const bytes = Uint8Array.from(content, (character) => character.charCodeAt(0));
      Deno.writeFileSync(path, bytes);
      const error = refusalOf(() => openSession(path, world));
      assert(error.what.startsWith("Cannot open"), error.what);
      assertEquals(Deno.readFileSync(path), bytes);
      assertEquals([...Deno.readDirSync(world.folder)].length, 1);
    });
  });
}

Deno.test("openSession() refuses what is not a file, and what is not there", () => {
  inWorld((world) => {
    const fifo = join(world.folder, "pipe.jsonl");
    assertEquals(new Deno.Command("mkfifo", { args: [fifo] }).outputSync().code, 0);
    assertEquals(refusalOf(() => openSession(fifo, world)).why, "it is not a regular file");
    assertEquals(refusalOf(() => openSession(world.folder, world)).why, "it is not a regular file");
    assertEquals(refusalOf(() => openSession(join(world.folder, "x.jsonl"), world)).why, "there is no such file");
  });
});

Deno.test("loadSession() brings messages of other programs and damaged ones into order, R330", () => {
  inWorld((world) => {
    const path = join(world.folder, "a.jsonl");
    const time = 7;
    const usage = { input: 1, output: 2, cost: { input: "x" } };
    const cases: readonly (readonly [stored: unknown, read: unknown])[] = [
      [{ role: "system", content: "you are" }, undefined],
      [{ role: "user", content: null, timestamp: time }, { role: "user", content: "", timestamp: time }],
      [{ role: "user", content: [{ type: "text", text: "a" }, { type: "text" }, 5], timestamp: time }, {
        role: "user",
        content: [{ type: "text", text: "a" }],
        timestamp: time,
      }],
      [{ role: "user", content: 5 }, undefined],
      [{
        role: "assistant",
        content: [
          { type: "thinking", thinking: "t", thinkingSignature: "reasoning_content" },
          { type: "toolCall", id: "1", name: "read", arguments: "{" },
          { type: "hologram" },
        ],
        provider: "p",
        model: "m",
        usage,
        stopReason: "pause",
        keep: 5,
        timestamp: time,
      }, {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "t", thinkingSignature: "reasoning_content", field: "reasoning_content" },
          { type: "toolCall", id: "1", name: "read", arguments: {} },
        ],
        provider: "p",
        model: "m",
        usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3 },
        stopReason: "stop",
        timestamp: time,
      }],
      [{ role: "toolResult", toolCallId: "1", content: "text", timestamp: time }, {
        role: "toolResult",
        toolCallId: "1",
        toolName: "",
        content: [{ type: "text", text: "text" }],
        isError: false,
        timestamp: time,
      }],
      [{ role: "bashExecution", command: "ls", exitCode: null, timestamp: time }, {
        role: "bashExecution",
        command: "ls",
        output: "",
        cancelled: false,
        truncated: false,
        timestamp: time,
      }],
      [{ role: "custom", customType: "x", content: "y" }, {
        role: "custom",
        customType: "x",
        content: "y",
        display: true,
        timestamp: Date.parse("2026-01-01T00:00:01.000Z"),
      }],
      [{ role: "toolResult", content: "no call" }, undefined],
      [null, undefined],
    ];
    for (const [stored, read] of cases) {
      writeLines(path, [HEADER, message("a", null, stored)]);
      assertEquals(buildContext(loadSession(path).entries).messages, read === undefined ? [] : [read] as never);
    }
    // As pi 1.6.0 keeps its system prompt: known, shown as that, never sent, and unchanged in a copy.
    const system = { role: "system", content: "", sections: { tools: "x" }, toolsAdded: [{ name: "read" }] };
    writeLines(path, [HEADER, message("a", null, system)]);
    const loaded = loadSession(path);
    assertEquals(loaded.notices, []);
    const [entry] = loaded.entries;
    assert(entry && isSystemPrompt(entry));
    assertEquals(JSON.parse(entryLine(entry)), message("a", null, system));
    assertEquals(transcriptOf(loaded.entries, new Map()).map(({ title }) => title), [
      "System prompt of the program that wrote this session; it is not sent",
    ]);
  });
});

Deno.test("loadSession() reads formats 1 and 2 and never rewrites them", () => {
  inWorld((world) => {
    const path = join(world.folder, "a.jsonl");
    const at = { timestamp: "2026-01-01T00:00:01.000Z" };
    writeLines(path, [
      { type: "session", id: "s", ...at, cwd: "/w", provider: "p", modelId: "m", thinkingLevel: "off" },
      { type: "message", ...at, message: user("1") },
      { type: "message", ...at, message: user("2") },
      {
        type: "message",
        ...at,
        message: { role: "hookMessage", customType: "x", content: "3", display: true, timestamp: 3 },
      },
      { type: "compaction", ...at, summary: "S", firstKeptEntryIndex: 2, tokensBefore: 9 },
      { type: "message", ...at, message: reply("4") },
    ]);
    const before = Deno.readFileSync(path);
    const { version, entries } = loadSession(path);
    assertEquals(version, 1);
    assertEquals(buildContext(entries).messages, [
      { role: "compactionSummary", summary: "S", tokensBefore: 9, timestamp: Date.parse(at.timestamp) },
      user("2"),
      { role: "custom", customType: "x", content: "3", display: true, timestamp: 3 },
      reply("4"),
    ]);
    assertEquals(Deno.readFileSync(path), before);
  });
});
