// Serves over its standard streams, as a runner does, for the test of that. Prints `end` to its errors when the input ended.
import { sendStdio, serveStdio } from "../../src/runner/stdio.ts";

const waiting = new Map<string, ReturnType<typeof setTimeout>>();

const ACTIONS: Readonly<Record<string, (words: string) => void>> = {
  echo: (words) => sendStdio(words),
  large: (length) => sendStdio("x".repeat(Number(length))),
  later(words) {
    const end = (): void => {
      waiting.delete(words);
      sendStdio(`later ${words}`);
    };
    waiting.set(words, setTimeout(end, 50));
  },
  hang: (words) => void waiting.set(words, setTimeout(() => {}, 600_000)),
  cancel(words) {
    clearTimeout(waiting.get(words));
    waiting.delete(words);
    sendStdio(`cancelled ${words}`);
  },
};

const receive = (text: string): void => {
  const [name = "", ...words] = text.split(" ");
  ACTIONS[name]?.(words.join(" "));
};
const server = { receive, isIdle: () => waiting.size === 0, warm: () => Promise.resolve() };
await serveStdio(server, [new TextEncoder().encode(Deno.args[0] ?? "")]);
console.error("end");
