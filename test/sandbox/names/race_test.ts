import { assert, assertEquals } from "@std/assert";
import { createNamedFiles } from "../../../src/sandbox/names/named_files.ts";
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

Deno.test("a process that swaps directories and files for links leads no read and no write out of the workspace", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const [ws, home] = [`${top}/ws`, `${top}/home`];
  Deno.mkdirSync(`${ws}/dir`, { recursive: true });
  Deno.mkdirSync(home);
  Deno.writeTextFileSync(`${ws}/dir/key`, "inside");
  Deno.writeTextFileSync(`${ws}/file`, "inside");
  Deno.writeTextFileSync(`${home}/key`, "KEY");
  Deno.writeTextFileSync(`${top}/swap.ts`, SWAP);
  const files = createNamedFiles({ roots: [ws], whyDenied: () => undefined });
  const args = ["run", "--quiet", "-A", `${top}/swap.ts`, ws, home];
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped", stderr: "null" }).spawn();
  try {
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    let [read, written] = [0, 0];
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch { /* a link was in the way, or nothing */ }
    };
    for (let round = 0; round < rounds(400); round++) {
      for (const path of [`${ws}/dir/key`, `${ws}/file`]) {
        attempt(() => {
          const bytes = files.read(files.find(path, { access: "read", typed: true }), 100);
          assertEquals(new TextDecoder().decode(bytes) === "KEY", false);
          read++;
        });
      }
      for (const path of [`${ws}/dir/new`, `${ws}/file`]) {
        attempt(() => {
          files.replace(files.find(path, { access: "write", typed: true }), new TextEncoder().encode("inside"), 0o644);
          written++;
        });
        attempt(() => {
          using file = files.append(files.find(path, { access: "write", typed: true }), 0o600);
          file.writeSync(new Uint8Array());
          written++;
        });
      }
    }
    assert(read > 0 && written > 0, "every attempt was in vain");
    assertEquals(Deno.readTextFileSync(`${home}/key`), "KEY");
    assertEquals([...Deno.readDirSync(home)].map(({ name }) => name), ["key"]);
  } finally {
    child.kill("SIGKILL");
    await child.status;
    Deno.removeSync(top, { recursive: true });
  }
});
