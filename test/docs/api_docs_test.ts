import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const root = fromFileUrl(new URL("../..", import.meta.url));

Deno.test("src/mod.ts and src/hooks/api/api.ts: everything that programs and extensions see is documented and can be named", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", "src/mod.ts", "src/hooks/api/api.ts"],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdout: "null",
  }).output();
  const problems = new TextDecoder().decode(stderr).split("\n").filter((line) => /^error|-->/.test(line));
  assertEquals([code, problems], [0, []]);
});
