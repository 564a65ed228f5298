// What MCP servers bring to the screen: commands, and lines of the question about a project.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { until } from "../helpers/until.ts";
import { serveMcp } from "../mcp/http_server.ts";
import { hasTmux, type Pty } from "./pty.ts";
import { inTerminal } from "./world.ts";

async function say(pty: Pty, text: string): Promise<void> {
  await pty.type(text);
  await pty.keys("Enter");
}

Deno.test({
  name: "a server's prompt is a command of the screen: it is offered, sent with the words behind it, and needs those",
  ignore: !hasTmux,
  async fn() {
    await using host = serveMcp({
      tools: () => [{ name: "look", description: "Looks" }],
      capabilities: { prompts: {} },
      methods: {
        "prompts/list": () => ({
          prompts: [{ name: "review", description: "Reviews code", arguments: [{ name: "code", required: true }] }],
        }),
        "prompts/get": ({ arguments: args }) => ({
          messages: [{ role: "user", content: { type: "text", text: `Review ${JSON.stringify(args)}\u001b[2J now.` } }],
        }),
      },
    });
    const settings = { theme: "dark", mcpServers: { notes: { url: `${host.origin}/notes` } } };
    const replies = [{
      text: "Reviewed.",
      expect: ['[The prompt "review" of the MCP server "notes"]', 'Review {"code":"a b"} now.'],
    }];
    const args = [`--allow-net=127.0.0.1:${host.port}`];
    await inTerminal({ settings, replies, args, columns: 120 }, async (pty) => {
      await pty.see("write: .");
      await until(() => host.heard.includes("prompts/list notes"));
      // What is offered shows up by itself a moment later, once the server's list is there; Tab would take it.
      let patienceMs = 250;
      await until(async () => {
        await pty.keys("C-u");
        await pty.type("/mcp__no");
        await new Promise((later) => setTimeout(later, patienceMs));
        patienceMs *= 2; // on a busy machine one look a moment later may never be enough
        return (await pty.screen()).includes("Reviews code");
      });
      await pty.keys("C-u");
      await say(pty, "/mcp__notes__review");
      await pty.see("/mcp__notes__review needs code");
      await pty.keys("C-u");
      await say(pty, "/mcp__notes__review 'a b'");
      await pty.see("Reviewed.");
    });
  },
});

Deno.test({
  name: "the question about a project says what each server of its .mcp.json would start or reach; a yes starts them",
  ignore: !hasTmux,
  async fn() {
    await using host = serveMcp({ tools: () => [{ name: "look", description: "Looks" }] });
    const servers = {
      docs: { url: `${host.origin}/docs` },
      build: { command: "build-server", args: ["--root", "dir"] },
    };
    const files = { ".mcp.json": JSON.stringify({ mcpServers: servers }) };
    const replies = [{ text: "Done." }];
    const args = [`--allow-net=127.0.0.1:${host.port}`];
    await inTerminal({ settings: { theme: "dark" }, files, replies, args, columns: 120 }, async (pty) => {
      const screen = await pty.see("Yes, load it");
      assertStringIncludes(screen, `MCP server docs: ${host.origin}/docs`);
      assertStringIncludes(screen, "MCP server build: build-server --root dir");
      // Nothing is started or reached before the answer.
      assertEquals(host.heard, []);
      // Keys count once nothing was typed for a moment.
      await new Promise((later) => setTimeout(later, 700));
      await pty.keys("y");
      await pty.see("❯ y");
      await pty.keys("Enter");
      await pty.see("write: .");
      await say(pty, "go");
      await pty.see("Done.");
      assert(host.heard.some((line) => line === "tools/list docs"), host.heard.join("\n"));
    });
  },
});
