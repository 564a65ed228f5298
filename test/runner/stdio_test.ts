import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { deframer, frame } from "../../src/core/framing.ts";

const path = (relative: string): string => fromFileUrl(new URL(relative, import.meta.url));

interface Served {
  readonly send: (...texts: readonly string[]) => Promise<void>;
  readonly raw: (bytes: Uint8Array) => Promise<void>;
  /** The next message. */
  readonly next: () => Promise<string | undefined>;
}

/** A process that serves; `first` was read from its input before. Its input ends after `work`, and then it does. */
async function serving(first: string, work: (served: Served) => Promise<void>): Promise<void> {
  const args = ["run", "-A", "--no-prompt", "--no-check", "--cached-only", "--config", path("../../deno.json")];
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args, path("./stdio_host.ts"), first],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader();
  const messages = deframer();
  const arrived: string[] = [];
  const raw = (bytes: Uint8Array): Promise<void> => writer.write(bytes.slice());
  try {
    await work({
      raw,
      send: async (...texts) => {
        for (const line of texts.flatMap((text) => frame(text))) await raw(line);
      },
      next: async () => {
        while (arrived.length === 0) {
          const { value, done } = await reader.read();
          if (done) return undefined;
          arrived.push(...messages(value));
        }
        return arrived.shift();
      },
    });
    await writer.close();
    assertEquals([(await child.status).code, await new Response(child.stderr).text()], [0, "end\n"]);
    assertEquals((await reader.read()).done, true);
  } finally {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended, as it should.
    }
    await Promise.allSettled([child.status, reader.cancel(), writer.abort()]);
    if (!child.stderr.locked) await child.stderr.cancel().catch(() => {});
  }
}

Deno.test("serveStdio() takes what was read before, messages in one piece, and one in many pieces; the end of input ends it", () =>
  serving("echo early\necho cut", async ({ send, raw, next }) => {
    assertEquals(await next(), "early");
    await raw(new TextEncoder().encode(" off\n"));
    assertEquals(await next(), "cut off");
    await raw(new TextEncoder().encode("echo a\necho b\n"));
    assertEquals([await next(), await next()], ["a", "b"]);
    for (const byte of new TextEncoder().encode("echo ü\n")) await raw(Uint8Array.of(byte));
    assertEquals(await next(), "ü");
    // Larger than the buffer, than a pipe and than a line.
    const large = `echo ${"y".repeat(1_500_000)}`;
    await send(large);
    assertEquals(await next(), large.slice("echo ".length));
  }));

Deno.test("serveStdio() blocks nothing while a call is under way: it answers later, and can be cancelled", () =>
  serving("", async ({ send, next }) => {
    // Nothing more is sent: a read that blocked the thread would hold the answer back.
    await send("later a");
    assertEquals(await next(), "later a");
    await send("hang b", "echo meanwhile");
    assertEquals(await next(), "meanwhile");
    await send("cancel b", "echo again");
    assertEquals([await next(), await next()], ["cancelled b", "again"]);
  }));

Deno.test("sendStdio() waits for a reader that is slow, and loses nothing", () =>
  serving("", async ({ send, next }) => {
    const sizes = [900_000, 2_000_000, 1];
    await send(...sizes.map((size) => `large ${size}`));
    const lengths: (number | undefined)[] = [];
    for (const _ of sizes) lengths.push((await next())?.length);
    assertEquals(lengths, sizes);
  }));
