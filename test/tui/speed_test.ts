import { assert, assertLess } from "@std/assert";
import process from "node:process";
import type { AgentMessage } from "../../src/core/message.ts";
import { open } from "./open_app.ts";
import { scriptedEngine } from "./scripted_engine.ts";

const WORDS = [
  "Some ",
  "words ",
  "of `code` ",
  "and **more** ",
  "follow.\n\n",
  "- a\n",
  "- b\n\n",
  "```ts\nx = 1;\n```\n",
];

function history(count: number): AgentMessage[] {
  return Array.from(
    { length: count },
    (_, at): AgentMessage =>
      at % 2 === 0 ? { role: "user", content: `question ${at}`, timestamp: 0 } : {
        role: "assistant",
        content: [{ type: "text", text: `# Answer ${at}\n\n${WORDS.join("").repeat(5)}` }],
        provider: "p",
        model: "m",
        stopReason: "stop",
        timestamp: 0,
      },
  );
}

const START: AgentMessage = {
  role: "assistant",
  content: [],
  provider: "p",
  model: "m",
  stopReason: "stop",
  timestamp: 0,
};

/** Other programs run on the machine: the best of a few tries says what this one needs. */
const TRIES = 3;

/** Ten keys a second while 200 tokens arrive in it: how long each key takes to the terminal, milliseconds, sorted. */
async function keyTimes(): Promise<readonly number[]> {
  const { app, engine, take } = await open(scriptedEngine(history(1000)));
  const times: number[] = [];
  try {
    engine.set({ isStreaming: true });
    engine.emit({ type: "agent_start" });
    engine.emit({ type: "message_start", message: START });
    app.input("x"); // the conversation before is drawn once
    for (let token = 0; token < 4000; token++) {
      const delta = WORDS[token % WORDS.length] ?? "";
      engine.emit({ type: "message_update", assistantMessageEvent: { type: "text_delta", delta } });
      if (token % 20 !== 19) continue;
      take();
      const [before, ran] = [performance.now(), process.cpuUsage()];
      app.input("x");
      const wall = performance.now() - before;
      const { user, system } = process.cpuUsage(ran);
      times.push(Math.min(wall, (user + system) / 1000)); // what others on the machine take is not this one's
      assert(take().includes("x"), "the key is written before anything else happens");
      if (token % 400 === 399) app.input("\x15"); // the editor does not grow without end
      if (token % 200 === 199) await new Promise((soon) => setTimeout(soon, 1));
    }
  } finally {
    app.quit(0);
    await app.done;
  }
  return times.sort((a, b) => a - b);
}

Deno.test("a key is on the screen within 16 ms at the 99th percentile while 200 tokens a second arrive after 1,000 messages", async () => {
  const found: number[] = [];
  for (let tries = 0; tries < TRIES; tries++) {
    const times = await keyTimes();
    found.push(times[Math.floor(times.length * 0.99)] ?? Infinity);
    if (Math.min(...found) < 16) return;
  }
  assertLess(Math.min(...found), 16, `p99 of each try: ${found.map((ms) => ms.toFixed(1)).join(", ")}`);
});

Deno.test("10,000 streamed updates leave no memory behind and write a bounded number of bytes", async () => {
  const { app, engine, take, bytes } = await open();
  try {
    engine.set({ isStreaming: true });
    engine.emit({ type: "message_start", message: START });
    const round = async (): Promise<number> => {
      for (let token = 0; token < 10_000; token++) {
        const delta = WORDS[token % WORDS.length] ?? "";
        engine.emit({ type: "message_update", assistantMessageEvent: { type: "text_delta", delta } });
        if (token % 50 === 49) app.input("\x0c"); // a frame, with everything drawn anew
        if (token % 500 === 499) {
          take();
          await new Promise((soon) => setTimeout(soon, 0));
        }
      }
      take();
      return Deno.memoryUsage().heapUsed;
    };
    await round();
    const first = await round();
    const before = bytes();
    const second = await round();
    assertLess(second - first, 30 * 1024 * 1024);
    assertLess((bytes() - before) / 10_000, 400);
  } finally {
    app.quit(0);
    await app.done;
  }
});

Deno.test("an answer of 200 tokens a second writes less than 100 bytes a token: what did not change is not written again", async () => {
  const { app, engine, bytes } = await open();
  try {
    engine.set({ isStreaming: true });
    engine.emit({ type: "message_start", message: START });
    const before = bytes();
    for (let token = 0; token < 300; token++) {
      const delta = WORDS[token % WORDS.length] ?? "";
      engine.emit({ type: "message_update", assistantMessageEvent: { type: "text_delta", delta } });
      await new Promise((later) => setTimeout(later, 5));
    }
    assertLess((bytes() - before) / 300, 100);
  } finally {
    app.quit(0);
    await app.done;
  }
});
