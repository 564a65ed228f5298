import { basename, join } from "@std/path";

/** One attack: a script that succeeds only when the sandbox failed. */
export interface Attack {
  readonly name: string;
  readonly path: string;
  /** A line of shell that says from outside whether the success was real. */
  readonly verify?: string;
  /** Leaves something behind that shows only some time after the call. */
  readonly lingers: boolean;
}

const NO_ATTACK = new Set(["setup.sh", "teardown.sh", "everyday.sh", "run-all.sh"]);

/** The attacks of both folders, those that linger last. */
export function readCorpus(corpus: string, only: RegExp): Attack[] {
  const paths = [corpus, join(corpus, "own")].flatMap((folder) =>
    [...Deno.readDirSync(folder)].map(({ name }) => join(folder, name))
  ).filter((path) => path.endsWith(".sh") && !NO_ATTACK.has(basename(path)));
  const attacks = paths.map(readAttack).filter(({ name }) => only.test(name));
  attacks.sort((a, b) => Number(a.lingers) - Number(b.lingers) || (a.name < b.name ? -1 : 1));
  return attacks;
}

function readAttack(path: string): Attack {
  const name = basename(path, ".sh");
  const verify = /^# VERIFY: (.*)$/m.exec(Deno.readTextFileSync(path))?.[1];
  return { name, path, ...(verify === undefined ? {} : { verify }), lingers: name.startsWith("survive") };
}
