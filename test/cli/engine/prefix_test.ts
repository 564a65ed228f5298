import { assert, assertEquals } from "@std/assert";
import { callReply, textReply } from "../../helpers/server.ts";
import { withServer } from "./wire.ts";

// deno-lint-ignore no-explicit-any -- bodies of the wire format
type Body = any;

/** Whether a request begins with the very bytes of the one before: what a server's cache goes by. */
function extendsBytes(before: Body, after: Body): boolean {
  const [earlier, later] = [before, after].map(({ messages }) => JSON.stringify(messages).slice(0, -1));
  return JSON.stringify(before.tools) === JSON.stringify(after.tools) && (later ?? "").startsWith(earlier ?? "?");
}

Deno.test("over 50 turns, an end and a resume every request begins with the bytes of the one before R324 R430 R431 X28", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-prefix-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  const call = { events: callReply({ name: "read", args: { path: "AGENTS.md" } }) };
  const answers = [call, ...Array.from({ length: 60 }, (_, turn) => ({ events: textReply(`reply ${turn}`) }))];
  const bodies: Body[] = [];
  try {
    for (const args of [[], ["-c"]]) {
      await withServer(answers, { at, args, files: { "AGENTS.md": "RULES" } }, async ({ say, server, engine }) => {
        for (let turn = 0; turn < 25; turn++) await say(`words ${turn} of ${args}`);
        bodies.push(...server.requests);
        const { cacheRead, input } = engine.state().totals;
        assert(cacheRead >= 8 * 25 && input > 0);
      });
    }
    assertEquals(bodies.length, 52);
    const broken = bodies.flatMap((body, index) => index > 0 && !extendsBytes(bodies[index - 1], body) ? [index] : []);
    assertEquals(broken, []);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});
