import { assertEquals } from "@std/assert";
import { serveAnswers, textReply } from "../helpers/server.ts";
import { brought } from "./brought.ts";
import { type Session, type SessionOptions, withSession } from "./world.ts";

type Open = (options: Partial<SessionOptions>, act: (session: Session) => Promise<void>) => Promise<void>;

/** Sessions in one workspace over one server that answers everything. */
async function inPlace(
  work: (open: Open, asked: () => readonly string[], baseUrl: string) => Promise<void>,
): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-model-" }));
  const server = serveAnswers([{ events: textReply("one") }]);
  const models = { one: { contextWindow: 64_000 }, two: { contextWindow: 64_000 } };
  try {
    await work(
      (options, act) =>
        withSession({
          replies: [],
          unnamed: true,
          at: { ws: `${top}/ws`, home: `${top}/home` },
          settings: { model: "one", baseUrl: server.baseUrl, models },
          ...options,
        }, act),
      () => server.requests.map(({ model }) => model),
      server.baseUrl,
    );
  } finally {
    await server.close();
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test("a session that is gone on with has its model again; the command line goes before it R324", () =>
  inPlace(async (open, asked) => {
    await open({}, async ({ engine, say }) => {
      await say("first");
      await engine.setModel("two");
      await say("second");
    });
    const selected: unknown[] = [];
    const listener = brought((sp) => sp.on("model_select", ({ model, source }) => void selected.push([model, source])));
    await open({ args: ["--continue"], ...listener }, async ({ engine, say }) => {
      assertEquals([engine.state().model.id, engine.notices], ["two", []]);
      await say("third");
      assertEquals(selected, [[{ provider: "openai", id: "two" }, "restore"]]);
    });
    await open({ args: ["--continue", "-m", "one"] }, async ({ engine, say }) => {
      assertEquals(engine.state().model.id, "one");
      await say("fourth");
    });
    assertEquals(asked(), ["one", "two", "two", "one"]);
  }));

Deno.test("where nothing else names a model, the one of the session answers", () =>
  inPlace(async (open, asked, baseUrl) => {
    await open({}, async ({ engine }) => {
      await engine.setModel("two");
      await engine.prompt({ text: "first", source: "interactive" });
    });
    await open({ args: ["--continue"], settings: { baseUrl } }, async ({ engine, say }) => {
      assertEquals([engine.state().model.id, engine.notices], ["two", []]);
      await say("second");
    });
    assertEquals(asked(), ["two", "two"]);
  }));

Deno.test("going over to another session takes its model along", () =>
  inPlace(async (open) => {
    let first = "";
    await open({}, async ({ engine, say }) => {
      await engine.setModel("two");
      await say("first");
      first = engine.state().sessionId;
    });
    await open({}, async ({ engine }) => {
      assertEquals(engine.state().model.id, "one");
      assertEquals(await engine.switchSession(first), true);
      assertEquals(engine.state().model.id, "two");
      assertEquals(await engine.newSession(), true);
      assertEquals(engine.state().model.id, "two");
    });
  }));

Deno.test("a model that cannot be used is told of, and the one of the settings answers", () =>
  inPlace(async (open, asked) => {
    await open({}, async ({ engine, say }) => {
      await say("first");
      engine.store().append({ type: "model_change", provider: "elsewhere", modelId: "three" });
      engine.store().sync();
    });
    await open({ args: ["--continue"] }, async ({ engine, say }) => {
      assertEquals(engine.notices, [
        "the model of this session, three, cannot be used (the provider elsewhere is not known here): one answers",
      ]);
      await say("second");
      engine.store().append({ type: "model_change", provider: "replay", modelId: "replay:/nowhere/at/all.jsonl" });
      engine.store().sync();
    });
    await open({ args: ["--continue"] }, ({ engine }) => {
      assertEquals(engine.notices.length, 1);
      assertEquals(engine.state().model.id, "one");
      return Promise.resolve();
    });
    assertEquals(asked(), ["one", "one"]);
  }));
