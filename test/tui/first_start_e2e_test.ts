// The first start with a server on this machine: what is chosen is asked, kept, and said to be kept.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { hasTmux } from "./pty.ts";
import { inTerminal } from "./world.ts";

Deno.test({
  name: "a model that is chosen on the first screen is saved in the settings, which is said before and after",
  ignore: !hasTmux,
  async fn() {
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => Response.json({ data: [{ id: "tiny:1b" }] }),
    );
    const settings = {
      theme: "dark",
      providers: {
        ollama: { baseUrl: `http://127.0.0.1:${server.addr.port}/v1` },
        // Whatever runs on this machine is not asked.
        ...Object.fromEntries(
          ["lmstudio", "vllm", "llamacpp"].map((name) => [name, { baseUrl: "http://127.0.0.1:1/v1" }]),
        ),
      },
    };
    try {
      await inTerminal({ settings, columns: 120 }, async (pty, { home }) => {
        const file = join(home, ".sandpiper", "agent", "settings.json");
        const screen = await pty.see("1  start with ollama/tiny:1b");
        assertStringIncludes(screen.replaceAll(/\s+/g, " "), `The model that you choose is saved in ${file}`);
        assertEquals(JSON.parse(Deno.readTextFileSync(file)), settings);
        await pty.type("1");
        const after = await pty.see(/Saved "model": "ollama\/tiny:1b" in/, { history: true });
        assertStringIncludes(after, "tiny:1b");
        assertEquals(JSON.parse(Deno.readTextFileSync(file)), { ...settings, model: "ollama/tiny:1b" });
      });
    } finally {
      await server.shutdown();
    }
  },
});

Deno.test({
  name: "with --no-session the first screen keeps nothing and does not say so",
  ignore: !hasTmux,
  async fn() {
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => Response.json({ data: [{ id: "tiny:1b" }] }),
    );
    const settings = { providers: { ollama: { baseUrl: `http://127.0.0.1:${server.addr.port}/v1` } } };
    try {
      await inTerminal({ settings, columns: 120, args: ["--no-session"] }, async (pty, { home }) => {
        const screen = await pty.see(/start with ollama\/tiny:1b/);
        assertEquals(screen.includes("is saved in"), false);
        await pty.type(/(\d) {2}start with ollama\/tiny:1b/.exec(screen)?.[1] ?? "?");
        const after = await pty.see("tiny:1b");
        assertEquals(after.includes("Saved"), false);
        assertEquals(JSON.parse(Deno.readTextFileSync(join(home, ".sandpiper", "agent", "settings.json"))), settings);
      });
    } finally {
      await server.shutdown();
    }
  },
});
