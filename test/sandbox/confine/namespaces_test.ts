// The namespaces that the launcher makes: what is in them, that they are those of bubblewrap, and how they end. What looks
// around here stands in the bridge's place: nothing but the namespaces confines it.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { isInside, type Policy } from "../../../src/core/policy.ts";
import { confinedCommand, execFrame, firstFrames } from "../../../src/sandbox/confine/launch.ts";
import { basicMounts, namespaceRequest } from "../../../src/sandbox/confine/namespaces.ts";
import { launcher, spawnConfined } from "../../../src/sandbox/launcher/executable.ts";
import { encodeNamespaces } from "../../../src/sandbox/launcher/frames.ts";
import type { MountOperation } from "../../../src/sandbox/launcher/request.ts";
import { DEFAULT_LIMITS } from "../../../src/sandbox/policy/limits.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { childrenOfThread, numbersIn, readProc, readProcLink, statOf } from "../../../src/sandbox/system/procfs.ts";
import { needs } from "../../helpers/needs.ts";
import { until } from "../../helpers/until.ts";
import {
  type Ending,
  makeWorld,
  programFor,
  runConfined,
  runFrames,
  type World,
  worldPolicy,
} from "../confined_world.ts";
import { HAS_BUBBLEWRAP, HAS_OWN } from "../namespaces_here.ts";
import { USERS } from "../reachable.ts";

const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const OWN = { bubblewrap: false };
const MEMORY = 4 * 2 ** 20;

/** Runs lines of shell in namespaces alone. */
function look(mounts: readonly MountOperation[], script: string, as: "self" | "user" = "self"): Promise<Ending> {
  const bridge = { argv: ["/bin/bash", "-c", script], env: ENV, cwd: "/" };
  const frame = encodeNamespaces({ sharesNet: false, memoryBytes: MEMORY, mounts, bridge });
  return runFrames({ program: launcher().path(), args: [], env: {} }, [frame], { as });
}

function mountsFor(world: World): MountOperation[] {
  return [...namespaceRequest({ ...worldPolicy(world, "kernel+"), ...OWN }, [], disk).mounts];
}

Deno.test("namespaceRequest() names what bubblewrap would be told", () => {
  const policy: Policy = {
    ...({ root: "/home/u/w", home: "/home/u", tmp: "/p/tmp", cache: "/p/cache" } as Policy),
    read: { all: false, list: ["/home/u/w", "/usr"] },
    write: { all: false, list: ["/home/u/w"] },
    net: { all: true, list: [] },
    denyRead: ["/home/u/w/key"],
    denyWrite: [],
    protected: ["/home/u/w/.git"],
    sandbox: "kernel+",
    limits: DEFAULT_LIMITS,
  };
  const folders = ["/", "/home", "/home/u", "/home/u/w", "/home/u/w/.git", "/p", "/p/tmp", "/p/cache", "/usr", "/tmp"];
  const view = {
    realPath: (path: string) => [...folders, "/home/u/w/key", "/swapfile"].includes(path) ? path : undefined,
    listFolder: (path: string) =>
      path === "/" ? ["bin", "home", "p", "swapfile", "usr", "tmp"] : folders.includes(path) ? [] : undefined,
    isFile: (path: string) => path === "/swapfile",
    readLink: (path: string) => path === "/bin" ? "usr/bin" : undefined,
  };
  const said = (options: Partial<Policy>, gate?: string) => {
    const { sharesNet, mounts } = namespaceRequest({ ...policy, ...options }, ["/bin/program"], view, gate);
    return [`network ${sharesNet ? "shared" : "its own"}`, ...mounts.map((mount) => Object.values(mount).join(" "))];
  };
  assertEquals(said({}, "/gate"), [
    "network shared",
    "empty / true",
    "devices /dev",
    "processes /proc",
    "link usr/bin /bin",
    "folder /home",
    "folder /home/u",
    "bind /home/u/w /home/u/w false",
    "bind /home/u/w/.git /home/u/w/.git true true",
    "bind /dev/null /home/u/w/key true true",
    "folder /p",
    "bind /p/cache /p/cache false",
    "bind /p/tmp /p/tmp false",
    "bind /swapfile /swapfile true",
    "bind /p/tmp /tmp false",
    "bind /usr /usr true",
    "bind /gate /dev/sandpiper-net true",
    "folder /home/u/w",
  ]);
  const open = said({ net: { all: false, list: [] }, write: { all: true, list: [] }, read: { all: true, list: [] } });
  assertEquals(open.slice(0, 2), ["network its own", "bind / / false"]);
});

