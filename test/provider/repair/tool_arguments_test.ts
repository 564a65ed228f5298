import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ToolDefinition } from "../../../src/core/provider.ts";
import { takeCall, takeTextCall } from "../../../src/provider/repair/tool_arguments.ts";
import { asSent, TOOL_CASES, TOOLS } from "../fixture_files.ts";

for (const { name, tool, raw, expected, expectedTool, reason } of TOOL_CASES) {
  Deno.test(`takeCall() ${expected === null ? "refuses" : "takes"} ${name}`, () => {
    const taken = takeCall(tool, raw, TOOLS);
    if (expected === null) {
      assertEquals({ args: taken.args, code: taken.refusal?.code }, { args: asSent(raw), code: reason });
    } else {
      assertEquals({ refusal: taken.refusal, args: taken.args }, { refusal: undefined, args: expected });
      assertEquals(taken.name, expectedTool ?? tool);
    }
  });
}

const MORE: readonly { name: string; tool: string; raw: string; args?: unknown; code?: string }[] = [
  { name: "null as no arguments", tool: "ls", raw: "null", args: {} },
  { name: "an empty list as no arguments", tool: "ls", raw: "[]", args: {} },
  {
    name: "a doubly packed string",
    tool: "read",
    raw: JSON.stringify(JSON.stringify('{"path":"a"}')),
    args: { path: "a" },
  },
  {
    name: "escaped line ends between values",
    tool: "read",
    raw: '{\\n"path":"a",\\n"limit":2\\n}',
    args: { path: "a", limit: 2 },
  },
  {
    name: "a control token behind the object",
    tool: "read",
    raw: '{"path":"a"}<|tool_call_end|></tool_call>\n',
    args: { path: "a" },
  },
  { name: "a layer called arguments", tool: "read", raw: '{"arguments":{"path":"a"}}', args: { path: "a" } },
  {
    name: "a layer with the tool's name",
    tool: "read",
    raw: '{"name":"read","arguments":{"path":"a"}}',
    args: { path: "a" },
  },
  {
    name: "a layer with another tool's name",
    tool: "read",
    raw: '{"name":"write","arguments":{"path":"a"}}',
    code: "unknown_tool",
  },
  {
    name: "markup in a key",
    tool: "grep",
    raw: '{"pattern</arg_key>":"x","<arg_key>path":"y"}',
    args: { pattern: "x", path: "y" },
  },
  {
    name: "edits as a list of texts",
    tool: "edit",
    raw: '{"path":"a","edits":["{\\"oldText\\":\\"1\\",\\"newText\\":\\"2\\"}"]}',
    args: { path: "a", edits: [{ oldText: "1", newText: "2" }] },
  },
  {
    name: "edits inside edits",
    tool: "edit",
    raw: '{"path":"a","edits":{"edits":[{"oldText":"1","newText":"2"}]}}',
    args: { path: "a", edits: [{ oldText: "1", newText: "2" }] },
  },
  {
    name: "near names inside edits",
    tool: "edit",
    raw: '{"path":"a","edits":[{"old_string":"1","new_string":"2","replace_all":true}]}',
    args: { path: "a", edits: [{ oldText: "1", newText: "2" }] },
  },
  {
    name: "edits and an item beside them",
    tool: "edit",
    raw: '{"path":"a","edits":[],"oldText":"1","newText":"2"}',
    code: "conflicting_keys",
  },
  {
    name: "a whole number for text",
    tool: "write",
    raw: '{"path":"a","content":42}',
    args: { path: "a", content: "42" },
  },
  { name: "a number that lost its spelling", tool: "write", raw: '{"path":"a","content":1.10}', code: "wrong_type" },
  {
    name: "a round number that lost its spelling",
    tool: "write",
    raw: '{"path":"a","content":1.0}',
    code: "wrong_type",
  },
  { name: "an exponent as text", tool: "read", raw: '{"path":"a","limit":"1e3"}', code: "wrong_type" },
  { name: "a unit behind a number", tool: "bash", raw: '{"command":"a","timeout":"30s"}', code: "wrong_type" },
  { name: "an empty text for a number", tool: "bash", raw: '{"command":"a","timeout":""}', code: "wrong_type" },
  { name: "yes for a boolean", tool: "grep", raw: '{"pattern":"a","literal":"yes"}', code: "wrong_type" },
  {
    name: "a fraction where one is allowed",
    tool: "bash",
    raw: '{"command":"a","timeout":"2.5"}',
    args: { command: "a", timeout: 2.5 },
  },
  { name: "a list for a command", tool: "bash", raw: '{"command":["ls"]}', code: "wrong_type" },
  { name: "prose before the object", tool: "read", raw: 'Sure: {"path":"a"}', code: "invalid_json" },
  { name: "prose around a fence", tool: "read", raw: 'Here:\n```json\n{"path":"a"}\n```', code: "invalid_json" },
  { name: "Python literals", tool: "read", raw: "{'path': None}", code: "invalid_json" },
  { name: "a hostile key", tool: "read", raw: '{"path":"a","__proto__":{"x":1}}', code: "invalid_json" },
  { name: "a second object that was cut", tool: "read", raw: '{"path":"a"}{"path":"a', code: "truncated" },
  {
    name: "arguments cut after a list item",
    tool: "edit",
    raw: '{"path":"a","edits":[{"oldText":"1","newText":"2"}',
    code: "truncated",
  },
  { name: "nesting without end", tool: "read", raw: "[".repeat(100_000) + "]".repeat(100_000), code: "wrong_type" },
  {
    name: "a backslash before a raw newline",
    tool: "write",
    raw: '{"path":"a","content":"x \\\ny"}',
    args: { path: "a", content: "x \\\ny" },
  },
  {
    name: "a control token in the name",
    tool: "bash<|channel|>commentary",
    raw: '{"command":"ls"}',
    args: { command: "ls" },
  },
  { name: "a tool that does not exist", tool: "read_file", raw: '{"path":"a"}', code: "unknown_tool" },
];
for (const { name, tool, raw, args, code } of MORE) {
  Deno.test(`takeCall() ${code ? "refuses" : "takes"} ${name}`, () => {
    const taken = takeCall(tool, raw, TOOLS);
    assertEquals<unknown>({ args: taken.args, code: taken.refusal?.code }, {
      args: code === undefined ? args ?? {} : asSent(raw),
      code,
    });
  });
}

