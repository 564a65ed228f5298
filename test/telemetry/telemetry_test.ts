import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
// The published definitions of OTLP, which nobody here wrote.
import otlp from "@opentelemetry/otlp-transformer/build/src/generated/root.js";
import { createAgent, defineExtension, UserError } from "../../src/mod.ts";
import { telemetrySettings } from "../../src/telemetry/settings.ts";
import { cassette, inWorkspace, run, SOURCE } from "../helpers/program.ts";
import { serveAnswers, textReply } from "../helpers/server.ts";

// deno-lint-ignore no-explicit-any -- tests look at fields of the wire format
type Data = any;

interface Collector extends AsyncDisposable {
  readonly url: string;
  /** Paths and bodies of the requests, in order. */
  readonly got: { readonly path: string; readonly text: string; readonly headers: Headers }[];
  /** Spans by name, their attributes as plain values. */
  readonly spans: () => readonly Data[];
  readonly metrics: () => readonly Data[];
}

/** An endpoint that takes what the definitions of OTLP/HTTP allow, and answers 400 to all else. */
function collect(): Collector {
  const got: Collector["got"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const [path, text] = [new URL(request.url).pathname, await request.text()];
    got.push({ path, text, headers: request.headers });
    const problem = request.method !== "POST" ? "not a POST" : misfitOf(path, JSON.parse(text));
    return problem === undefined ? Response.json({}) : new Response(problem, { status: 400 });
  });
  const bodies = (path: string): Data[] => got.filter((one) => one.path === path).map(({ text }) => JSON.parse(text));
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    got,
    spans: () =>
      bodies("/v1/traces").flatMap(({ resourceSpans: [{ scopeSpans: [{ spans }] }] }) => spans)
        .map((span: Data) => ({ ...span, attributes: plain(span.attributes) })),
    metrics: () =>
      bodies("/v1/metrics").flatMap(({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }) => metrics)
        .map((metric: Data) => ({
          name: metric.name,
          points: metric.histogram.dataPoints.map((point: Data) => ({ ...point, attributes: plain(point.attributes) })),
        })),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** What the published definitions say against a body; every field must be known to them. */
function misfitOf(path: string, body: Data): string | undefined {
  const { collector } = (otlp as Data).opentelemetry.proto;
  const type = path === "/v1/traces"
    ? collector.trace.v1.ExportTraceServiceRequest
    : path === "/v1/metrics"
    ? collector.metrics.v1.ExportMetricsServiceRequest
    : undefined;
  if (!type) return `there is no ${path}`;
  // As JSON has them ids are hex and 64-bit numbers texts; the definitions' own form has bytes and numbers.
  const binary = type.fromObject(withBytes(body));
  const back = JSON.stringify(
    type.toObject(type.decode(type.encode(binary).finish()), { longs: String, bytes: String }),
  );
  return JSON.stringify(sorted(JSON.parse(back))) === JSON.stringify(sorted(withBytes(body, true))) ? undefined : back;
}

/** Ids as bytes, or, where `isText`, as their base64. */
function withBytes(value: Data, isText = false): Data {
  if (Array.isArray(value)) return value.map((one) => withBytes(one, isText));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (!/^(?:trace|span|parentSpan)Id$/.test(key)) return [key, withBytes(one, isText)];
      const hex = String(one);
      const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
      return [key, isText ? btoa(String.fromCharCode(...bytes)) : bytes];
    }),
  );
}

function sorted(value: Data): Data {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

function plain(attributes: readonly Data[]): Record<string, Data> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue, arrayValue } }) => [
      key,
      stringValue ?? doubleValue ?? boolValue ?? (intValue === undefined ? undefined : Number(intValue)) ??
        arrayValue.values.map((one: Data) => one.stringValue),
    ]),
  );
}

const REPLIES = (outside: string) => [
  {
    usage: { input: 5, output: 3 },
    calls: [{ name: "read", args: { path: "a.txt" } }, { name: "read", args: { path: `${outside}/secret-plan.txt` } }],
  },
  { text: "It says ALPHA-CONTENT.", usage: { input: 90, output: 7, cacheRead: 10 } },
];

