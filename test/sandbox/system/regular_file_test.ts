import { assert, assertEquals, assertThrows } from "@std/assert";
import { readRegular } from "../../../src/sandbox/system/regular_file.ts";
import { statesOf } from "../../../src/sandbox/tripwire/state.ts";
import { inFolder } from "../folder.ts";

const linux = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "readRegular() gives a file's bytes up to the limit, and nothing of anything else",
  linux,
  () =>
    inFolder((folder) => {
      Deno.writeTextFileSync(`${folder}/file`, "abc");
      Deno.writeTextFileSync(`${folder}/empty`, "");
      Deno.symlinkSync("file", `${folder}/link`);
      new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).outputSync();
      assertEquals(readRegular(`${folder}/file`, 3), new TextEncoder().encode("abc"));
      assertEquals(readRegular(`${folder}/empty`, 0), new Uint8Array());
      assertEquals(readRegular(`${folder}/file`, 2), undefined);
      // Opening it the usual way would wait for somebody who writes.
      assertEquals(readRegular(`${folder}/pipe`, 9), undefined);
      assertEquals(readRegular("/dev/zero", 9), undefined);
      assertEquals(readRegular(folder, 9), undefined);
      assertThrows(() => readRegular(`${folder}/link`, 9));
      assertThrows(() => readRegular(`${folder}/missing`, 9));
    }),
);

Deno.test(
  "statesOf() neither waits for a pipe nor follows a link that takes a file's place again and again",
  linux,
  () =>
    inFolder(async (folder) => {
      Deno.writeTextFileSync(`${folder}/secret`, "secret");
      const swap = `cd '${folder}'; mkfifo pipe; ln -s secret link; echo x > file; : > begun; ` +
        "while :; do for f in pipe link file; do mv -T $f .envrc; mv -T .envrc $f; done; done";
      const swapper = new Deno.Command("bash", { args: ["-c", swap], stdin: "null", stderr: "null" }).spawn();
      try {
        const kinds = new Set<string>();
        for (const end = performance.now() + 1_000; performance.now() < end;) {
          const state = statesOf([`${folder}/.envrc`]).get(`${folder}/.envrc`);
          kinds.add(state?.kind ?? "none");
          if (state?.kind === "file" && state.bytes) assertEquals(new TextDecoder().decode(state.bytes), "x\n");
        }
        assert(kinds.size > 1, [...kinds].join());
      } finally {
        swapper.kill("SIGKILL");
        await swapper.status;
      }
    }),
);
