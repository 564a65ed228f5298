import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const module = fromFileUrl(new URL("../../../src/sandbox/confine/harden_host.ts", import.meta.url));
const ffi = fromFileUrl(new URL("../../../src/sandbox/system/ffi.ts", import.meta.url));

/** Runs a script as a process of its own: the setting cannot be taken back. */
function inProcess(script: string): string {
  const { stdout } = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", script],
    env: { NO_COLOR: "1" },
  }).outputSync();
  return new TextDecoder().decode(stdout).trim();
}

Deno.test({
  name: "hardenHost() makes the process undumpable and forbids core files R438",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const look = `const { systemCall } = await import("${ffi}"); const PR_GET_DUMPABLE = 3;
      const core = /core file size +(\\d+)/.exec(Deno.readTextFileSync("/proc/self/limits"))?.[1];
      console.log(systemCall("prctl", PR_GET_DUMPABLE), core);`;
    const harden = `const { hardenHost } = await import("${module}"); hardenHost();`;
    assertEquals(inProcess(harden + look), "0 0");
    assertEquals(inProcess(look).startsWith("1 "), true);
  },
});
