// A process that goes on with the session it is given, as fast as it can, and says after each entry that it is kept.
// Its standard input names the session's file, or the folder of a new one.
import { untouchedFiles } from "../../src/sandbox/names/named_files.ts";
import { createSession } from "../../src/session/store.ts";
import { openSession } from "../../src/session/reopen.ts";
import { reply, said, user } from "./world.ts";

const { path, folder } = await new Response(Deno.stdin.readable).json();
const options = {
  now: Date.now,
  random: Math.random,
  files: untouchedFiles,
  onFailure: (failure: Error) => {
    throw failure;
  },
};
const session = path === undefined ? createSession({ cwd: "/w", folder }, options) : openSession(path, options);
const out = new TextEncoder();
for (let i = 0;; i++) {
  // From a few bytes to more than a pipe or a page holds.
  const text = "x".repeat((i * 7919) % 20_000);
  const { id } = session.append(said(i % 5 === 0 ? user(text) : reply(text)));
  Deno.stdout.writeSync(out.encode(`${id} ${session.path}\n`));
}
