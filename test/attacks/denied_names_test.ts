import { assert, assertEquals } from "@std/assert";
import { dirname } from "@std/path";
import { probeSandbox } from "../../src/sandbox/confine/probe.ts";
import { type As, makeWorld, programFor, shellLines, type World, worldPolicy } from "../sandbox/confined_world.ts";
import { HAS_NAMESPACES } from "../sandbox/namespaces_here.ts";
import { USERS } from "../sandbox/reachable.ts";
import { needs } from "../helpers/needs.ts";

const SECRET = "TOPSECRET";
const DENIED = ["a/b/c/secret", "k", ".env"];

/** Commands that try to give a denied file another name, and the names under which the next command looks for it. */
const MOVES: readonly (readonly [command: string, ...places: string[]])[] = [
  ["mv .env e2", "e2"],
  ["mv .env o/e", "o/e"],
  ["ln .env e3; ln .env o/e3; ln -s .env e4", "e3", "o/e3", "e4"],
  ["mv k k2", "k2/key"],
  ["mkdir n; mv k n/", "n/k/key", "k/key"],
  ["mv a a2", "a2/b/c/secret"],
  ["mv a/b/c a/b/c2", "a/b/c2/secret"],
  ["mv a/b/c/secret a/b/c/open", "a/b/c/open"],
  ["mkdir -p n/m; mv a/b n/m/", "n/m/b/c/secret"],
  ["mv -f .env o/over; mv -f .env plain", "o/over", "plain"],
  ["mv k/key o/key; cp k/key o/key; ln k/key o/key", "o/key"],
  [exchange(".env", "plain"), "plain"],
  [exchange("k", "o"), "o/key"],
  [exchange("a", "o"), "o/b/c/secret"],
  ["git init -q . && git add -f .env; git mv -f .env e2; git stash -u; git show stash@{0}:.env > o/e", "e2", "o/e"],
  ["tar cf o/t .env k a; rsync -a .env o/; cp -al a o/a; cp -al . o/all", "o/t", "o/a/b/c/secret", "o/all/.env"],
  ["rm -f .env; ln -s k .env; cat .env/key > o/e; echo x > .env", ".env", "o/e"],
  ["(for i in $(seq 300); do mv .env e2; mv e2 .env; done) 2> /dev/null", "e2", ".env"],
  ["cd .. && mv work work2 || mv work/a work/o/", "o/a/b/c/secret"],
];

function exchange(one: string, other: string): string {
  const call = `ctypes.CDLL(None, use_errno=True).syscall(316 if platform.machine() == "x86_64" else 276, -100, ` +
    `b"${one}", -100, b"${other}", 2)`;
  return `/usr/bin/python3 -c 'import ctypes, platform; print(${call})'`;
}

function fill({ root }: World, user: As): void {
  const files = { "a/b/c/secret": SECRET, "k/key": SECRET, ".env": SECRET, "o/plain": "x", plain: "x" };
  for (const [path, text] of Object.entries(files)) {
    Deno.mkdirSync(dirname(`${root}/${path}`), { recursive: true });
    Deno.writeTextFileSync(`${root}/${path}`, text);
  }
  if (user === "user") new Deno.Command("chown", { args: ["-R", "1000:1000", root] }).outputSync();
}

for (const level of ["kernel", "kernel+"] as const) {
  for (const user of USERS) {
    Deno.test({
      ...needs(
        ["python3"],
        `no command at ${level} as ${user} gives a file that is denied to it a name that a later command can read`,
        probeSandbox().landlockAbi < 3 || (level === "kernel+" && !HAS_NAMESPACES),
        true,
      ),
      fn: async () => {
        for (const [command, ...places] of MOVES) {
          using world = makeWorld();
          fill(world, user);
          const self = programFor(world);
          // The policy is made anew, as by the next session: a denial is a name.
          const policy = () => worldPolicy(world, level, { flags: { deny: { read: DENIED } } });
          const first = await shellLines(policy(), self, [command, ...places.map((path) => `cat ${path}`)], user);
          const next = await shellLines(policy(), self, places.map((path) => `cat ${path}`), user);
          assert(![...first, ...next].join("").includes(SECRET), `${command}: ${[...first, ...next].join("|")}`);
          assertEquals(Deno.readTextFileSync(`${world.root}/.env`), SECRET, command);
          assertEquals(Deno.readTextFileSync(`${world.root}/a/b/c/secret`), SECRET, command);
          assertEquals(Deno.readTextFileSync(`${world.root}/k/key`), SECRET, command);
        }
      },
    });
  }
}

Deno.test({
  name: "beside a denied file at kernel what is there can be changed in place, and folders hold new files as before",
  ignore: probeSandbox().landlockAbi < 3,
  fn: async () => {
    using world = makeWorld();
    fill(world, "self");
    const policy = worldPolicy(world, "kernel", { flags: { deny: { read: DENIED } } });
    const lines = ["echo more >> plain && cat plain", "echo new > o/n && cat o/n && mv o/n o/m && rm o/m && echo done"];
    assertEquals(await shellLines(policy, programFor(world), lines), ["xmore\n", "new\ndone\n"]);
  },
});
