import { assert } from "@std/assert";

const picture = new URL("../../scripts/picture.ts", import.meta.url).pathname;
const hasTmux = (() => {
  try {
    return new Deno.Command("tmux", { args: ["-V"], stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
})();
if (!hasTmux) console.log("tmux is not installed: docs/picture.svg is not compared with today's screen");

// Nine seconds of waiting for a screen that a person can read, half a second of work.
Deno.test({
  name: "docs/picture.svg shows what the binary shows today, or deno task picture makes it anew",
  ignore: !hasTmux,
  async fn() {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-prompt", picture, "--check"],
    }).output();
    assert(success, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  },
});