/** Runs a command behind a shell that mounts something first, in a mount namespace that only that shell and the launcher have. */
async function runBehindMounts(
  policy: Policy,
  world: World,
  mounts: string,
  script: string,
  as: "self" | "user",
): Promise<Ending> {
  const self = programFor(world);
  const { program, args, env } = confinedCommand(policy, self);
  const maps = as === "self" && Deno.uid() === 0 ? "-m" : "-rm";
  const before = [maps, "/bin/sh", "-c", `{ ${mounts}; } >&2 && exec "$@"`, "sh", program, ...args];
  const exec = { argv: ["/bin/bash", "-c", script], env: policy.env, cwd: policy.root, stdin: "null" } as const;
  const frames = [firstFrames(policy, self), execFrame({ ...exec, mergeOutput: false })];
  return await runFrames({ program: "/usr/bin/unshare", args: before, env }, frames, { as });
}

for (const as of USERS) {
  for (const bubblewrap of [...(HAS_OWN ? [false] : []), ...(HAS_BUBBLEWRAP ? [true] : [])]) {
    const way = bubblewrap ? "bubblewrap's" : "the launcher's";
    const run = async (
      policyOf: (world: World) => Policy,
      script: string,
      more: readonly string[] = [],
    ): Promise<{ readonly out: string; readonly world: World; readonly policy: Policy }> => {
      using world = makeWorld();
      for (const folder of [`${world.outside}/hidden`, `${world.home}/hidden`, `${world.root}/shown`]) {
        Deno.mkdirSync(folder);
        Deno.chmodSync(folder, 0o777);
      }
      const mount = (source: string, at: string): string => `mount -t tmpfs -o size=7340032 ${source} ${at}`;
      const mounts = [
        mount("hidden-source", `${world.outside}/hidden`),
        mount("hidden-source", `${world.home}/hidden`),
        mount("hidden-source", "/mnt"),
        mount("shown-source", `${world.root}/shown`),
        ...more,
      ];
      const policy = { ...policyOf(world), bubblewrap };
      const { code, out, err } = await runBehindMounts(policy, world, mounts.join(" && "), script, as);
      assertEquals({ code, err: err.replace(/^\{"confine":"done"\}\n/, "") }, { code: 0, err: "" });
      return { out, world, policy };
    };

    Deno.test({
      ...needs(["unshare"], `a command sees no mount of what is covered, in ${way} namespaces, as ${as}`),
      fn: async () => {
        const script = "cat /proc/self/mountinfo /proc/mounts /proc/self/mountstats /proc/1/mountinfo";
        const { out, world, policy } = await run((world) => worldPolicy(world, "kernel+"), script);
        assertStringIncludes(out, ` ${world.root}/shown `);
        assertStringIncludes(out, " shown-source ");
        assert(!out.includes("hidden"), out);
        // Whatever else this machine has mounted.
        const system = ["/dev", "/proc", "/tmp", "/usr", "/opt", "/nix", "/snap", "/etc", "/sys"];
        const { read, write, tmp, cache, home } = policy;
        const inSight = [...system, ...read.list, ...write.list, tmp, cache];
        const isSeen = (point: string): boolean =>
          point === "/" || point === home || inSight.some((path) => isInside(point, path)) ||
          disk.isFile?.(point) === true ||
          /^\/(?:s?bin|lib[^/]*)(?:\/|$)/.test(point);
        const points = out.split("\n").filter((line) => line.includes(" - ")).map((line) => line.split(" ")[4] ?? "");
        assertEquals(points.filter((point) => !isSeen(point)), []);
      },
    });

    Deno.test({
      ...needs(
        ["unshare"],
        `a command that may read everything sees no mount below /run, in ${way} namespaces, as ${as}`,
      ),
      fn: async () => {
        const flags = { read: true };
        const { out } = await run(
          (world) => worldPolicy(world, "kernel+", { flags }),
          "cut -d' ' -f5 /proc/self/mountinfo | sort -u",
          ["mount -t tmpfs hidden-source /run", "mkdir /run/inner", "mount -t tmpfs hidden-source /run/inner"],
        );
        assertEquals(out.split("\n").filter((point) => point.startsWith("/run/")), []);
        assertStringIncludes(out, "/mnt\n");
      },
    });

    Deno.test({
      ...needs(["unshare"], `the root of a command is read-only, in ${way} namespaces, as ${as}`),
      fn: async () => {
        const script =
          "test -w / && echo writable; { mkdir /new; chmod 700 /; touch -d yesterday /; } 2>&1 | grep -c Read-only";
        const { out } = await run((world) => worldPolicy(world, "kernel+"), script);
        assertEquals(out, "3\n");
      },
    });
  }
}

