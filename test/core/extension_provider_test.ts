import { assertEquals } from "@std/assert";
import { readExtensionProvider } from "../../src/core/hook.ts";

const READ: readonly (readonly [string, ReturnType<typeof readExtensionProvider>])[] = [
  [
    "mine chat https://models.example.com/v1 MINE_KEY",
    { name: "mine", api: "chat", baseUrl: "https://models.example.com/v1", keyEnv: "MINE_KEY" },
  ],
  ["m-2 responses https://a.test:8443//", { name: "m-2", api: "responses", baseUrl: "https://a.test:8443" }],
  ["m anthropic https://a.test/x/", { name: "m", api: "anthropic", baseUrl: "https://a.test/x" }],
  ["m chat http://127.0.0.1:8080/v1", { name: "m", api: "chat", baseUrl: "http://127.0.0.1:8080/v1" }],
  ["m chat http://localhost", { name: "m", api: "chat", baseUrl: "http://localhost" }],
];
for (const [line, provider] of READ) {
  Deno.test(`readExtensionProvider() reads ${line}`, () => assertEquals(readExtensionProvider(line), provider));
}

const REFUSED: readonly (readonly [what: string, line: string])[] = [
  ["http elsewhere than on this machine", "m chat http://a.test/v1"],
  ["a host that only begins like this machine", "m chat http://localhost.evil.test/v1"],
  ["a host that only begins like its address", "m chat http://127.0.0.1.evil.test/v1"],
  ["a name and a password", "m chat https://user:pass@a.test/v1"],
  ["a variable in the address", "m chat https://{HOST}/v1"],
  ["a query", "m chat https://a.test/v1?key=1"],
  ["a fragment", "m chat https://a.test/v1#x"],
  ["another protocol", "m ftp https://a.test/v1"],
  ["an address of another kind", "m chat file:///etc/passwd"],
  ["an address that is none", "m chat https://[::/v1"],
  ["a name with capitals", "Mine chat https://a.test/v1"],
  ["a name with a slash", "a/b chat https://a.test/v1"],
  ["a name of 65 characters", `${"m".repeat(65)} chat https://a.test/v1`],
  ["a variable in small letters", "m chat https://a.test/v1 path"],
  ["two variables", "m chat https://a.test/v1 A_KEY B_KEY"],
  ["more lines than one", "m chat https://a.test/v1\nn chat https://b.test/v1"],
  ["blanks around it", " m chat https://a.test/v1 "],
  ["nothing", ""],
];
for (const [what, line] of REFUSED) {
  Deno.test(`readExtensionProvider() reads nothing out of a line with ${what}`, () => {
    assertEquals(readExtensionProvider(line), undefined);
  });
}
