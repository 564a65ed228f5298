// What a sub-agent costs, in processor time of the host: that is its own, whoever else keeps the machine busy.
import { assert, assertEquals } from "@std/assert";
import { cpuMs } from "../helpers/cpu.ts";
import { withSession } from "./world.ts";

const TOOLS = ["--tools", "read,write,task"];
const sub = (prompt: string, write: string) => ({
  name: "task",
  args: { description: "part", prompt, write: [write] },
});
const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? NaN;

/** Goals; the first is of one that is warm, as of the second call on. */
const START_MS = 15;
const MEMORY_MB = 25;
/** How much more a turn may cost where eight work at once. */
const TIMES = 2;

Deno.test("a sub-agent takes at most 15 ms to its first request, and 25 MB", async () => {
  const calls = Array.from({ length: 12 }, (_, at) => ({ calls: [sub(`one ${at}`, "a")] }));
  const replies = [...calls, ...calls.map(() => ({ conversation: "one ", text: "ok" })), { text: "end" }];
  await withSession({ args: TOOLS, files: { "a/x": "1" }, replies }, async ({ engine, say }) => {
    const [took, waited, memory]: number[][] = [[], [], []];
    let [began, at] = [0, 0];
    engine.subscribe((event) => {
      if (event.type === "tool_execution_start") {
        [began, at] = [cpuMs(), performance.now()];
        memory?.push(Deno.memoryUsage().rss);
      }
      if (event.type === "subagent_event" && event.event.type === "prompt_compiled") {
        took?.push(cpuMs() - began);
        waited?.push(performance.now() - at);
      }
    });
    assertEquals(await say("go"), "end");
    const [ms, wall] = [median(took ?? []), median(waited ?? [])];
    const grown = (Math.max(...memory ?? []) - (memory?.[1] ?? 0)) / 1e6;
    console.log(
      `to the first request: ${ms.toFixed(1)} ms of work, ${wall.toFixed(1)} ms; ${grown.toFixed(0)} MB for ten`,
    );
    assert(ms <= START_MS, `${ms} ms`);
    assert(grown <= MEMORY_MB, `${grown} MB`);
  });
});

Deno.test("eight sub-agents at once cost each at most twice as much a turn as one alone", async () => {
  const turns = 10;
  const perTurn = async (count: number): Promise<number> => {
    const names = Array.from({ length: count }, (_, at) => `sub${at}.`);
    const replies = [
      { calls: names.map((name) => sub(name, `${name}d/`)) },
      ...names.flatMap((conversation) => [
        // No process is part of it: what is not active is answered by the loop.
        ...Array.from({ length: turns }, (_, at) => ({ conversation, calls: [{ name: "none", args: { at } }] })),
        { conversation, text: "ok" },
      ]),
      { text: "end" },
    ];
    let [first, last, seen] = [0, 0, 0];
    const settings = { agents: { parallel: 8 }, checkpoints: false };
    await withSession({ args: TOOLS, settings, replies }, async ({ engine, say }) => {
      engine.subscribe((event) => {
        if (event.type !== "subagent_event" || event.event.type !== "turn_end") return;
        last = cpuMs();
        if (seen++ === 0) first = last;
      });
      assertEquals(await say("go"), "end");
    });
    return (last - first) / (seen - 1);
  };
  await perTurn(2); // warm
  const one = median([await perTurn(1), await perTurn(1), await perTurn(1)]);
  const eight = median([await perTurn(8), await perTurn(8), await perTurn(8)]);
  console.log(`a turn: ${one.toFixed(2)} ms of work alone, ${eight.toFixed(2)} ms of eight at once`);
  assert(eight <= TIMES * one, `${eight} ms, alone ${one} ms`);
});
