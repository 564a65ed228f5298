import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { LEARNED_FILE, openLearned } from "../../../src/engine/model/learned.ts";
import { callReply, serveAnswers, textReply } from "../../helpers/server.ts";
import { withServer } from "../wire.ts";
import { withSession } from "../world.ts";

const A = { baseUrl: "http://127.0.0.1:8080/secret-path/v1?key=secret-key", model: "m" };

function inFolder(work: (folder: string, path: string) => void): void {
  const folder = Deno.makeTempDirSync({ prefix: "sp-learned-" });
  try {
    work(`${folder}/state`, `${folder}/state/${LEARNED_FILE}`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function resolveConfig(stateFolder: string, values: Record<string, unknown> = {}): Parameters<typeof openLearned>[1] {
  // Of an invocation nothing but its values is looked at.
  return { stateFolder, invocation: { values } } as unknown as Parameters<typeof openLearned>[1];
}

Deno.test("openLearned() keeps what was learned by origin and model, for the user alone, without path or key", () =>
  inFolder((folder, path) => {
    openLearned(A, resolveConfig(folder)).remember({ images: false, efforts: { low: "high" } });
    openLearned({ ...A, model: "n" }, resolveConfig(folder)).remember({ contextWindow: 4096 });
    openLearned(A, resolveConfig(folder)).remember({ streamOptions: false, efforts: { high: "max" } });
    const learned = { images: false, streamOptions: false, efforts: { low: "high", high: "max" } };
    assertEquals(openLearned(A, resolveConfig(folder)).recall(), learned);
    assertEquals(openLearned({ ...A, model: "n" }, resolveConfig(folder)).recall(), { contextWindow: 4096 });
    assertEquals(openLearned({ ...A, baseUrl: "http://127.0.0.1:9090/v1" }, resolveConfig(folder)).recall(), {});
    const text = Deno.readTextFileSync(path);
    assert(!text.includes("secret"), text);
    assertEquals([(Deno.statSync(path).mode ?? 0) & 0o777, (Deno.statSync(folder).mode ?? 0) & 0o777], [0o600, 0o700]);
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), [LEARNED_FILE]);
  }));

const DAMAGES: readonly (readonly [string, string | Uint8Array])[] = [
  ["half a JSON text", '{"version":1,"endp'],
  ["nothing at all", ""],
  ["no JSON", new Uint8Array([0xff, 0xfe, 0x00])],
  ["another version", '{"version":2,"endpoints":{}}'],
  ["a list", "[]"],
  ["null", "null"],
  ["endpoints that are none", '{"version":1,"endpoints":[1]}'],
  ["values that do not fit", '{"version":1,"endpoints":{"http://127.0.0.1:8080":{"m":{"images":"no"}}}}'],
  ["keys of prototypes", '{"version":1,"endpoints":{"http://127.0.0.1:8080":{"m":{"__proto__":{"images":false}}}}}'],
  ["a file that is too large", " ".repeat(1024 * 1024 + 1)],
];
for (const [name, damage] of DAMAGES) {
  Deno.test(`openLearned() tells of ${name}, goes on without it and begins anew`, () =>
    inFolder((folder, path) => {
      Deno.mkdirSync(folder);
      Deno.writeFileSync(path, typeof damage === "string" ? new TextEncoder().encode(damage) : damage);
      const memory = openLearned(A, resolveConfig(folder));
      assertEquals(memory.recall(), {});
      const [warning, ...others] = memory.warnings();
      assertEquals(others, []);
      assertStringIncludes(warning ?? "", path);
      assertEquals([memory.recall(), memory.warnings()], [{}, []]);
      memory.remember({ images: false });
      assertEquals(memory.warnings(), []);
      assertEquals(openLearned(A, resolveConfig(folder)).recall(), { images: false });
    }));
}

Deno.test("openLearned() reads nothing before it is asked, and writes nothing with --no-session", () =>
  inFolder((folder) => {
    const memory = openLearned(A, resolveConfig(folder, { "no-session": true }));
    memory.remember({ images: false });
    assertEquals(memory.recall(), { images: false });
    assertEquals(openLearned(A, resolveConfig(folder)).recall(), {});
    // A folder in the file's place: what cannot be written is told, and holds in this process.
    Deno.mkdirSync(`${folder}/${LEARNED_FILE}`, { recursive: true });
    const stuck = openLearned(A, resolveConfig(folder));
    assertEquals(stuck.warnings(), []);
    stuck.remember({ alternation: true });
    assertEquals(stuck.recall(), { alternation: true });
    assertEquals(stuck.warnings().length, 2);
  }));

Deno.test("openLearned() keeps the newest hundred models of an endpoint", () =>
  inFolder((folder, path) => {
    for (let at = 0; at < 103; at++) {
      openLearned({ ...A, model: `m${at}` }, resolveConfig(folder)).remember({ images: false });
    }
    const { endpoints } = JSON.parse(Deno.readTextFileSync(path));
    const models = Object.keys(endpoints["http://127.0.0.1:8080"]);
    assertEquals([models.length, models[0], models.at(-1)], [100, "m3", "m102"]);
  }));

Deno.test("a second run of a session asks an endpoint at once in the way that the first learned", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-learned-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  const asked: { stream_options?: unknown; messages: { role: string; content: string }[] }[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.json();
    asked.push(body);
    const roles = body.messages.map(({ role }: { role: string }) => role).join(" ");
    if (/user user/.test(roles)) {
      return Response.json({ error: { message: "Conversation roles must alternate user/assistant" } }, { status: 500 });
    }
    if ("stream_options" in body) return Response.json({ detail: "stream_options is unknown" }, { status: 422 });
    const events = textReply("ok").map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(events + "data: [DONE]\n\n", { headers: { "content-type": "text/event-stream" } });
  });
  try {
    const args = ["-m", "wire", "--base-url", `http://127.0.0.1:${server.addr.port}/v1`];
    const notices: string[][] = [];
    for (const run of [1, 2]) {
      await withSession({ replies: [{ text: "" }], args, at }, async ({ say, events, engine }) => {
        // What a person ran and what they say then are two messages in a row.
        await engine.bash("echo seen", false);
        assertEquals(await say(`run ${run}`), "ok");
        notices.push(events.flatMap((event) => event.type === "notice" ? [event.message] : []));
      });
    }
    // They came as one, and the field is gone.
    assertEquals(asked.length, 4);
    const [, , , last] = asked;
    assertEquals([last?.messages.map(({ role }) => role), last && "stream_options" in last], [
      ["system", "user"],
      false,
    ]);
    assert(last?.messages[1]?.content.endsWith("\n\nrun 2"), last?.messages[1]?.content);
    assertEquals(notices[0]?.filter((notice) => /refused a request to wire/.test(notice)).length, 2);
    assertEquals(notices[1]?.filter((notice) => /refused/.test(notice)), []);
  } finally {
    await server.shutdown();
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("a window that an overflow names is the session's from then on, also a small one", async () => {
  const refusal = {
    status: 400,
    body: JSON.stringify({ error: { type: "exceed_context_size_error", message: "too long", n_ctx: 8192 } }),
  };
  const answers = [{ events: textReply("one") }, refusal, { events: textReply("A summary.") }, {
    events: textReply("two"),
  }];
  await withServer(answers, { settings: { compaction: { keepRecentTokens: 1 } } }, async ({ say, engine, server }) => {
    await say("first words");
    assertEquals(engine.state().model.contextWindow, 128_000);
    assertEquals(await say("more"), "two");
    assertEquals(engine.state().model.contextWindow, 8192);
    assertEquals(server.requests.length, 4);
  });
});

Deno.test("a model list goes over to the next name when one refuses, says so and stays there", async () => {
  const quota = { status: 429, body: JSON.stringify({ error: { code: "insufficient_quota", message: "spent" } }) };
  const server = serveAnswers([quota, { events: callReply({ name: "ls", args: {} }) }, { events: textReply("done") }]);
  try {
    const args = ["-m", "first, second,third", "--base-url", server.baseUrl];
    await withSession({ replies: [{ text: "" }], args }, async ({ say, events, engine }) => {
      assertEquals(await say("go"), "done");
      assertEquals(server.requests.map(({ model }) => model), ["first", "second", "second"]);
      const notices = events.flatMap((event) => event.type === "notice" ? [`${event.level}: ${event.message}`] : []);
      const said = notices.find((notice) => notice.includes("second answers from now on"));
      assert(said?.startsWith("warning: first refused:"), notices.join("\n"));
      assertEquals(engine.state().model.id, "second");
      const begun = events.flatMap((event) =>
        event.type === "message_start" && event.message.role === "assistant" ? [event.message.model] : []
      );
      assertEquals(begun, ["second", "second"]);
      await say("again");
      assertEquals(server.requests.at(-1).model, "second");
    });
  } finally {
    await server.close();
  }
});

Deno.test("settings say what a provider's endpoint takes, and what one of its models takes", async () => {
  const server = serveAnswers([{ events: textReply("ok") }]);
  try {
    const settings = {
      providers: { mine: { baseUrl: server.baseUrl, capabilities: { streamOptions: false, developerRole: true } } },
      models: {
        "mine/m": {
          input: ["text"],
          capabilities: { maxTokensField: "max_completion_tokens", efforts: { high: "extreme" } },
          maxTokens: 77,
        },
      },
    };
    const args = ["-m", "mine/m", "--thinking", "high"];
    await withSession({ replies: [{ text: "" }], args, settings }, async ({ say, engine }) => {
      assertEquals(await say("hi"), "ok");
      const data = "QQ==";
      await engine.prompt({
        text: "look",
        source: "interactive",
        images: [{ type: "image", data, mimeType: "image/png" }],
      });
    });
    const [first, second] = server.requests;
    assertEquals([first.stream_options, first.max_completion_tokens, first.reasoning_effort, first.messages[0].role], [
      undefined,
      77,
      "extreme",
      "developer",
    ]);
    assertEquals(second.messages.at(-1).content, "look\n(image omitted: the model takes none)");
  } finally {
    await server.close();
  }
});
