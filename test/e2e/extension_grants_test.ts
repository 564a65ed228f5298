import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import type { GrantRequest } from "../../src/core/hook.ts";
import { createAgent } from "../../src/mod.ts";
import { cassette, FULL_PROGRAM, inWorkspace, run } from "../helpers/program.ts";
import { rpcClient } from "./rpc_client.ts";

const RULES = `export const permissions = { read: ["rules.md"] };
export default (sp) => {
  sp.registerCommand("rules", { handler: async (_args, ctx) => {
    let text = "none";
    try { text = await Deno.readTextFile(ctx.cwd + "/rules.md"); } catch { /* not granted */ }
    await ctx.ui.notify("rules: " + text, "warning");
  } });
};
`;
const FILES = { "rules.md": "tabs", "rules.ts": RULES };
const NOT_GRANTED =
  /rules: runs without .* not granted: read rules\.md\. To grant all .* settings\.json: \{"extensions"/;

Deno.test("rpc: an extension's permissions are asked over extension_ui_request, and it is loaded again with them", async () => {
  await inWorkspace(FILES, async ({ ws, home }) => {
    const file = cassette(home, []);
    const options = { cwd: ws, env: { HOME: home } };
    const start = () => rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`, "-e", "rules.ts"], options);
    const rules = async (client: ReturnType<typeof start>) => {
      const from = client.lines.length;
      await client.ask({ type: "prompt", message: "/rules" });
      return (await client.wait(({ method, message }) => method === "notify" && message.startsWith("rules:"), from))
        .message;
    };
    const settings = join(home, ".sandpiper/agent/settings.json");
    {
      await using client = start();
      const question = await client.wait(({ type }) => type === "extension_ui_request");
      const { id, permissions: { path, hash, wants }, ...rest } = question;
      assertEquals(rest, {
        type: "extension_ui_request",
        method: "select",
        title: "Extension rules asks for: read rules.md",
        options: [
          "No",
          "Yes, until it is loaded again",
          "Yes, for this session",
          "Always, until one of its files changes",
        ],
        extension: "rules",
      });
      assertEquals([path, wants, hash.length], [join(ws, "rules.ts"), { read: ["rules.md"] }, 64]);
      assertEquals(await rules(client), "rules: none"); // until somebody answers
      await client.send({ type: "extension_ui_response", id, value: rest.options[3] });
      await client.wait(({ type, message }) => type === "notice" && /was loaded again/.test(message));
      assertEquals(await rules(client), "rules: tabs");
      assertEquals(JSON.parse(Deno.readTextFileSync(settings)), { extensions: { grants: { [hash]: wants } } });
      await client.closeInput();
      assertEquals(await client.ended(), { code: 0, stderr: "" });
    }
    Deno.removeSync(settings);
    await using client = start();
    const { id } = await client.wait(({ type }) => type === "extension_ui_request");
    await client.send({ type: "extension_ui_response", id, cancelled: true });
    const { message } = await client.wait(({ type }) => type === "notice");
    assertMatch(message, NOT_GRANTED);
    await client.ask({ type: "reload" });
    assertEquals(client.lines.filter(({ method }) => method === "select").length, 1);
    assertEquals(await rules(client), "rules: none");
  });
});

Deno.test("rpc: a client that leaves while it is asked about an extension grants nothing", async () => {
  await inWorkspace(FILES, async ({ ws, home }) => {
    const options = { cwd: ws, env: { HOME: home } };
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${cassette(home, [])}`, "-e", "rules.ts"], options);
    await client.wait(({ type }) => type === "extension_ui_request");
    await client.closeInput();
    assertEquals((await client.ended()).code, 0);
    assertThrows(() => Deno.statSync(join(home, ".sandpiper/agent/settings.json")), Deno.errors.NotFound);
  });
});

for (const mode of ["text", "json"] as const) {
  Deno.test(`${mode}: asks nobody, and names the setting that would grant it`, async () => {
    await inWorkspace(FILES, async ({ ws, home }) => {
      const args = ["--mode", mode, "-m", `replay:${cassette(home, [])}`, "-e", "rules.ts", "/rules"];
      const { stdout, stderr } = await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
      assertMatch(stderr, NOT_GRANTED);
      assertStringIncludes(mode === "text" ? stderr : stdout, "rules: none");
    });
  });
}

Deno.test("createAgent() asks askGrant once for each content of an extension, before it is loaded", async () => {
  await inWorkspace({ "rules.md": "tabs" }, async ({ ws, home }) => {
    const folder = join(home, ".sandpiper/agent/extensions");
    Deno.mkdirSync(folder, { recursive: true });
    Deno.writeTextFileSync(join(folder, "rules.ts"), RULES);
    const asked: GrantRequest[] = [];
    const said: string[] = [];
    await using agent = await createAgent({
      ...{ cwd: ws, env: { HOME: home }, model: `replay:${cassette(home, [])}`, tools: [], sandbox: "off" },
      extensionFiles: true,
      askGrant: (request) => {
        asked.push(request);
        return Promise.resolve(asked.length === 1 ? "once" : "no");
      },
    });
    agent.subscribe((event) => event.type === "notice" && said.push(event.message));
    await agent.prompt({ text: "/rules", source: "rpc" });
    await agent.reload();
    await agent.reload();
    await agent.prompt({ text: "/rules", source: "rpc" });
    const question = { name: "rules", path: join(folder, "rules.ts"), wants: { read: ["rules.md"] } };
    assertEquals(asked.map(({ hash: _, ...rest }) => rest), [question, question]);
    assert(asked[0]?.hash === asked[1]?.hash);
    assertEquals(said.filter((text) => text.includes("rules: ") && !text.includes("runs without")), [
      "rules: rules: tabs",
      "rules: rules: none",
    ]);
  });
});
