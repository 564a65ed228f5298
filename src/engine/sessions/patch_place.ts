// Where the patches of a session lie: beside its file, out of the reach of tools.
import { basename, dirname, join } from "@std/path";
import { UserError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import type { Config } from "../../config/config.ts";
import { resumable } from "./resumed_session.ts";

/** A path that no patch of the session has yet; undefined where the session is not kept. */
export function newPatchPath(session: string | undefined): string | undefined {
  if (session === undefined) return undefined;
  const numbers = patchesOf(session).map(({ number }) => number);
  const next = Math.max(0, ...numbers) + 1;
  return `${stem(session)}${next === 1 ? "" : `.${next}`}.patch`;
}

/** The newest patch of a session: its id, the beginning of one, a file or `latest`. Throws UserError where there is none. */
export function newestPatch(config: Config, which: string): string {
  const session = resumable(which, config);
  const newest = patchesOf(session).sort((a, b) => b.number - a.number)[0];
  if (newest) return newest.path;
  throw new UserError({
    what: "There is nothing to apply",
    why: `no trial of the session ${/_(.+)\.jsonl$/.exec(basename(session))?.[1] ?? which} left a patch beside it`,
    fix: "Name the file that --patch wrote, or another session: sandpiper apply ID",
  });
}

function stem(session: string): string {
  return session.replace(/\.jsonl$/, "");
}

/** The patches of a session, by the path of its file. */
export function patchesOf(session: string): { readonly path: string; readonly number: number }[] {
  const [folder, start] = [dirname(session), basename(stem(session))];
  const names = attempt(() => [...Deno.readDirSync(folder)].map(({ name }) => name)) ?? [];
  return names.flatMap((name) => {
    if (!name.startsWith(start)) return [];
    const [, number] = /^(?:\.(\d{1,6}))?\.patch$/.exec(name.slice(start.length)) ?? ["", "none"];
    return number === "none" ? [] : [{ path: join(folder, name), number: Number(number ?? 1) }];
  });
}