const SHOWN = [
  // Place, what is mounted, options: in the order of the mounts that can be seen.
  "cut -d' ' -f4-6 /proc/self/mountinfo",
  "stat -c '%N %a %u %t:%T %F' /dev /dev/{null,zero,full,random,urandom,tty,ptmx,fd,stdin,stdout,stderr,core,shm}",
  "stat -c '%n %a %u %F' /tmp /run /dev/shm /dev/pts/ptmx",
  "cat /proc/self/setgroups; id -u; id -g",
  "grep -E '^(Cap|NoNewPrivs|Seccomp|Groups)' /proc/self/status; hostname; ulimit -a; umask",
  "grep -cE '^ *lo:' /proc/net/dev; grep -c : /proc/net/dev; cat /proc/net/if_inet6",
  "for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do ( : >> $f ) 2> /dev/null || echo refused; done",
  "ls -d /proc/[0-9]*/ | wc -l | sed 's/^[1-9]$/few/'",
];

for (const as of USERS) {
  Deno.test({
    name: `namespaces of the launcher's own are those of bubblewrap, as ${as}`,
    ignore: !HAS_OWN || !HAS_BUBBLEWRAP,
    fn: async () => {
      using world = makeWorld();
      Deno.mkdirSync(`${world.root}/.git`);
      Deno.writeTextFileSync(`${world.root}/key`, "key");
      const policy = worldPolicy(world, "kernel+", { flags: { deny: { read: [`${world.root}/key`] } } });
      const self = programFor(world);
      const said = async (bubblewrap: boolean): Promise<readonly string[]> => {
        const argv = ["/bin/bash", "-c", SHOWN.join("; echo; ")];
        const { out, err } = await runConfined({ ...policy, bubblewrap }, self, { argv, mergeOutput: true }, { as });
        assert(out.includes(`${world.root} rw,nosuid,nodev`), out + err);
        // Of /proc bubblewrap makes read-only what this user could write, the launcher makes it all. Its root is a directory.
        return out.split("\n").filter((line) => !/^\/\S* \/proc\/\S+ ro/.test(line))
          .map((line) => line.replace(/^\/newroot \/ /, "/ / "));
      };
      assertEquals(await said(false), await said(true));
    },
  });

  Deno.test({
    name: `the launcher's root is the new one alone, as ${as}: nothing of the old one can be reached`,
    ignore: !HAS_OWN,
    fn: async () => {
      using world = makeWorld();
      const script = [
        // One root, and everything that is mounted hangs below it.
        "awk '$5 == \"/\"' /proc/self/mountinfo | wc -l",
        "awk '{ parent[$1] = $2; at[$1] = $5 } END { for (i in parent) if (!(parent[i] in at)) n++; print n }' /proc/self/mountinfo",
        `cat ${world.outside}/secret; cat /proc/1/root${world.outside}/secret; cat /proc/self/root/..${world.outside}/secret`,
        `umount -l ${world.base} /tmp /proc / ; cat ${world.outside}/secret`,
        "mount -o remount,rw / && touch /usr/new; chroot /proc/1/root true && echo ESCAPED",
        "mount -t tmpfs none /mnt && echo ESCAPED; unshare -m true && echo ESCAPED; ls /proc/1/fd | wc -l",
        "readlink /proc/*/fd/* | grep -v -E 'pipe:|/dev/null|/proc|memfd'; true",
      ].join("; ");
      const { code, out } = await look(mountsFor(world), script, as);
      // The bridge stands in for a command here, which would get none of what this process was given.
      const given = new Set(numbersIn("/proc/self/fd").map((fd) => readProcLink(`/proc/self/fd/${fd}`)));
      assertEquals({ code, out: out.split("\n").filter((line) => !given.has(line)) }, {
        code: 0,
        out: ["1", "1", "0", ""],
      });
    },
  });
}

Deno.test({
  name: "shared memory holds no more than it may, in files that nobody holds open",
  ignore: !HAS_OWN,
  fn: async () => {
    using world = makeWorld();
    const fill = "for i in 1 2 3; do head -c 2M /dev/zero > /dev/shm/$i || echo full; done 2>&1 | grep -c ^full";
    const { out } = await look(mountsFor(world), `${fill}; cat /dev/shm/* | wc -c`);
    assertEquals(out, `1\n${MEMORY}\n`);
  },
});

