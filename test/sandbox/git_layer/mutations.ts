// What may become of a layer that nobody wrote with git: every kind of file in it damaged, grown, swapped and renamed, by a seed.
import type { Seeded } from "../../helpers/seeded.ts";

const LINES = [
  "[core]\n\tfsmonitor = touch RAN\n\thooksPath = ../h\n\teditor = touch RAN\n",
  "[include]\n\tpath = ../evil\n",
  '[remote "x"]\n\turl = ext::sh -c touch% RAN\n',
  "exec touch RAN\n",
  "#!/bin/sh\ntouch RAN\n",
  "../../../outside/x\n",
  "ref: refs/heads/../../HEAD\n",
  "ref: refs/heads/nothing\n",
  `${"1".repeat(40)} refs/heads/../../config\n`,
  `${"1".repeat(40)} refs/replace/x\n`,
  "\0\0\0\0",
  "\xff\xfe\n",
  `${"a".repeat(100_000)}\n`,
  "-x\n",
];
const NAMES = [
  "hooks/post-checkout",
  "config",
  "config.worktree",
  "info/attributes",
  "info/grafts",
  "objects/info/alternates",
  "commondir",
  "gitdir",
  "shallow",
  "refs/replace/x",
  "refs/heads/-x",
  "refs/heads/main.lock",
  "refs/heads/x/y/z",
  "refs/heads/ä\n",
  "HEAD",
  "index",
  "index.lock",
  "packed-refs",
  "logs/HEAD",
  "logs/refs/heads/../../x",
  "MERGE_HEAD",
  "MERGE_MSG",
  "MERGE_RR",
  "ORIG_HEAD",
  "FETCH_HEAD",
  "BISECT_NAMES",
  "rebase-merge/git-rebase-todo",
  "rebase-merge/update-refs",
  "rebase-apply/applying",
  "sequencer/opts",
  "worktrees/x/gitdir",
  "modules/x/config",
  "sandpiper",
  "index.sandpiper-00000000",
];

type Mutation = (path: string, random: Seeded, upper: string) => void;

const write = (path: string, bytes: Uint8Array): void => Deno.writeFileSync(path, bytes);
const change = (path: string, edit: (bytes: Uint8Array) => Uint8Array): void =>
  write(path, edit(Deno.readFileSync(path)));
const instead = (path: string, make: (path: string) => void): void => {
  Deno.removeSync(path, { recursive: true });
  make(path);
};
const make = (program: string, ...args: string[]): void => void new Deno.Command(program, { args }).outputSync();
/** One of the lines, a byte for each character; what it would run makes the file `UPPER-RAN`. */
const lineOf = (random: Seeded, upper: string): Uint8Array =>
  Uint8Array.from(random.pick(LINES).replaceAll("RAN", `${upper}-RAN`), (char) => char.charCodeAt(0));

/** Each is given a regular file of the layer. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  flip: (path, random) =>
    change(path, (bytes) => {
      for (let left = 1 + random.below(4); left > 0 && bytes.length > 0; left--) {
        bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
      }
      return bytes;
    }),
  noise: (path, random) => write(path, Uint8Array.from({ length: random.below(5_000) }, () => random.below(256))),
  cut: (path, random) => change(path, (bytes) => bytes.slice(0, random.below(bytes.length + 1))),
  empty: (path) => write(path, new Uint8Array()),
  repeat: (path) => change(path, (bytes) => new Uint8Array([...bytes, ...bytes])),
  line: (path, random, upper) =>
    change(path, (bytes) => {
      const line = lineOf(random, upper);
      return random.chance(0.5) ? new Uint8Array([...bytes, ...line]) : new Uint8Array([...line, ...bytes]);
    }),
  lines: (path, random, upper) => write(path, lineOf(random, upper)),
  sparse: (path, random) => Deno.truncateSync(path, random.below(20_000_000)),
  link: (path, random) =>
    instead(
      path,
      (at) => Deno.symlinkSync(random.pick(["/etc/passwd", "../../../outside/secret", "HEAD", ".", "/dev/zero"]), at),
    ),
  pipe: (path) => instead(path, (at) => make("mkfifo", at)),
  folder: (path) => instead(path, (at) => Deno.mkdirSync(at)),
  gone: (path) => instead(path, (at) => make("mknod", at, "c", "0", "0")),
  removed: (path) => Deno.removeSync(path),
  closed: (path) => Deno.chmodSync(path, 0),
  "second name": (path, random, upper) => Deno.linkSync(path, `${upper}/${random.pick(NAMES)}`),
  moved: (path, random, upper) => Deno.renameSync(path, `${upper}/${random.pick(NAMES)}`),
  swapped: (path, random, upper) => Deno.copyFileSync(random.pick(filesIn(upper)) ?? path, path),
  planted: (_, random, upper) => {
    const to = `${upper}/${random.pick(NAMES)}`;
    Deno.mkdirSync(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(to, lineOf(random, upper), { mode: 0o755 });
  },
  many: (_, random, upper) => {
    const folder = `${upper}/${random.pick(["refs/heads/f", "logs/refs/heads/f", "objects/aa", "rr-cache", "x"])}`;
    Deno.mkdirSync(folder, { recursive: true });
    for (let at = random.below(200); at > 0; at--) Deno.writeFileSync(`${folder}/${at}`, lineOf(random, upper));
  },
};

/** Changes a layer once, and says how. */
export function mutate(upper: string, random: Seeded): string {
  const path = random.pick(filesIn(upper));
  const name = random.pick(Object.keys(MUTATIONS));
  if (path === undefined) return "nothing is left";
  try {
    MUTATIONS[name]?.(path, random, upper);
  } catch {
    // There is no such folder, or something stands there that cannot be written.
  }
  return `${name} ${path.slice(upper.length + 1)}`;
}

/** The regular files of a layer in an order that is always the same; those of the first levels as likely as all objects. */
function filesIn(upper: string): string[] {
  const all: string[] = [];
  const walk = (folder: string): void => {
    for (
      const { name, isFile, isDirectory } of [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)
    ) {
      if (isFile) all.push(`${folder}/${name}`);
      if (isDirectory) walk(`${folder}/${name}`);
    }
  };
  walk(upper);
  const objects = all.filter((path) => path.startsWith(`${upper}/objects/`));
  const others = all.filter((path) => !path.startsWith(`${upper}/objects/`));
  return [...others, ...objects.filter((_, at) => at % Math.ceil(objects.length / (others.length + 1)) === 0)];
}
