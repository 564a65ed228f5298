import { assert, assertEquals } from "@std/assert";
import { rounds } from "../../helpers/rounds.ts";

const SWAP = `
const [ws, home] = Deno.args;
console.log("ready");
for (;;) {
  try { Deno.renameSync(ws + "/dir", ws + "/aside"); } catch { /* it is the link */ }
  try { Deno.symlinkSync(home, ws + "/dir"); Deno.removeSync(ws + "/dir"); } catch { /* the directory is back */ }
  try { Deno.renameSync(ws + "/aside", ws + "/dir"); } catch { /* it is there */ }
  try { Deno.symlinkSync(home + "/key", ws + "/file.new"); Deno.renameSync(ws + "/file.new", ws + "/file"); } catch { /* next */ }
  try { Deno.writeTextFileSync(ws + "/plain", "inside"); Deno.renameSync(ws + "/plain", ws + "/file"); } catch { /* next */ }
}`;

/** What a program has that embeds this one: everything, or not enough to hold a directory. */
const PERMISSIONS = { "all": ["-A"], "few": ["--allow-read", "--allow-write", "--allow-env", "--allow-sys"] };

for (const [permissions, flags] of Object.entries(PERMISSIONS)) {
  Deno.test(`a process that swaps directories and files for links leads nothing out of the workspace (${permissions} permissions)`, async () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync());
    const [ws, home] = [`${top}/ws`, `${top}/home`];
    Deno.mkdirSync(`${ws}/dir`, { recursive: true });
    Deno.mkdirSync(home);
    Deno.writeTextFileSync(`${ws}/dir/key`, "inside");
    Deno.writeTextFileSync(`${ws}/file`, "inside");
    Deno.writeTextFileSync(`${home}/key`, "KEY");
    Deno.writeTextFileSync(`${top}/swap.ts`, SWAP);
    const args = ["run", "--quiet", "-A", `${top}/swap.ts`, ws, home];
    const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped", stderr: "null" }).spawn();
    try {
      const reader = child.stdout.getReader();
      await reader.read();
      await reader.cancel();
      const program = new URL("race.ts", import.meta.url).pathname;
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "--no-check", "--no-prompt", ...flags, program, ws, String(rounds(400))],
      }).output();
      const [printed, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      const { read, written, sessions, keys } = JSON.parse(printed || `{"error": ${JSON.stringify(errors)}}`);
      assert(
        read > 0 && written > 0 && (sessions > 0) === (permissions === "all"),
        `every attempt was in vain: ${printed}${errors}`,
      );
      assertEquals(keys, 0);
      assertEquals(Deno.readTextFileSync(`${home}/key`), "KEY");
      assertEquals([...Deno.readDirSync(home)].map(({ name }) => name), ["key"]);
    } finally {
      child.kill("SIGKILL");
      await child.status;
      Deno.removeSync(top, { recursive: true });
    }
  });
}