Deno.test({
  name: "processes that start at once may make the same places in the private folder that they share",
  ignore: !HAS_OWN,
  fn: async () => {
    using world = makeWorld();
    Deno.writeTextFileSync(`${world.outside}/file`, "text");
    const place = (round: number, way: string): string => `/tmp/${round}/${way}/deep/in/it`;
    for (let round = 0; round < 8; round++) {
      const mounts: MountOperation[] = [
        ...basicMounts(true),
        { kind: "bind", source: world.tmp, target: "/tmp", readOnly: false },
        { kind: "bind", source: world.outside, target: place(round, "folder"), readOnly: true },
        { kind: "bind", source: `${world.outside}/file`, target: place(round, "file"), readOnly: true },
      ];
      const script = `cat ${place(round, "file")} ${place(round, "folder")}/file`;
      const ran = await Promise.all(Array.from({ length: 6 }, () => look(mounts, script)));
      assertEquals(ran.map(({ out, err }) => out + err), ran.map(() => "texttext"));
    }
  },
});

Deno.test({
  name: "a mount over a file, a folder that is made for a mount, and a read-only one are what they say",
  ignore: !HAS_OWN,
  fn: async () => {
    using world = makeWorld();
    Deno.writeTextFileSync(`${world.root}/key`, "key");
    const mounts: MountOperation[] = [
      ...basicMounts(true),
      { kind: "empty", target: "/mnt", readOnly: false },
      { kind: "bind", source: world.outside, target: "/mnt/a/b/c", readOnly: true },
      { kind: "bind", source: `${world.root}/key`, target: "/mnt/d/key", readOnly: false },
      { kind: "bind", source: "/dev/null", target: `${world.root}/key`, readOnly: true },
      { kind: "empty", target: "/mnt/e", readOnly: true },
      { kind: "folder", target: "/mnt/f/g" },
    ];
    const script = [
      "cat /mnt/a/b/c/secret; echo; ( : > /mnt/a/b/c/new ) 2>&1 | grep -o 'Read-only.*'",
      `cat /mnt/d/key; echo new > /mnt/d/key; cat ${world.root}/key 2>&1 | grep -o 'Perm.*'`,
      "( : > /mnt/e/new ) 2>&1 | grep -o 'Read-only.*'; ls -A /mnt/e; touch /mnt/f/g/new; ls /mnt/f/g",
      `stat -c '%a %F' /mnt /mnt/a /mnt/f/g /dev/shm`,
    ].join("; ");
    const { code, out, err } = await look(mounts, script);
    const folder = "755 directory";
    assertEquals({ code, out: out.trimEnd().split("\n"), err }, {
      code: 0,
      out: [
        "outside-secret",
        "Read-only file system",
        "keyPermission denied",
        "Read-only file system",
        "new",
        ...[folder, folder, folder, folder],
      ],
      err: "",
    });
    assertEquals(Deno.readTextFileSync(`${world.root}/key`), "new\n");
  },
});

function workFolder(world: World, name: string): string {
  const folder = `${world.outside}/${name}`;
  Deno.mkdirSync(folder, { mode: 0o777 });
  Deno.chmodSync(folder, 0o777);
  return folder;
}

/** A folder on a file system that can hold an overlay's changes, if this machine has one. */
async function layers(world: World): Promise<MountOperation & { readonly kind: "overlay" } | undefined> {
  const names = { lower: `${world.outside}/lower`, upper: `${world.outside}/upper`, work: `${world.outside}/work` };
  for (const folder of Object.values(names)) {
    Deno.mkdirSync(folder, { mode: 0o777 });
    Deno.chmodSync(folder, 0o777);
  }
  for (const name of ["kept", "changed", "removed"]) Deno.writeTextFileSync(`${names.lower}/${name}`, "lower");
  const { upper, work } = names;
  const overlay = { kind: "overlay", source: names.lower, upper, work, target: "/mnt", readOnly: false } as const;
  const { code, err } = await look([...basicMounts(true), overlay], "true");
  if (code === 0) return overlay;
  assertMatch(err, /"step":"mounts","why":"[^"]*: E/);
  return undefined;
}

