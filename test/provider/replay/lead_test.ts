import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { textOf } from "../../../src/core/message.ts";
import { UserError } from "../../../src/core/error.ts";
import { openLead, openReplayText } from "../../../src/provider/replay/replay.ts";
import { collect, requestOf } from "../wire_server.ts";

Deno.test("openLead() plays each reply once, a sub-agent's to it alone and without its cost, and then the model answers", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const file = join(folder, "first.jsonl");
    const usage = { input: 3, output: 1, costUsd: 5 };
    const lines = [{ text: "one", usage }, { text: "of a", agent: "a" }, { text: "two" }];
    Deno.writeTextFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    const live = openReplayText('{"text":"live"}\n'.repeat(9), "live");
    const lead = openLead(file);
    // Each model of a run has its own provider, and all go on where the others were.
    const [main, other] = [lead.before(live), lead.before(live, "a")];
    const said = async (from: typeof main, agentId?: string): Promise<string> =>
      textOf((await collect(from, requestOf(agentId === undefined ? {} : { agentId }))).message.content);
    const { message } = await collect(main, requestOf());
    assertEquals([textOf(message.content), message.usage?.input, message.usage?.cost], ["one", 3, undefined]);
    assertEquals(await said(main, "b"), "live");
    assertEquals(await said(other), "of a");
    assertEquals(await said(other), "live");
    assertEquals([await said(lead.before(live)), await said(main)], ["two", "live"]);
    assertThrows(() => openLead(join(folder, "none.jsonl")), UserError, "Cannot play");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
