import { assertEquals } from "@std/assert";
import { serverWords } from "../../src/config/project_servers.ts";

Deno.test("serverWords() is one line that steers no terminal, whatever a project's file holds", () => {
  const cases = [
    [{ command: "npx", args: ["-y", "x@1"] }, "npx -y x@1"],
    [{ command: "true", args: ["x\nwarning: all is well", "\x1b]0;t\x07\u202ey"] }, "true x warning: all is well y"],
    [{ url: "https://a.example/\r\nerror: none" }, "https://a.example/ error: none"],
    [{ command: "a".repeat(2_000) }, `${"a".repeat(1_000)}…`],
  ] as const;
  for (const [server, words] of cases) assertEquals(serverWords(server), words);
});
