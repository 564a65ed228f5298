import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** Runs a program in which nothing of the vendors' packages can be loaded; what it printed. */
async function runWithoutPackages(program: string): Promise<string> {
  const folder = Deno.makeTempDirSync({ prefix: "sp-packages-" });
  try {
    const config = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));
    Deno.writeTextFileSync(`${folder}/loaded.ts`, 'throw new Error("a module of a package was loaded");\n');
    const none = Object.fromEntries(["openai", "openai/", "@anthropic-ai/sdk", "@anthropic-ai/sdk/"].map((name) => [
      name,
      name.endsWith("/") ? `${folder}/none/` : `${folder}/loaded.ts`,
    ]));
    Deno.writeTextFileSync(
      `${folder}/deno.json`,
      JSON.stringify({ imports: { ...config.imports, ...none }, unstable: config.unstable, nodeModulesDir: "none" }),
    );
    Deno.writeTextFileSync(`${folder}/program.ts`, program);
    const args = ["run", "--quiet", "--no-lock", "--no-prompt", "--no-check", "--config", `${folder}/deno.json`];
    const permissions = ["--allow-net=127.0.0.1", "--allow-read", "--allow-env"];
    const command = new Deno.Command(Deno.execPath(), { args: [...args, ...permissions, `${folder}/program.ts`] });
    const { stdout, stderr } = await command.output();
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("the adapters load no module of the packages that give them their types, be it for a reply or a refusal", async () => {
  const said = await runWithoutPackages(`
    import { openProvider } from "${ROOT}/src/provider/mod.ts";
    let status = 200;
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) =>
      status === 200
        ? Response.json(
          request.url.endsWith("/messages") ? { content: [{ type: "text", text: "yes" }], stop_reason: "end_turn" }
            : request.url.endsWith("/responses") ? { output: [{ type: "message", content: [{ type: "output_text", text: "yes" }] }], status: "completed" }
            : { choices: [{ message: { content: "yes" }, finish_reason: "stop" }] })
        : Response.json({ error: { message: "no" } }, { status }));
    for (const api of ["chat", "responses", "anthropic"]) {
      const provider = await openProvider(api, { baseUrl: "http://127.0.0.1:" + server.addr.port + "/v1", apiKey: "k", model: "m" });
      for (status of [200, 400]) {
        const messages = [{ role: "user", content: "hi", timestamp: 1 }];
        const request = { system: { stable: "s", dynamic: "" }, messages, tools: [], thinking: "off" };
        for await (const event of provider.stream(request, new AbortController().signal)) {
          if (event.type === "end") console.log(api, event.message.stopReason, event.message.failure?.status ?? "");
        }
      }
    }
    await server.shutdown();
  `);
  assertEquals(said.split("\n").map((line) => line.trim()).filter(Boolean), [
    "chat stop",
    "chat error 400",
    "responses stop",
    "responses error 400",
    "anthropic stop",
    "anthropic error 400",
  ]);
});

Deno.test("the packages cannot be loaded where that is shown", async () => {
  for (const name of ["openai", "@anthropic-ai/sdk", "openai/core/error", "@anthropic-ai/sdk/resources/messages"]) {
    const said = await runWithoutPackages(`await import(${JSON.stringify(name)}); console.log("loaded");`);
    assert(/error/i.test(said) && !/^loaded$/m.test(said), `${name}: ${said}`);
  }
});
