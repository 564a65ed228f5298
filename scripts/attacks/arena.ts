// The world that a column's attacks run in: decoy secrets, a repository, listeners and a victim process, all fresh.
import { join } from "@std/path";
import { attempt, must } from "./command.ts";
import { asWhom, type Column, columnName, USER_ID } from "./column.ts";
import type { Program } from "./programs.ts";

/** Folders and environment of one column. */
export interface Arena {
  readonly ws: string;
  readonly out: string;
  readonly home: string;
  /** Port of the server that answers on loopback. */
  readonly tcp: string;
  /** The environment of the program, with the secret in it as a real key would be. */
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** Builds the arena of a column below `base` with the corpus's own script. */
export async function openArena(column: Column, program: Program, corpus: string, base: string): Promise<Arena> {
  const top = join(base, columnName(column).replaceAll("/", "-"));
  const [ws, out, home, cache] = [join(top, "ws"), join(top, "out"), join(top, "home"), join(top, "xdg-cache")];
  for (const folder of [top, home, cache]) await Deno.mkdir(folder, { mode: 0o755 });
  if (column.who === "user") await must(["chown", "-R", `${USER_ID}:${USER_ID}`, top]);
  const plain = { PATH: pathOf(column), HOME: home, LANG: "C.UTF-8", XDG_CACHE_HOME: cache };
  const who = asWhom(column.who);
  // Into a file: the listeners that it leaves behind hold its output for as long as they live.
  const quiet = ["sh", "-c", `exec "$@" > '${top}/setup.log' 2>&1`, "sh"];
  await must([...who, ...quiet, "bash", join(corpus, "setup.sh"), ws, out, home], { clearEnv: true, env: plain });
  const secret = (await Deno.readTextFile(join(out, ".secret_for_harness"))).trim();
  const tcp = /^TCP=(\d+)$/m.exec(await Deno.readTextFile(join(out, "ports")))?.[1] ?? "";
  const envFile = join(ws, "attack.env");
  const facts = {
    ATK_STOP_PID: String(Deno.pid),
    ATK_PROGRAM: program.files[0] ?? "",
    ATK_PROGRAM_FILES: program.files.join(" "),
    ATK_XDG_CACHE: cache,
  };
  const lines = Object.entries(facts).map(([name, value]) => `${name}='${value}'; export ${name}\n`);
  await Deno.writeTextFile(envFile, lines.join("") + await Deno.readTextFile(envFile));
  return {
    ws,
    out,
    home,
    tcp,
    env: { ...plain, ...program.env, TERM: "xterm", OPENAI_API_KEY: secret, MY_SERVICE_TOKEN: secret },
    close: async () => {
      await attempt([...who, "bash", join(corpus, "teardown.sh"), ws, out], { clearEnv: true, env: plain });
      await attempt(["rm", "-rf", top]);
    },
  };
}

/** Toolchains in root's home are none of the ordinary user's. */
function pathOf(column: Column): string {
  const own = Deno.env.get("PATH");
  return column.who === "user" || own === undefined ? "/usr/local/bin:/usr/bin:/bin" : own;
}
