// A folder that is made for a grant, while a command that may write around it puts a link in the way.
import { assert, assertEquals } from "@std/assert";
import { makeGrantedFolder } from "../../../src/sandbox/denial/granted_folders.ts";
import { needs } from "../../helpers/needs.ts";
import { rounds } from "../../helpers/rounds.ts";
import { until } from "../../helpers/until.ts";

/** renameat2(2) with RENAME_EXCHANGE: both names are there at every moment. */
const SWAP = `
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
a, b = sys.argv[1].encode(), sys.argv[2].encode()
print("swapping", flush=True)
while True: libc.renameat2(-100, a, -100, b, 2)
`;

Deno.test({
  ...needs(
    ["python3"],
    "makeGrantedFolder() makes nothing behind a link that is put in its way at any moment",
    Deno.build.os !== "linux",
  ),
  fn: async () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-granted-" }));
    for (const name of ["ws", "ws/d", "outside"]) Deno.mkdirSync(`${top}/${name}`);
    Deno.symlinkSync(`${top}/outside`, `${top}/ws/e`);
    const args = ["-c", SWAP, `${top}/ws/d`, `${top}/ws/e`];
    await using swapper = new Deno.Command("python3", { args, stdout: "piped" }).spawn();
    try {
      const reader = swapper.stdout.getReader();
      assert((await reader.read()).value);
      let made = 0;
      for (let round = 0; round < rounds(4000); round++) {
        if (makeGrantedFolder(`${top}/ws/d/${round}/in`) === undefined) made++;
      }
      await until(() => makeGrantedFolder(`${top}/ws/d/last`) === undefined);
      assert(made > 0);
      assertEquals([...Deno.readDirSync(`${top}/outside`)], []);
      await reader.cancel();
    } finally {
      swapper.kill("SIGKILL");
      await swapper.status;
      Deno.removeSync(top, { recursive: true });
    }
  },
});
