import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import type { SessionEntry } from "../../src/core/session.ts";
import { loadSession } from "../../src/session/load.ts";
import { until } from "../helpers/until.ts";
import { brought } from "./brought.ts";
import { type Session, withSession } from "./world.ts";

const STOP = { whileBusy: "stop" } as const;
const REPLIES = [{ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }];

/** The entry of the newest message of a person with this text. */
function entryOf({ engine }: Session, text: string): SessionEntry {
  const entry = engine.store().entries().findLast((one) =>
    one.type === "message" && one.message.role === "user" && one.message.content === text
  );
  assert(entry);
  return entry;
}

/** What the session is, for telling whether anything changed. */
function stateOf({ engine }: Session): string {
  const { sessionId, sessionFile } = engine.state();
  return JSON.stringify([sessionId, sessionFile, engine.messages(), engine.store().leaf()]);
}

Deno.test("a handler may forbid another session, a fork and another branch; nothing has changed when it is asked R221 R222 R328 R329", async () => {
  const asked: unknown[] = [];
  const at: { session?: Session; before: string } = { before: "" };
  const note = (what: string, more: unknown) => {
    asked.push([what, more, at.session && stateOf(at.session) === at.before]);
    return { cancel: true };
  };
  await withSession({
    replies: REPLIES,
    ...brought((sp) => {
      sp.on("session_before_switch", ({ reason, targetSessionFile }) => note("switch", [reason, targetSessionFile]));
      sp.on("session_before_fork", ({ entryId, position }) => note("fork", [entryId, position]));
      sp.on("session_before_tree", ({ preparation: { targetId } }) => note("tree", targetId));
    }),
  }, async (session) => {
    at.session = session;
    const { engine, say } = session;
    await say("first");
    await say("second");
    Deno.copyFileSync(engine.state().sessionFile ?? "", `${session.ws}/other.jsonl`);
    at.before = stateOf(session);
    const { id } = entryOf(session, "second");
    assertEquals(await engine.newSession(), false);
    assertEquals(await engine.switchSession("other.jsonl"), false);
    assertEquals(await engine.switchSession(engine.state().sessionId), false);
    await assertRejects(() => engine.switchSession("nobody-has-this"), UserError);
    assertEquals(await engine.fork(id), undefined);
    assertEquals(await engine.fork(id, "at"), undefined);
    assertEquals(await engine.navigate(id), undefined);
    assertEquals(stateOf(session), at.before);
    assertEquals(asked, [
      ["switch", ["new", undefined], true],
      ["switch", ["resume", `${session.ws}/other.jsonl`], true],
      ["switch", ["resume", engine.state().sessionFile], true],
      ["fork", [id, "before"], true],
      ["fork", [id, "at"], true],
      ["tree", id, true],
    ]);
  });
});

Deno.test("a fork begins with the path to an entry and leaves the original as it was R325 R326 R331", () =>
  withSession({ replies: REPLIES }, async (session) => {
    const { engine, say } = session;
    await say("first");
    await say("second");
    const original = engine.state().sessionFile ?? "";
    const bytes = Deno.readTextFileSync(original);
    assertEquals(await engine.fork(entryOf(session, "second").id), { text: "second" });
    assert(engine.state().sessionFile !== original);
    assertEquals(engine.messages().map(({ role }) => role), ["user", "assistant"]);
    assertEquals(await say("another second"), "three");
    const [before, after] = [original, engine.state().sessionFile ?? ""].map((path) => loadSession(path).entries);
    const shared = after?.findIndex(({ id }) => !before?.some((one) => one.id === id)) ?? 0;
    assertEquals(after?.slice(0, shared), before?.slice(0, shared));
    assert(shared > 1);
    assertEquals(Deno.readTextFileSync(original), bytes);
    // And back: the session that was left is as it was.
    assertEquals(await engine.switchSession(original), true);
    assertEquals(engine.messages().length, 4);
    assertEquals(await engine.newSession(), true);
    assertEquals(engine.messages(), []);
  }));

