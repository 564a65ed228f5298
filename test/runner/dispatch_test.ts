import { assertEquals } from "@std/assert";
import * as z from "zod/mini";
import { ToolError } from "../../src/core/error.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Policy } from "../../src/core/policy.ts";
import { errorResult, textResult, type Tool } from "../../src/core/tool.ts";
import type { ToolResult } from "../../src/core/tool_result.ts";
import { dispatch } from "../../src/runner/dispatch.ts";
import { openFiles } from "../../src/runner/files/files.ts";
import { policyFor, scope, world } from "./world.ts";

function tool<A>(name: string, needs: Tool["needs"], args: z.ZodMiniType<A>, run: Tool<A>["run"]): Tool<A> {
  return { name, description: "", args: () => args, promptSnippet: "", needs, readOnly: true, place: "runner", run };
}

const fail = (name: string, thrown: () => unknown): Tool<unknown> =>
  tool(name, [], z.unknown(), () => {
    throw thrown();
  });

// A tool of any arguments stands in a list as a tool of unknown ones; dispatch validates before it runs one.
const TOOLS = [
  tool("look", ["read"], z.object({ path: z.string(), deep: z.optional(z.array(z.number())) }), (args, { files }) => {
    const text = new TextDecoder().decode(files.read(files.resolve(args.path)));
    return Promise.resolve(textResult(text, { keys: Object.keys(args) }));
  }),
  tool("change", ["read", "write"], z.object({ path: z.string() }), (args, { files }) => {
    files.write(files.resolve(args.path), new TextEncoder().encode("changed"));
    return Promise.resolve(textResult("done"));
  }),
  tool("shell", ["run"], z.object({}), () => Promise.resolve(textResult("never"))),
  { ...tool("bash", [], z.object({}), () => Promise.resolve(textResult("never"))), place: "shell" },
  fail("act", () => new ToolError("Do this instead")),
  fail(
    "notCapable",
    () => new Deno.errors.NotCapable('Requires env access to "KEY", run again with the --allow-env flag'),
  ),
  fail("notCapableOther", () => new Deno.errors.NotCapable("Worker\nstack")),
  fail("denied", () => new Deno.errors.PermissionDenied("Permission denied (os error 13)")),
  fail("bug", () => new TypeError("x is undefined\n    at secret.ts:1:2")),
  fail("long", () => new Error("y".repeat(5000))),
  fail("odd", () => "a text"),
] as readonly Tool[];

async function run(policy: Policy, name: string, args: JsonObject = {}): Promise<ToolResult> {
  const signal = new AbortController().signal;
  return await dispatch(TOOLS, { name, args }, { policy, files: openFiles(policy), signal, update: () => {} });
}

Deno.test("dispatch() runs a tool with the arguments that its schema lets through", async () => {
  using place = world();
  assertEquals(await run(policyFor(place.root), "look", { path: "a.txt", extra: 1 }), {
    content: [{ type: "text", text: "inside\n" }],
    details: { keys: ["path"] },
  });
});

Deno.test("dispatch() refuses arguments that do not fit, and says where", async () => {
  using place = world();
  const policy = policyFor(place.root);
  assertEquals(await run(policy, "look"), errorResult("Invalid arguments for look: path: must be string"));
  assertEquals(
    await run(policy, "look", { path: 1, deep: ["x"] }),
    errorResult("Invalid arguments for look: path: must be string; deep.0: must be number"),
  );
});

Deno.test("dispatch() has no tool whose needs the policy does not grant, and none of another place R455 R456", async () => {
  using place = world();
  const readOnly = policyFor(place.root, { write: scope() });
  const rest = "act, notCapable, notCapableOther, denied, bug, long, odd";
  const refused = (name: string, why: string, active: string): ToolResult =>
    errorResult(`Tool "${name}" is not available: ${why}. Available: ${active}`);
  assertEquals(
    await run(readOnly, "change", { path: "a.txt" }),
    refused("change", "the user did not grant write", `look, ${rest}`),
  );
  assertEquals(
    await run(policyFor(place.root, { read: scope(), write: scope() }), "change", { path: "a.txt" }),
    refused("change", "the user did not grant read and write", rest),
  );
  assertEquals(await run(readOnly, "shell"), refused("shell", "the user did not grant run", `look, ${rest}`));
  assertEquals(await run(readOnly, "bash"), refused("bash", "there is no such tool", `look, ${rest}`));
  assertEquals(await run(readOnly, "constructor"), refused("constructor", "there is no such tool", `look, ${rest}`));
  assertEquals(Deno.readTextFileSync(`${place.root}/a.txt`), "inside\n");
});

const FAILURES: readonly { readonly name: string; readonly says: string }[] = [
  { name: "act", says: "Do this instead" },
  {
    name: "notCapable",
    says: 'NotCapable: env access to "KEY" is not granted. Only the user can allow it, with --allow-env=+KEY',
  },
  { name: "notCapableOther", says: "NotCapable: Worker" },
  {
    name: "denied",
    says: "PermissionDenied: Permission denied (os error 13). The sandbox or the file's mode forbids it; " +
      "only the user can change that",
  },
  { name: "bug", says: "The bug tool failed: x is undefined" },
  { name: "long", says: `The long tool failed: ${"y".repeat(500)}` },
  { name: "odd", says: "The odd tool failed: a text" },
];
for (const { name, says } of FAILURES) {
  Deno.test(`dispatch() tells what ${name} threw in one sentence and without a stack R480`, async () => {
    using place = world();
    assertEquals(await run(policyFor(place.root), name), errorResult(says));
  });
}
