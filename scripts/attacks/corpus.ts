import { basename, join } from "@std/path";

/** One attack: a script that succeeds only when the sandbox failed. */
export interface Attack {
  readonly name: string;
  readonly path: string;
  /** A line of shell that says from outside whether the success was real. */
  readonly verify?: string;
  /** Leaves something behind that shows only some time after the call. */
  readonly lingers: boolean;
  /** Whether it may run in a command with others: its exit code says all, and it neither takes all there is nor looks at its parents. */
  readonly sharesCommand: boolean;
}

/**
 * Do not share a command: those that take memory, processes or time until something stops them, after which nothing else would
 * begin, and one that looks at the network of all that ran before it.
 */
const ALONE = /proc-net|hog|many-processes|bomb|flood|fork|race|huge|hold|output|poison-host/;

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
  const text = Deno.readTextFileSync(path);
  const verify = /^# VERIFY: (.*)$/m.exec(text)?.[1];
  const lingers = name.startsWith("survive");
  // A shared command's own shell is one parent more, which the attack may do to what it likes.
  const sharesCommand = verify === undefined && !lingers && !ALONE.test(name) &&
    !/ATK_TARGETS|PPID|getppid/.test(text);
  return { name, path, ...(verify === undefined ? {} : { verify }), lingers, sharesCommand };
}
