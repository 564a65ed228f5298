import { assertEquals } from "@std/assert";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { openProcessPool } from "../../../src/sandbox/pool/pool.ts";
import { openShell } from "../../../src/sandbox/shell/shell.ts";
import { CONFINED, exists, withShell } from "../shell_fixture.ts";

/** A removal loses the race against a process now and then; one of these wins it. */
const ATTEMPTS = 12;

for (const level of CONFINED) {
  Deno.test(`a command at ${level} runs, once and confined, when a granted folder went away while its process started`, () =>
    withShell(level, async ({ policy: base }) => {
      const extra = `${base.root}-extra`;
      const outside = `${base.root}-outside`;
      Deno.mkdirSync(outside);
      const list = [...base.write.list, extra];
      const policy = { ...base, write: { all: false, list } };
      const spares = openProcessPool(policy, thisProgram());
      const shell = openShell(policy, spares);
      try {
        for (let i = 0; i < ATTEMPTS; i++) {
          Deno.mkdirSync(extra);
          spares.expect();
          Deno.removeSync(extra);
          const { output, exitCode } = await shell(
            `echo run ${i} >> log; touch ${outside}/x 2>/dev/null || echo confined`,
            {
              timeoutMs: 30_000,
              signal: new AbortController().signal,
              onOutput: () => {},
            },
          );
          assertEquals([exitCode, output.trim()], [0, "confined"]);
        }
        const lines = Deno.readTextFileSync(`${policy.root}/log`).trimEnd().split("\n");
        assertEquals(lines, Array.from({ length: ATTEMPTS }, (_, i) => `run ${i}`));
        assertEquals(exists(`${outside}/x`), false);
      } finally {
        await shell.close();
      }
    }));
}