Deno.test("telemetry X31 X32 X33: spans of run, requests and calls as the conventions have them, and no content unless it is asked for", async () => {
  await inWorkspace({ "a.txt": "ALPHA-CONTENT" }, async ({ ws, home, outside }) => {
    Deno.writeTextFileSync(`${outside}/secret-plan.txt`, "x");
    const model = `replay:${cassette(home, REPLIES(outside))}`;
    const play = async (content: string) => {
      await using collector = collect();
      const report = `${home}/report${content}.json`;
      const env = {
        HOME: home,
        SANDPIPER_TELEMETRY: "otlp",
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-the-collector",
        OTEL_RESOURCE_ATTRIBUTES: "team=bolts",
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: content,
        TRACEPARENT: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`,
        OPENAI_API_KEY: "sk-never-told",
      };
      const args = ["-p", "what is SAID-BY-THE-PERSON in a.txt?", "-m", model, "--report", report];
      const ran = await run(SOURCE, args, { cwd: ws, env });
      assertEquals([ran.code, ran.stdout, ran.stderr.includes("elemetry")], [0, "It says ALPHA-CONTENT.\n", false]);
      assertEquals(JSON.parse(Deno.readTextFileSync(report)).traceId, "ab".repeat(16));
      return { spans: collector.spans(), metrics: collector.metrics(), got: collector.got.slice() };
    };
    const { spans, metrics, got } = await play("false");
    assertEquals(got.map(({ path }) => path), ["/v1/traces", "/v1/metrics"]);
    for (const { headers, text } of got) {
      assertEquals(headers.get("authorization"), "Bearer of-the-collector");
      assertStringIncludes(text, '{"key":"team","value":{"stringValue":"bolts"}}');
      for (const secret of ["ALPHA-CONTENT", "SAID-BY", "secret-plan", "sk-never-told", "of-the-collector", ws]) {
        assertEquals(text.includes(secret), false, secret);
      }
    }
    const byName = (name: string): Data[] => spans.filter((span) => span.name === name);
    const [agent] = byName("invoke_agent sandpiper");
    assertEquals(spans.length, 5);
    assert(spans.every(({ traceId, spanId }) => traceId === "ab".repeat(16) && /^[0-9a-f]{16}$/.test(spanId)));
    assertEquals(agent.parentSpanId, "cd".repeat(8));
    const { "gen_ai.conversation.id": conversation, "sandpiper.sandbox": sandbox, ...facts } = agent.attributes;
    assertEquals([typeof conversation, typeof sandbox], ["string", "string"]);
    assertEquals(facts, {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "replay",
      "gen_ai.agent.name": "sandpiper",
      "gen_ai.request.model": facts["gen_ai.request.model"],
      "sandpiper.ending": "done",
    });
    const chats = spans.filter(({ attributes }) => attributes["gen_ai.operation.name"] === "chat");
    assertEquals(
      chats.map(({ attributes: of, kind, parentSpanId }) => [
        kind,
        parentSpanId,
        of["gen_ai.provider.name"],
        of["gen_ai.conversation.id"],
        of["gen_ai.response.finish_reasons"],
        of["gen_ai.usage.input_tokens"] > 0,
      ]),
      [
        [3, agent.spanId, "replay", conversation, ["tool_calls"], true],
        [3, agent.spanId, "replay", conversation, ["stop"], true],
      ],
    );
    assert(chats.every(({ name, attributes }) => name === `chat ${attributes["gen_ai.request.model"]}`));
    const [read, denied] = byName("execute_tool read");
    assertEquals([read.parentSpanId, denied.parentSpanId], [agent.spanId, agent.spanId]);
    assertEquals([read.attributes["error.type"], read.status], [undefined, undefined]);
    assertEquals([denied.attributes["error.type"], denied.attributes["sandpiper.denied"], denied.status], [
      "denied",
      ["read"],
      { code: 2, message: "denied" },
    ]);
    assertEquals(metrics.map(({ name, points }) => [name, points.length]), [
      ["gen_ai.client.token.usage", 2],
      ["gen_ai.client.operation.duration", 1],
    ]);
    const [tokens, durations] = metrics;
    for (const point of [...tokens.points, ...durations.points]) {
      assertEquals([point.count, point.bucketCounts.length], ["2", point.explicitBounds.length + 1]);
      assertEquals(point.bucketCounts.reduce((sum: number, one: string) => sum + Number(one), 0), 2);
    }

    const asked = await play("true");
    const texts = asked.got.map(({ text }) => text).join("\n");
    for (const said of ["ALPHA-CONTENT", "SAID-BY-THE-PERSON", "secret-plan"]) assertStringIncludes(texts, said);
    assertEquals(texts.includes("sk-never-told"), false);
    const inputs = asked.spans.flatMap(({ attributes: { "gen_ai.input.messages": input } }) =>
      input ? [JSON.parse(input)] : []
    );
    assertEquals(inputs.map((list) => list.map(({ role }: Data) => role)), [["user"], ["tool", "tool"]]);
  });
});

Deno.test("telemetry: off unless it is switched on, also where a collector's address stands in the environment; tools see none of its variables", async () => {
  await using collector = collect();
  await inWorkspace({}, async ({ ws, home }) => {
    const reply = [{ calls: [{ name: "bash", args: { command: "env" } }] }, { text: "Done." }];
    const model = `replay:${cassette(home, reply)}`;
    const env = {
      HOME: home,
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=of-the-collector",
    };
    const outputs: string[] = [];
    for (
      const more of [{}, { SANDPIPER_TELEMETRY: "off" }, { SANDPIPER_TELEMETRY: "otlp", OTEL_SDK_DISABLED: "true" }]
    ) {
      await using agent = await createAgent({ cwd: ws, model, env: { ...env, ...more } });
      await agent.answer("go");
      assertEquals(agent.state().traceId, undefined);
    }
    assertEquals(collector.got.length, 0);
    for (const permissions of [{}, { env: ["OTEL_EXPORTER_OTLP_ENDPOINT"] }]) {
      await using agent = await createAgent({
        cwd: ws,
        model,
        permissions,
        env: { ...env, SANDPIPER_TELEMETRY: "otlp" },
      });
      await agent.answer("go");
      assertEquals(agent.state().traceId?.length, 32);
      outputs.push(JSON.stringify(agent.messages()));
    }
    assertEquals(
      outputs.map((
        text,
      ) => [text.includes("OTEL_EXPORTER_OTLP_ENDPOINT"), /OTEL_EXPORTER_OTLP_HEADERS|SANDPIPER_T/.test(text)]),
      [
        [false, false],
        [true, false],
      ],
    );
    assertEquals(collector.spans().length, 2 * 4);
  });
});

Deno.test("telemetry: a sub-agent is a span below the call that started it; a failed request, a blocked call and an abort say what they are", async () => {
  await using collector = collect();
  await inWorkspace({}, async ({ ws, home }) => {
    const env = {
      HOME: home,
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      SANDPIPER_TELEMETRY: "otlp",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: "none",
    };
    const task = { name: "task", args: { description: "look", prompt: "look around" } };
    const replies = [{ calls: [task] }, { text: "Found.", agent: "a1" }, { text: "Done." }];
    const model = `replay:${cassette(home, replies)}`;
    await using agent = await createAgent({ cwd: ws, model, env, tools: ["read", "bash", "edit", "write", "task"] });
    assertEquals(await agent.answer("go"), "Done.");
    await agent.close();
    const spans = collector.spans();
    const of = (name: string): Data => spans.find((span) => span.name.startsWith(name));
    const [outer, call, inner] = [of("invoke_agent sandpiper"), of("execute_tool task"), of("invoke_agent task")];
    assertEquals([call.parentSpanId, inner.parentSpanId], [outer.spanId, call.spanId]);
    assertEquals([
      inner.attributes["gen_ai.agent.id"],
      inner.attributes["gen_ai.conversation.id"] !== outer.attributes["gen_ai.conversation.id"],
    ], ["a1", true]);
    assert(spans.some(({ name, parentSpanId }) => name.startsWith("chat ") && parentSpanId === inner.spanId));

    collector.got.length = 0;
    const server = serveAnswers(
      [{ status: 401, body: { error: { message: "no key like sk-wrong" } } }, { events: textReply("x") }] as never,
    );
    const block = defineExtension((sp) => void sp.on("tool_call", () => ({ block: true, reason: "no" })));
    try {
      await using failing = await createAgent({
        cwd: ws,
        model: "m",
        baseUrl: server.baseUrl,
        apiKey: "sk-wrong",
        env,
        extensions: [block],
      });
      await failing.answer("go").catch(() => "");
    } finally {
      await server.close();
    }
    const failed = collector.spans();
    assertEquals(failed.map(({ name, attributes }) => [name.split(" ")[0], attributes["error.type"]]), [
      ["chat", "auth"],
      ["invoke_agent", "error"],
    ]);
    assertEquals(collector.got.map(({ text }) => text).join("").includes("sk-wrong"), false);
  });
});

Deno.test("telemetry: a collector that refuses, hangs or is not there is told once and changes nothing of a run", async () => {
  await using refusing = collect();
  const hanging = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  closed.close();
  try {
    await inWorkspace({}, async ({ ws, home }) => {
      const model = `replay:${cassette(home, [{ text: "Fine." }])}`;
      const cases = [
        { port: new URL(refusing.url).port, timeout: "20000", says: "it answered 400" },
        { port: hanging.addr.port, timeout: "100", says: "timeout" },
        { port: closed.addr.port, timeout: "20000", says: "" },
      ];
      for (const { port, timeout, says } of cases) {
        const told: string[] = [];
        const env = {
          HOME: home,
          SANDPIPER_TELEMETRY: "otlp",
          OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/token-in-it`,
          OTEL_EXPORTER_OTLP_TIMEOUT: timeout,
        };
        const agent = await createAgent({ cwd: ws, model, env });
        const late = new Promise<void>((resolve) =>
          agent.subscribe((event) => event.type === "notice" && (told.push(event.message), resolve()))
        );
        assertEquals(await agent.answer("go"), "Fine.");
        await late;
        await agent.close();
        assertEquals(told.length, 1);
        assertStringIncludes(told[0] ?? "", "Telemetry was not delivered");
        assertStringIncludes(told[0] ?? "", says);
        assertEquals(/token-in-it|127\.0\.0\.1/.test(told[0] ?? ""), false, told[0]);
      }
    });
  } finally {
    hanging.close();
  }
});

