// A host that is killed by whoever started it: starts a command in its shell, says so, and waits.
import { recordSession } from "../../../src/engine/sessions/session_record.ts";
import { SESSION_VARIABLE } from "../../../src/sandbox/process/leftovers.ts";
import { LEVELS, withShell } from "../shell_fixture.ts";

const [wanted = "", sleep = "", session = "", cache = ""] = Deno.args;
const level = LEVELS.find((name) => name === wanted);
if (level === undefined) throw new Error(`no level ${wanted}`);
recordSession(cache, session);
await withShell(
  level,
  async ({ shell }) => {
    const deaf =
      `trap '' TERM HUP INT; setsid -f sleep ${sleep} >/dev/null 2>&1; (sleep ${sleep} &); sleep ${sleep}; :`;
    const call = shell(`touch ready; ${deaf}`, {
      timeoutMs: 60_000,
      signal: AbortSignal.timeout(60_000),
      onOutput() {},
    });
    await shell.background.start(`env -u NOTHING sleep ${sleep}; :`);
    console.log("ready");
    await call;
  },
  {},
  { [SESSION_VARIABLE]: session },
);
