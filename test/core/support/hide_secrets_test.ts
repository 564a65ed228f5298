import { assertEquals } from "@std/assert";
import { hideSecrets, holdsSecret } from "../../../src/core/support/hide_secrets.ts";

Deno.test("hideSecrets() takes a secret out wherever it is, a short one where it is the whole text", () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ["k", ["k"], "[key]"],
    [" k\n", ["k"], "[key]"],
    ["ok, ask", ["k"], "ok, ask"],
    ["run ollama", ["ollama"], "run ollama"],
    ["my hunter2.", ["hunter2"], "my [key]."],
    ["sk-1234567-more and sk-1234567", ["sk-1234567", "sk-1234567-more"], "[key] and [key]"],
    [String.raw`{"key":"a\"b\\c-1234"}`, [String.raw`a"b\c-1234`], '{"key":"[key]"}'],
    ["nothing", ["", ""], "nothing"],
  ];
  for (const [text, secrets, wanted] of cases) assertEquals(hideSecrets(text, secrets), wanted, text);
  assertEquals(hideSecrets("not abc12, abc", ["abc12", "abc"], 4), "not [key], abc");
});

Deno.test("holdsSecret() finds a short secret as a word of its own", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["Bearer k", "k", true],
    ["token=k", "k", true],
    ["/usr/bin:/opt/ollama/bin", "ollama", false],
    ["ask", "k", false],
    ["xsk-12345678x", "sk-12345678", true],
    ["", "", false],
  ];
  for (const [value, secret, wanted] of cases) assertEquals(holdsSecret(value, [secret]), wanted, value);
});