Deno.test({
  name: "an overlay keeps what is changed in its upper folder, and nothing of it reaches the lower one",
  ignore: !HAS_OWN,
  fn: async () => {
    using world = makeWorld();
    const overlay = await layers(world);
    if (overlay === undefined) return console.log("no overlay can be mounted here: not tested");
    const change = "cd /mnt; echo new > changed; rm removed; mkdir -p a/b; echo made > a/b/made; ls";
    for (const as of USERS) {
      const mount = { ...overlay, work: workFolder(world, `for-${as}`), readOnly: true };
      const readOnly = await look([...basicMounts(true), mount], "touch /mnt/x; ls /mnt", as);
      assertEquals(readOnly.out, "changed\nkept\nremoved\n");
      assertStringIncludes(readOnly.err, "Read-only");
    }
    const { out, err } = await look([...basicMounts(true), { ...overlay, work: workFolder(world, "second") }], change);
    assertEquals({ out, err }, { out: "a\nchanged\nkept\n", err: "" });
    const lower = [...Deno.readDirSync(overlay.source)].map(({ name }) =>
      `${name} ${Deno.readTextFileSync(`${overlay.source}/${name}`)}`
    );
    assertEquals(lower.sort(), ["changed lower", "kept lower", "removed lower"]);
    assertEquals(Deno.readTextFileSync(`${overlay.upper}/changed`), "new\n");
    assertEquals(Deno.readTextFileSync(`${overlay.upper}/a/b/made`), "made\n");
    // The next one begins where that one ended; a work folder is good for one.
    const again = await look(
      [...basicMounts(true), { ...overlay, work: workFolder(world, "third") }],
      "cat /mnt/changed /mnt/a/b/made; ls /mnt",
    );
    assertEquals(again.out, "new\nmade\na\nchanged\nkept\n");
  },
});

Deno.test({
  name:
    "a command in namespaces of its own ends with its own code, also by a signal, and what it left behind ends with it",
  ignore: !HAS_OWN,
  fn: async () => {
    using world = makeWorld();
    const policy = { ...worldPolicy(world, "kernel+"), ...OWN };
    const self = programFor(world);
    const codes: number[] = [];
    for (const script of ["exit 0", "exit 7", "exit 71", "kill -9 $$", "kill -TERM $$", "kill -9 1; exit 5"]) {
      const { code } = await runConfined(policy, self, { argv: ["/bin/bash", "-c", script] });
      codes.push(code);
    }
    assertEquals(codes, [0, 7, 71, 137, 143, 5]);
    // Orphans of sub-shells are reaped, and one that ignores every signal does not outlive the command.
    const left = `trap '' TERM HUP; ( setsid sleep 98765 & ); for i in 1 2 3; do ( ( : ) & ); done; wait; ` +
      "sleep 0.1; grep -l '^State:.*zombie' /proc/[0-9]*/status; ls -d /proc/[0-9]*/ | wc -l";
    const { out } = await runConfined(policy, self, { argv: ["/bin/bash", "-c", left] });
    assertMatch(out, /^[1-7]\n$/);
    assertEquals(numbersIn("/proc").filter((pid) => readProc(`/proc/${pid}/cmdline`)?.includes("98765")), []);
  },
});

for (const victim of ["the process outside", "the first process inside"] as const) {
  Deno.test({
    name: `kill -9 of ${victim} ends the namespaces and all in them`,
    ignore: !HAS_OWN,
    fn: async () => {
      using world = makeWorld();
      const policy = { ...worldPolicy(world, "kernel+"), ...OWN };
      const self = programFor(world);
      const child = spawnConfined(confinedCommand(policy, self));
      const writer = child.stdin.getWriter();
      await writer.write(firstFrames(policy, self));
      const argv = ["/bin/bash", "-c", "trap '' TERM HUP; sleep 1000 & echo up; wait"];
      await writer.write(execFrame({ argv, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false }));
      const reader = child.stdout.getReader();
      assertEquals(new TextDecoder().decode((await reader.read()).value), "up\n");
      const [first = 0] = childrenOfThread(child.pid, child.pid) ?? [];
      const inside = childrenOfThread(first, first) ?? [];
      const all = [first, ...inside, ...inside.flatMap((pid) => childrenOfThread(pid, pid) ?? [])];
      assertEquals(all.length, 3);
      // Neither of the two that stand in front holds a pipe, so that the command's end is the pipes' end.
      for (const pid of [child.pid, first]) assertEquals(numbersIn(`/proc/${pid}/fd`), []);
      Deno.kill(victim === "the process outside" ? child.pid : first, "SIGKILL");
      await until(() => all.every((pid) => statOf(pid)?.zombie !== false));
      assertEquals((await child.status).code, 137);
      reader.releaseLock();
      await Promise.allSettled([child.stdout.cancel(), child.stderr.cancel(), writer.close()]);
    },
  });
}
