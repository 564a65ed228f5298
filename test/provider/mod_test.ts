import { assertEquals, assertRejects } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import { hostOf, isPrivateHost } from "../../src/provider/endpoint/connection.ts";
import { openProvider } from "../../src/provider/mod.ts";
import { collect, requestOf, saying, serve } from "./wire_server.ts";

Deno.test("openProvider() opens a provider by the name of its API", async () => {
  await using server = serve(saying("ok"));
  const provider = await openProvider("chat", { baseUrl: server.url, apiKey: "k", model: "m" });
  assertEquals([provider.name, provider.model], ["openai", "m"]);
  assertEquals((await collect(provider, requestOf())).message.stopReason, "stop");
  assertEquals((await openProvider("responses", { apiKey: "k", model: "m" })).model, "m");
});

const WRONG: readonly { name: string; api: string; config: Parameters<typeof openProvider>[1]; says: string }[] = [
  { name: "an unknown API", api: "telnet", config: { model: "m" }, says: "chat, responses, anthropic" },
  { name: "no model", api: "chat", config: {}, says: "no model is set" },
  {
    name: "an address that is none",
    api: "chat",
    config: { model: "m", baseUrl: "localhost:1234" },
    says: "not an http",
  },
  {
    name: "an address without a scheme",
    api: "chat",
    config: { model: "m", baseUrl: "my server" },
    says: "not an http",
  },
];
for (const { name, api, config, says } of WRONG) {
  Deno.test(`openProvider() refuses ${name} with a way out`, async () => {
    await assertRejects(() => openProvider(api, config), UserError, says);
  });
}

const HOSTS: readonly (readonly [string, boolean])[] = [
  ["http://127.0.0.1:8080/v1", true],
  ["http://localhost:1234/v1", true],
  ["http://[::1]:1/v1", true],
  ["http://[fd00::1]/v1", true],
  ["http://192.168.1.5/v1", true],
  ["http://172.20.0.3/v1", true],
  ["http://gpu-box/v1", true],
  ["http://box.local/v1", true],
  ["https://api.openai.com/v1", false],
  ["http://172.40.0.3/v1", false],
  ["https://10.evil.test/v1", false],
  ["nonsense", false],
];
for (const [url, expected] of HOSTS) {
  Deno.test(`isPrivateHost() says ${expected} for ${hostOf(url)}`, () => assertEquals(isPrivateHost(url), expected));
}
