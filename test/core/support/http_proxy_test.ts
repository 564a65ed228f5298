import { assertEquals } from "@std/assert";
import { connectionCause } from "../../../src/core/support/connection_cause.ts";
import { exceptions, proxyFor } from "../../../src/core/support/http_proxy.ts";

const of = (address: string, env: Readonly<Record<string, string>>) => proxyFor(address, (name) => env[name]);

Deno.test("proxyFor() is the proxy of the address's scheme, in upper or lower case, else that of all", () => {
  const cases: readonly (readonly [string, Record<string, string>, string | undefined])[] = [
    ["http://a.example/", { HTTP_PROXY: "http://p:1" }, "p:1 HTTP_PROXY"],
    ["https://a.example/", { HTTP_PROXY: "http://p:1" }, undefined],
    ["https://a.example/", { https_proxy: "http://p:1" }, "p:1 https_proxy"],
    ["https://a.example/", { HTTPS_PROXY: "http://q:2", all_proxy: "http://p:1" }, "q:2 HTTPS_PROXY"],
    ["http://a.example/", { ALL_PROXY: "socks5://p:1" }, "socks5://p:1 ALL_PROXY"],
    ["http://a.example/", { HTTP_PROXY: "proxy.corp:8080" }, "proxy.corp:8080 HTTP_PROXY"],
    ["http://a.example/", { HTTP_PROXY: "http://user:secret@p:1/" }, "p:1 HTTP_PROXY"],
    ["http://a.example/", { HTTP_PROXY: "" }, undefined],
    ["http://a.example/", { HTTP_PROXY: "::::" }, undefined],
    ["no address", { HTTP_PROXY: "http://p:1" }, undefined],
  ];
  for (const [address, env, expected] of cases) {
    const found = of(address, env);
    assertEquals(found && `${found.address} ${found.variable}`, expected, `${address} ${JSON.stringify(env)}`);
  }
});

Deno.test("proxyFor() reaches this machine directly, and what NO_PROXY names in any form", () => {
  const direct = (address: string, list: string) =>
    of(address, { ALL_PROXY: "http://p:1", ...(list === "" ? {} : { no_proxy: list }) }) === undefined;
  for (
    const [address, list] of [
      ["http://127.0.0.1:8080/v1", ""],
      ["http://127.8.9.10/", ""],
      ["http://localhost:1234/", ""],
      ["http://api.localhost/", ""],
      ["http://[::1]:99/", ""],
      ["https://a.example/", "*"],
      ["https://10.1.2.3/", "*"],
      ["https://[fd00::1]/", "*"],
      ["https://10.1.2.3/", "192.168.0.0/16, 10.0.0.0/8"],
      ["https://10.1.2.3/", "10.1.2.3"],
      ["https://10.1.2.3:8443/", "10.1.2.3:8443"],
      ["https://llm.corp.example/", "corp.example"],
      ["https://llm.corp.example/", ".corp.example"],
      ["https://llm.corp.example/", "*.corp.example"],
      ["https://LLM.corp.example/", "llm.CORP.example:443 other"],
      ["https://[fd12:3456::9]/", "fd12:3456::/32"],
      ["https://[fd12::9]/", "[fd12::9]:443"],
    ] as const
  ) assertEquals(direct(address, list), true, `${address} ${list}`);
  for (
    const [address, list] of [
      ["https://a.example/", ""],
      ["https://evilcorp.example/", "corp.example"],
      ["https://10.1.2.3/", "10.2.0.0/16"],
      ["https://10.1.2.3/", "fd12::/16"],
      ["https://128.0.0.1/", ""],
    ] as const
  ) assertEquals(direct(address, list), false, `${address} ${list}`);
  assertEquals(exceptions((name) => name === "NO_PROXY" ? "*.a.b:80" : undefined).slice(0, 2), [".a.b", "localhost"]);
});

Deno.test("connectionCause() tells the server's faults from the proxy's, and no name of an exception", () => {
  const proxy = { address: "p:1", variable: "HTTPS_PROXY" };
  const fault = (text: string) =>
    new TypeError("fetch failed", { cause: new Error(`error sending request for url (https://a.example/): ${text}`) });
  const kinds = (proxied: boolean, text: string) => {
    const { kind, proxy: named, why } = connectionCause(fault(text), () => proxied ? proxy : undefined) ?? {};
    return [kind, named !== undefined, /Error|TypeError/.test(why ?? "")];
  };
  assertEquals(kinds(true, "client error (Connect): tcp connect error: Connection refused"), ["refused", true, false]);
  assertEquals(kinds(false, "client error (Connect): tcp connect error: Connection refused"), [
    "refused",
    false,
    false,
  ]);
  assertEquals(kinds(true, "client error (Connect): unsuccessful tunnel"), ["proxy_denied", true, false]);
  assertEquals(kinds(true, "client error (Connect): proxy authentication required"), ["proxy_login", true, false]);
  assertEquals(kinds(true, "invalid peer certificate: UnknownIssuer"), ["certificate", false, false]);
  assertEquals(kinds(false, "received corrupt message of type InvalidContentType"), ["plain", false, false]);
  assertEquals(kinds(false, "something new"), ["broken", false, false]);
  assertEquals(connectionCause(new Error("a file is missing")), undefined);
});
