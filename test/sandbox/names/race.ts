// Reads and writes names that another process swaps for links: the program of race_test.ts, with all of Deno's permissions, as
// the compiled binary has them. Arguments: the workspace and the number of rounds. Prints how often it succeeded.
import { createSession } from "../../../src/session/store.ts";
import { openSession } from "../../../src/session/reopen.ts";
import { createNamedFiles } from "../../../src/sandbox/names/named_files.ts";

if (import.meta.main) {
  const [ws = "", rounds] = Deno.args;
  const files = createNamedFiles({ roots: [ws], whyDenied: () => undefined });
  const done = { read: 0, written: 0, sessions: 0, keys: 0 };
  const options = { now: Date.now, random: Math.random, files, onFailure: () => {} };
  const message = { type: "message", message: { role: "user", content: "a", timestamp: 1 } } as const;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch { /* a link was in the way, or nothing */ }
  };
  for (let round = 0; round < Number(rounds); round++) {
    for (const path of [`${ws}/dir/key`, `${ws}/file`]) {
      attempt(() => {
        const bytes = files.read(files.find(path, { access: "read", typed: true }), 100);
        if (new TextDecoder().decode(bytes) === "KEY") done.keys++;
        done.read++;
      });
    }
    for (const path of [`${ws}/dir/new`, `${ws}/file`]) {
      attempt(() => {
        files.replace(files.find(path, { access: "write", typed: true }), new TextEncoder().encode("inside"), 0o644);
        done.written++;
      });
      attempt(() => {
        using file = files.append(files.find(path, { access: "write", typed: true }), 0o600);
        file.writeSync(new Uint8Array());
        done.written++;
      });
    }
    attempt(() => {
      const session = createSession({ cwd: ws, folder: `${ws}/dir/sessions` }, options);
      session.append(message);
      session.close();
      if (session.path === undefined) return;
      const again = openSession(session.path, options);
      again.append(message);
      again.close();
      done.sessions++;
    });
  }
  console.log(JSON.stringify(done));
}
