import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { whyNoHostList } from "../../../src/sandbox/notification/host_list.ts";
import { CHECKED_CALLS } from "../../../src/sandbox/seccomp/table.ts";

const ignore = Deno.build.os !== "linux" || probeSandbox().landlockAbi < 4;

Deno.test("whyNoHostList() wants a Landlock that denies TCP, so that a dead host opens nothing", () => {
  for (const abi of [0, 1, 3]) assertMatch(whyNoHostList(abi) ?? "", /Landlock ABI 4 .* is needed/);
});

Deno.test({
  name: "whyNoHostList() says why calls cannot be answered here",
  ignore: ignore || whyNoHostList(4) !== undefined,
  fn: async () => {
    const self = thisProgram();
    const config = self.args[self.args.indexOf("--config") + 1] ?? "";
    const flags = ["run", "-A", "--no-prompt", "--no-check", "--cached-only", "--config", config];
    const without = fromFileUrl(new URL("../without_calls.ts", import.meta.url));
    const module = new URL("../../../src/sandbox/notification/host_list.ts", import.meta.url).href;
    const script = `console.log((await import(${JSON.stringify(module)})).whyNoHostList(4))`;
    for (
      const [errno, why] of [
        [22, "the kernel is older than 5.19"],
        [16, "this program runs in a sandbox that asks about calls already"],
        [1, "a seccomp filter, probably the container's"],
        [38, "a seccomp filter, probably the container's"],
        [12, "the kernel answers ENOMEM"],
      ] as const
    ) {
      const number = String(CHECKED_CALLS.seccomp[Deno.build.arch]);
      const inner = [Deno.execPath(), "eval", "--no-check", "--config", config, script];
      const args = [...flags, without, number, String(errno), ...inner];
      const { stdout } = await new Deno.Command(Deno.execPath(), { args, env: self.env, clearEnv: true }).output();
      assertEquals(new TextDecoder().decode(stdout).slice(0, why.length), why);
    }
  },
});