Deno.test("a handler may have a fork keep the whole conversation R222", () =>
  withSession({
    replies: REPLIES,
    ...brought((sp) => sp.on("session_before_fork", () => ({ skipConversationRestore: true }))),
  }, async (session) => {
    const { engine, say } = session;
    await say("first");
    await say("second");
    const { sessionId } = engine.state();
    assertEquals(await engine.fork(entryOf(session, "first").id), { text: "first" });
    assert(engine.state().sessionId !== sessionId);
    assertEquals(engine.messages().map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
  }));

Deno.test("a session that is gone back to has its own clock and thinking level, so that its prompt is the same R324 R420", () =>
  withSession({ replies: REPLIES, args: ["--thinking", "low"] }, async ({ engine, say, events }) => {
    await say("first");
    engine.setThinking("high");
    const [path = "", prompt] = [engine.state().sessionFile, engine.compiled().full];
    await engine.newSession();
    engine.setThinking("minimal");
    engine.setActiveTools(["read"]);
    engine.setActiveTools(["read", "bash", "edit", "write"]); // each time the clock is read
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await engine.reload();
    assert(engine.compiled().full !== prompt);
    await say("elsewhere");
    await engine.switchSession(path);
    assertEquals(engine.state().thinking, "high");
    assertEquals(engine.compiled().full, prompt);
    assertEquals(await say("second"), "three");
    const fingerprints = events.flatMap((one) =>
      one.type === "prompt_compiled" ? [one.manifest.fingerprints.full] : []
    );
    assertEquals([fingerprints.length, fingerprints[2]], [3, fingerprints[0]]);
  }));

Deno.test("a branch that is left may leave a summary, which the new branch is sent R327", async () => {
  const told: unknown[] = [];
  await withSession({
    replies: [
      { text: "one" },
      { text: "two" },
      { text: "## Goal\nLEFT BEHIND", expect: ["second", "the tests"] },
      { text: "three", expect: ["first", "<summary>\n## Goal\nLEFT BEHIND\n</summary>", "another second"] },
    ],
    ...brought((sp) => {
      sp.on(
        "session_before_tree",
        ({ preparation: { userWantsSummary, entriesToSummarize } }) =>
          void told.push([userWantsSummary, entriesToSummarize.filter(({ type }) => type === "message").length]),
      );
      sp.on(
        "session_tree",
        ({ newLeafId, oldLeafId, fromExtension }) =>
          void told.push([typeof newLeafId, newLeafId !== oldLeafId, fromExtension]),
      );
    }),
  }, async (session) => {
    const { engine, say } = session;
    await say("first");
    await say("second");
    const entry = entryOf(session, "second");
    assertEquals(await engine.navigate(entry.id, { summarize: true, focus: "the tests" }), { text: "second" });
    assertEquals(engine.messages().map(({ role }) => role), ["user", "assistant", "branchSummary"]);
    assertEquals(await say("another second"), "three");
    assertEquals(told, [[true, 2], ["string", true, false]]);
    // The branch that was left is still there.
    assertEquals(engine.store().entry(entry.id), entry);
  });
});

Deno.test("a handler may bring the summary of a branch, steer the built-in one and name the place R222 R327", async () => {
  let visits = 0;
  const from: unknown[] = [];
  await withSession({
    replies: [
      { text: "one" },
      { text: "two" },
      { text: "three", expect: ["BY HAND"] },
      { text: "## Goal\nASKED FOR", expect: ["only the numbers"] },
    ],
    ...brought((sp) => {
      sp.on("session_tree", ({ fromExtension }) => void from.push(fromExtension));
      sp.on(
        "session_before_tree",
        () =>
          ++visits === 1
            ? { summary: { summary: "BY HAND", details: { by: "me" } } }
            : { customInstructions: "only the numbers", label: "here" },
      );
    }),
  }, async (session) => {
    const { engine, say } = session;
    await say("first");
    await say("second");
    await engine.navigate(entryOf(session, "second").id);
    assertEquals(await say("third"), "three");
    const to = entryOf(session, "first");
    await engine.navigate(to.id, { summarize: true, focus: "not this" });
    assertEquals(from, [true, false]);
    const kept = engine.store().entries();
    assertEquals(
      kept.flatMap((one) => one.type === "branch_summary" ? [[one.summary.slice(0, 19), one.fromHook]] : []),
      [
        ["BY HAND", true],
        ["## Goal\nASKED FOR", undefined],
      ],
    );
    assertEquals(kept.flatMap((one) => one.type === "label" ? [[one.targetId, one.label]] : []), [[to.id, "here"]]);
  });
});

Deno.test("another model is told, kept, and the prompt stays as it is R220 R335 R449", async () => {
  const told: unknown[] = [];
  await withSession({
    replies: [{ text: "one" }],
    ...brought((sp) =>
      sp.on("model_select", ({ model, previousModel, source }) => void told.push([model.id, previousModel?.id, source]))
    ),
  }, async ({ engine, say, ws }) => {
    await say("first");
    const before = engine.state().model.id;
    const full = engine.compiled().full;
    const other = `${ws}/other.jsonl`;
    Deno.writeTextFileSync(other, `{"text":"by the other"}\n`);
    await engine.setModel(`replay:${other}`);
    assertEquals(told, [[`replay:${other}`, before, "set"]]);
    assertEquals(await say("second"), "by the other");
    assertEquals(engine.compiled().full, full);
    const changes = loadSession(engine.store().path ?? "").entries.filter(({ type }) => type === "model_change");
    assertEquals(changes.map((one) => one.type === "model_change" && one.modelId), [`replay:${other}`]);
    assertStringIncludes(JSON.stringify(engine.state().model), "other.jsonl");
  });
});

Deno.test("what a handler of session_shutdown keeps stands in the session that is left, whichever is taken up R221 R222", async () => {
  const told: unknown[] = [];
  await withSession({
    replies: REPLIES,
    ...brought((sp) => {
      sp.on("session_shutdown", async ({ reason, targetSessionFile }) => {
        told.push(["shutdown", reason, targetSessionFile]);
        await new Promise((resolve) => setTimeout(resolve, 50));
        await sp.appendEntry("left", reason);
      });
      sp.on("session_start", ({ reason, previousSessionFile }) => {
        if (reason !== "startup") told.push(["start", reason, previousSessionFile]);
      });
    }),
  }, async (session) => {
    const { engine, say } = session;
    const file = (): string => engine.state().sessionFile ?? "";
    await say("first");
    const first = file();
    await engine.newSession();
    await say("second");
    const second = file();
    await engine.fork(entryOf(session, "second").id, "at");
    const third = file();
    await engine.switchSession(first);
    assertEquals(told, [
      ["shutdown", "new", second],
      ["start", "new", first],
      ["shutdown", "fork", third],
      ["start", "fork", second],
      ["shutdown", "resume", first],
      ["start", "resume", third],
    ]);
    const left = [first, second, third].map((path) =>
      loadSession(path).entries.flatMap((one) => one.type === "custom" && one.customType === "left" ? [one.data] : [])
    );
    assertEquals(left, [["new"], ["fork"], ["resume"]]);
  });
});

Deno.test("the thinking level of a session that is taken up is told, and going on to the next one too", async () => {
  const told: unknown[] = [];
  const files: string[] = [];
  const listener = brought((sp) =>
    sp.on(
      "thinking_level_select",
      ({ level, previousLevel, source }) => void told.push([level, previousLevel, source]),
    )
  );
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-moves-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  try {
    await withSession({ replies: REPLIES, at, ...listener }, async ({ engine, say }) => {
      await say("first");
      files.push(engine.state().sessionFile ?? "");
      engine.setThinking("high");
      await engine.newSession();
      engine.setThinking("low", "cycle");
      await engine.switchSession(files[0] ?? "");
    });
    await withSession({ replies: REPLIES, at, args: ["--continue"], ...listener }, async ({ engine }) => {
      assertEquals(engine.state().thinking, "high");
      await until(() => told.length === 4);
    });
    assertEquals(told, [
      ["high", "off", "set"],
      ["low", "high", "cycle"],
      ["high", "low", "restore"],
      ["high", "off", "restore"],
    ]);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

for (const isForbidden of [true, false]) {
  const fate = isForbidden ? "goes on where a handler forbids the move" : "is stopped for a move that nobody forbids";
  Deno.test(`a run ${fate} R221 R222 R269`, async () => {
    const asked: boolean[] = [];
    const box: { session?: Session } = {};
    const ask = () => {
      asked.push(box.session?.engine.state().isStreaming ?? false);
      return { cancel: isForbidden };
    };
    const moves = {
      new: ({ engine }: Session) => engine.newSession(STOP),
      switch: ({ engine, ws }: Session) => engine.switchSession(`${ws}/other.jsonl`, STOP),
      fork: (session: Session) => session.engine.fork(entryOf(session, "first").id, "before", STOP),
      clone: ({ engine }: Session) => engine.fork(engine.store().leaf() ?? "", "at", STOP),
      navigate: (session: Session) => session.engine.navigate(entryOf(session, "first").id, STOP),
    };
    for (const [name, move] of Object.entries(moves)) {
      asked.length = 0;
      await withSession({
        replies: [{ text: "one" }, { text: "two", delayMs: isForbidden ? 400 : 60_000 }],
        ...brought((sp) => {
          sp.on("session_before_switch", ask);
          sp.on("session_before_fork", ask);
          sp.on("session_before_tree", ask);
        }),
      }, async (session) => {
        box.session = session;
        const { engine, say, events } = session;
        await say("first");
        Deno.copyFileSync(engine.state().sessionFile ?? "", `${session.ws}/other.jsonl`);
        const run = say("second");
        await until(() => engine.messages().length === 3);
        const moved = await move(session);
        assertEquals([name, Boolean(moved), asked], [name, !isForbidden, [true]]);
        assertEquals(engine.state().isStreaming, isForbidden);
        // A copy of all that there is has the words that the stopped run was to answer.
        if (!isForbidden && name === "clone") assertEquals(engine.messages().length, 3);
        await run;
        const endings = events.flatMap((event) => event.type === "agent_end" ? [event.ending] : []);
        assertEquals(endings, ["done", isForbidden ? "done" : "aborted"]);
      });
    }
  });
}