Deno.test("takeCall() names the active tools and the nearest one for an unknown tool (R70)", () => {
  assertEquals(
    takeCall("read_file", "{}", TOOLS).refusal?.reason,
    'There is no active tool "read_file". Active tools: read, bash, edit, write, grep, find, ls; the nearest is "read". The call did not run.',
  );
});

const arbitraryArgs: Record<string, fc.Arbitrary<unknown>> = {
  bash: fc.record({
    command: fc.string({ unit: "binary" }),
    timeout: fc.double({ noNaN: true, noDefaultInfinity: true }),
  }, {
    requiredKeys: ["command"],
  }),
  write: fc.record({ path: fc.string(), content: fc.oneof(fc.string({ unit: "binary" }), fc.json()) }),
  edit: fc.record({ path: fc.string(), edits: fc.array(fc.record({ oldText: fc.string(), newText: fc.json() })) }),
  grep: fc.record({ pattern: fc.string(), path: fc.string(), ignoreCase: fc.boolean(), limit: fc.integer() }, {
    requiredKeys: ["pattern"],
  }),
};
for (const [tool, args] of Object.entries(arbitraryArgs)) {
  Deno.test(`takeCall() is the identity on valid calls of ${tool}`, () => {
    fc.assert(fc.property(args, fc.constantFrom(undefined, 2), (value, indent) => {
      const raw = JSON.stringify(value, null, indent);
      assertEquals(takeCall(tool, raw, TOOLS), { name: tool, args: JSON.parse(raw), repairs: [] });
    }));
  });
}

Deno.test("takeCall() never takes a cut call for a whole one", () => {
  fc.assert(fc.property(fc.record({ path: fc.string(), content: fc.string() }), fc.nat(), (value, at) => {
    const whole = JSON.stringify(value);
    const taken = takeCall("write", whole.slice(0, 1 + at % (whole.length - 1)), TOOLS);
    assertEquals({ args: taken.args, refused: taken.refusal !== undefined }, { args: {}, refused: true });
  }));
});

Deno.test("takeTextCall() uses no near names and drops no keys", () => {
  const closed: readonly ToolDefinition[] = TOOLS;
  assertEquals(takeTextCall("read", { file_path: "a" }, closed), undefined);
  assertEquals(takeTextCall("read", { path: "a", why: "b" }, closed), undefined);
  assertEquals(takeTextCall("read", { path: "a", limit: "3" }, closed)?.args, { path: "a", limit: 3 });
});

Deno.test("takeCall() refuses hostile keys also where a schema takes any key, and nesting without end", () => {
  const open: readonly ToolDefinition[] = [{ name: "any", description: "", parameters: { type: "object" } }];
  assertEquals(takeCall("any", '{"a":{"x":1}}', open).args, { a: { x: 1 } });
  for (const raw of ['{"a":{"__proto__":1}}', '{"constructor":1}', `{"a":${"[".repeat(100)}${"]".repeat(100)}}`]) {
    assertEquals(takeCall("any", raw, open).refusal?.code, "invalid_json", raw);
  }
});