const OTLP = { SANDPIPER_TELEMETRY: "otlp" };
const WRONG: readonly { readonly variables: Readonly<Record<string, string>>; readonly says: string }[] = [
  { variables: { SANDPIPER_TELEMETRY: "yes" }, says: "otlp, or off" },
  { variables: { ...OTLP, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, says: "http/json" },
  { variables: { ...OTLP, OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, says: "http or https" },
  { variables: { ...OTLP, OTEL_TRACES_EXPORTER: "zipkin" }, says: "otlp, or none" },
  { variables: { ...OTLP, OTEL_EXPORTER_OTLP_TIMEOUT: "soon" }, says: "milliseconds" },
  { variables: { ...OTLP, OTEL_EXPORTER_OTLP_ENDPOINT: "htps://u:token-in-it@c.example" }, says: "http or https" },
  { variables: { ...OTLP, OTEL_EXPORTER_OTLP_HEADERS: "token-in-it" }, says: "name=value" },
  { variables: { ...OTLP, OTEL_EXPORTER_OTLP_HEADERS: "a=token-in-it%0Ab" }, says: "values of HTTP headers" },
  { variables: { ...OTLP, OTEL_EXPORTER_OTLP_HEADERS: "token-in-it c=b" }, says: "values of HTTP headers" },
];
Deno.test("telemetrySettings() follows the variables of OpenTelemetry, and refuses what it cannot do", () => {
  const of = (variables: Readonly<Record<string, string>>) => telemetrySettings((name) => variables[name]);
  for (const { variables, says } of WRONG) {
    const error = assertThrows(() => of(variables), UserError);
    assertStringIncludes(error.why, says);
    assertEquals(error.message.includes("token-in-it"), false);
  }
  const defaults = of(OTLP);
  assertEquals([defaults?.tracesUrl, defaults?.metricsUrl], [
    "http://localhost:4318/v1/traces",
    "http://localhost:4318/v1/metrics",
  ]);
  assertEquals([defaults?.resource, defaults?.capturesContent, defaults?.timeoutMs], [
    { "service.name": "sandpiper" },
    false,
    10_000,
  ]);
  const own = of({
    ...OTLP,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://c.example/in",
    OTEL_METRICS_EXPORTER: "none",
    OTEL_SERVICE_NAME: "ci",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,a=b%20c",
    TRACEPARENT: "00-nonsense",
  });
  assertEquals([own?.tracesUrl, own?.metricsUrl, own?.parent], ["https://c.example/in", undefined, undefined]);
  assertEquals(own?.resource, { "service.name": "ci", a: "b c" });
});
