// A folder of recorded shapes played through the adapters: bodies of streams, refusals and arguments of calls, each with what
// has to become of it. SANDPIPER_FIXTURES names another folder of the same form.
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { isObject, type JsonObject } from "../../src/core/json.ts";
import { textOf, toolCallsOf } from "../../src/core/message.ts";
import type { ToolDefinition } from "../../src/core/provider.ts";
import { collect, joined, leaklessTest, requestOf, serve, sse } from "../provider/wire_server.ts";
import { asSent } from "../provider/fixture_files.ts";
import { drive, inPieces, openWire, SIZES } from "./drive.ts";
import { type Expectation, expectedSummary, summaryOf } from "./expectation.ts";
import { replyOf } from "./replies.ts";

const FOLDER = Deno.env.get("SANDPIPER_FIXTURES") ?? fromFileUrl(new URL("../fixtures", import.meta.url));

// The shapes are those of the files' own readmes.
interface Calls {
  readonly tools: Readonly<Record<string, JsonObject>>;
  readonly cases: readonly {
    readonly name: string;
    readonly tool: string;
    readonly raw: string;
    readonly expected: JsonObject | null;
    readonly expectedTool?: string;
  }[];
}
interface Refusals {
  readonly cases: readonly {
    readonly name: string;
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly expect: { readonly kind: string; readonly retry: boolean; readonly retryAfterMs: number | null };
  }[];
}

function fileOf<Shape>(name: string): Shape {
  return JSON.parse(Deno.readTextFileSync(join(FOLDER, name)));
}

function isThere(): boolean {
  try {
    return Deno.statSync(join(FOLDER, "dialects/expected.json")).isFile &&
      Deno.statSync(join(FOLDER, "tool-calls.json")).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

if (isThere()) play();
else Deno.test({ name: `fixtures are left out: ${FOLDER} has none`, ignore: true, fn: () => {} });

function play(): void {
  const calls = fileOf<Calls>("tool-calls.json");
  const tools: readonly ToolDefinition[] = Object.entries(calls.tools).map(([name, parameters]) => ({
    name,
    description: name,
    parameters,
  }));
  const { fixtures } = fileOf<{ readonly fixtures: Readonly<Record<string, Expectation>> }>("dialects/expected.json");
  for (const [file, fixture] of Object.entries(fixtures)) playStream(file, fixture, tools);
  for (const one of calls.cases) playCall(one, tools);
  for (const one of fileOf<Refusals>("dialects/http-errors.json").cases) playRefusal(one);
}

function playStream(file: string, fixture: Expectation, tools: readonly ToolDefinition[]): void {
  const { api, deliver, trim = false, mustKeep = {}, droppedCalls = 0, recovered = false } = fixture;
  for (const size of deliver?.chunkBytes === undefined ? SIZES : [deliver.chunkBytes]) {
    leaklessTest(`${api} understands ${file} ${inPieces(size)}`, async () => {
      await using server = serve(sse(Deno.readTextFileSync(join(FOLDER, "dialects", file)), size));
      const provider = await openWire(api, server.url);
      const { events, message } = await collect(provider, requestOf({ tools }));
      assertEquals<unknown>(summaryOf(message, trim), expectedSummary(fixture, "made-up"));
      assertEquals(joined(events, "text_delta").trim(), textOf(message.content).trim());
      assertEquals(events.filter(({ type }) => type === "notice").length, droppedCalls + (recovered ? 1 : 0));
      if (Object.keys(mustKeep).length === 0) return;
      const user = { role: "user", content: "on", timestamp: 1 } as const;
      await collect(provider, requestOf({ tools, messages: [user, message, user] }));
      assertEquals(wordsOf(mustKeep).filter((word) => !server.texts[1]?.includes(JSON.stringify(word))), []);
    });
  }
}

/** Names and values in an object; those with a blank are words for people. */
function wordsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return value.includes(" ") ? [] : [value];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [...wordsOf(name), ...wordsOf(inner)]);
}

function playCall(one: Calls["cases"][number], tools: readonly ToolDefinition[]): void {
  for (const api of ["chat", "responses", "anthropic"] as const) {
    for (const size of SIZES) {
      leaklessTest(`${api} ${one.expected === null ? "refuses" : "takes"} ${one.name} ${inPieces(size)}`, async () => {
        const reply = replyOf(api, [{ type: "call", id: "call_1", name: one.tool, json: one.raw }]);
        const { message } = await drive(api, sse(reply, size), tools);
        const [call, ...others] = toolCallsOf(message);
        assertEquals(others, []);
        const { name, arguments: args, refused } = call ?? {};
        if (one.expected === null) assertEquals([args, refused !== undefined], [asSent(one.raw), true]);
        else {assertEquals({ name, args, refused }, {
            name: one.expectedTool ?? one.tool,
            args: one.expected,
            refused: undefined,
          });}
      });
    }
  }
}

function playRefusal({ name, status, headers, body, expect }: Refusals["cases"][number]): void {
  for (const size of SIZES) {
    leaklessTest(`chat judges the refusal ${name} ${inPieces(size)}`, async () => {
      const answer = async () =>
        new Response((await sse(body, size)(new Request("http://x"), {})).body, { status, headers });
      const { message } = await drive("chat", answer, []);
      const { kind, retry, retryAfterMs = null } = message.failure ?? {};
      assertEquals<unknown>({ kind, retry, retryAfterMs }, expect);
    });
  }
}
