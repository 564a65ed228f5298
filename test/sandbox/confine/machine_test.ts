// The whole program on machines that lack something: it refuses, or does with less and confines with what there is; whatever
// it says, nothing runs outside of it.
import { assertEquals, assertMatch } from "@std/assert";
import { findBwrap } from "../../../src/sandbox/confine/bwrap.ts";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { CHECKED_CALLS } from "../../../src/sandbox/seccomp/table.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { readProcLink } from "../../../src/sandbox/system/procfs.ts";
import { needs, skippedIf } from "../../helpers/needs.ts";
import { inWorkspace, SOURCE } from "../../helpers/program.ts";
import {
  canMakeMachines,
  type Lack,
  onMachine,
  withBwrap,
  withoutCall,
  withoutLandlock,
  withoutNamespaces,
  withoutOwnNamespaces,
  withoutUserNamespaces,
} from "../machine.ts";
import { HAS_BUBBLEWRAP, HAS_OWN } from "../namespaces_here.ts";
import { CONFINED } from "../shell_fixture.ts";

const ignore = CONFINED.length === 0 || !canMakeMachines();
const HAS_BWRAP_FILE = findBwrap(disk.realPath) !== undefined;
const NO_BUBBLEWRAP = !HAS_BUBBLEWRAP && "bubblewrap not installed, or it makes no namespaces here";

/** Says how it runs, and leaves a mark. */
const MARK = "grep Seccomp: /proc/self/status; : > ran";
const REALLY = "Seccomp:\t2\n";

/** A file that stands in bwrap's place. */
function fake(folder: string, script: string): Lack {
  const path = `${folder}/bwrap`;
  Deno.writeTextFileSync(path, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  Deno.chmodSync(path, 0o755);
  return withBwrap(path);
}

const REFUSED: readonly (readonly [name: string, lacks: (folder: string) => readonly Lack[], why: RegExp])[] = [
  ["without Landlock in the kernel", () => [withoutLandlock(38)], /why: the kernel is older than 5\.13.*\(ENOSYS\)/],
  ["with Landlock switched off", () => [withoutLandlock(95)], /why: Landlock is built in but not switched on.*lsm=/],
  [
    "in a container that refuses Landlock",
    () => [withoutLandlock(1)],
    /why: a seccomp filter, probably the container's/,
  ],
  [
    "without Landlock and without namespaces",
    () => [withoutNamespaces, withoutLandlock(38)],
    /why: .*ENOSYS.*namespaces alone would not limit/,
  ],
];
for (const [name, lacks, why] of REFUSED) {
  Deno.test({
    name: `--sandbox kernel ${name} ends with code 3, says what to do, and runs nothing`,
    ignore,
    fn: () =>
      inWorkspace({}, async ({ ws, home, outside }) => {
        const left = await onMachine(lacks(outside), ["tool", "--sandbox", "kernel", "bash", "--", MARK], {
          cwd: ws,
          home,
        });
        assertEquals({ code: left.code, stdout: left.stdout }, { code: 3, stdout: "" });
        assertMatch(left.stderr, /^error: Cannot confine tools with the kernel here\n/);
        assertMatch(left.stderr, why);
        assertMatch(
          left.stderr,
          /fix: Use a newer kernel or make namespaces work .see sandpiper doctor., run with --sandbox permissions/,
        );
        assertEquals([...Deno.readDirSync(ws)], []);
      }),
  });

  Deno.test({
    name: `doctor --sandbox kernel ${name} ends with code 3, and says why and what to do`,
    ignore,
    fn: () =>
      inWorkspace({}, async ({ ws, home, outside }) => {
        const look = (...options: readonly string[]) =>
          onMachine(lacks(outside), ["doctor", ...options], { cwd: ws, home });
        const wanted = await look("--sandbox", "kernel");
        assertEquals(wanted.code, 3, wanted.stderr);
        assertMatch(
          wanted.stdout,
          /^-- +sandbox +Cannot confine tools with the kernel here: .*\n +Use a newer kernel or/m,
        );
        assertMatch(`why: ${/^-- +sandbox .*? here: (.*)$/m.exec(wanted.stdout)?.[1]}`, why);
        const checks: { name: string; ok: boolean; fix?: string }[] = JSON.parse(
          (await look("--sandbox", "kernel", "--json")).stdout,
        );
        const sandbox = checks.find((check) => check.name === "sandbox");
        assertEquals([sandbox?.ok, sandbox?.fix?.startsWith("Use a newer kernel or make namespaces")], [false, true]);
        // Where the user asks for nothing in particular, less is no failure.
        const any = await look();
        assertEquals(any.code, 0, any.stderr);
        assertMatch(any.stdout, /^ok +sandbox +level permissions; The kernel does not confine tools here/m);
      }),
  });
}

Deno.test({
  name: "auto without Landlock starts no program at all",
  ignore,
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      const { code, stdout } = await onMachine([withoutLandlock(38)], ["tool", "bash", "--", "env; /bin/id; id"], {
        cwd: ws,
        home,
        source: SOURCE,
      });
      assertEquals({ code, ran: /uid=\d/.test(stdout) }, { code: 127, ran: false }, stdout);
    }),
});

const LESS: readonly (readonly [name: string, lacks: (folder: string) => readonly Lack[], why: RegExp])[] = [
  [
    "no bwrap and namespaces refused",
    () => [withBwrap("/dev/null"), withoutNamespaces],
    /its own \(namespaces: clone: EPERM\); bubblewrap (?:did not start|is not installed)/,
  ],
  [
    "no more user namespaces",
    () => [withoutUserNamespaces],
    /its own \(namespaces: clone: ENOSPC\); bubblewrap cannot make namespaces here: bwrap: .*\(ENOSPC\)[^]*sysctl user.max_user/,
  ],
  [
    "a root that is not the namespace's own",
    () => [withoutNamespaces],
    /clone: EPERM\); bubblewrap cannot make namespaces/,
  ],
  [
    "a bwrap that is refused its mapping",
    (folder) => [fake(folder, "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1"), withoutOwnNamespaces],
    /bubblewrap cannot make namespaces here: bwrap: setting up uid map: Permission denied/,
  ],
  [
    "a bwrap that does nothing and says so well",
    (folder) => [fake(folder, "exit 0"), withoutOwnNamespaces],
    /bubblewrap cannot make namespaces/,
  ],
  [
    "a bwrap that makes no namespaces",
    (folder) => [fake(folder, 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'), withoutOwnNamespaces],
    /bubblewrap cannot make namespaces/,
  ],
];
for (const [name, lacks, why] of LESS) {
  Deno.test({
    // What stands in for bwrap is mounted over its file.
    ...skippedIf(
      !HAS_BWRAP_FILE && !name.startsWith("no bwrap") && "bubblewrap not installed",
      `with ${name} commands run behind Landlock and the filter, and doctor says why`,
      ignore,
    ),
    fn: () =>
      inWorkspace({}, async ({ ws, home, outside }) => {
        Deno.writeTextFileSync(`${outside}/secret`, "outside-secret");
        const command = `${MARK}; cat ${outside}/secret; : > ${outside}/new`;
        const ran = await onMachine(lacks(outside), ["tool", "--sandbox", "kernel", "bash", "--", command], {
          cwd: ws,
          home,
        });
        assertMatch(ran.stdout, new RegExp(`^${REALLY}`), ran.stderr);
        assertEquals(/outside-secret/.test(ran.stdout), false);
        assertEquals([...Deno.readDirSync(outside)].map((entry) => entry.name).includes("new"), false);
        const { stdout } = await onMachine(lacks(outside), ["doctor"], { cwd: ws, home });
        assertMatch(stdout, why);
      }),
  });
}

const { seccomp } = CHECKED_CALLS;
/** What a container may refuse: process_vm_readv and pidfd_getfd, by which others look into processes. */
const LOOKS = [{ x86_64: 310, aarch64: 270 }, { x86_64: 438, aarch64: 438 }].map((call) =>
  withoutCall(call[Deno.build.arch], 1)
);

Deno.test({
  ...needs(
    ["curl"],
    "a list of hosts is held at the level kernel, also in a container that lets nobody look into processes R470",
    ignore || probeSandbox().noHosts() !== undefined,
  ),
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      const command = "curl -s -o /dev/null -w '%{http_code}\n' http://b.test/ || echo none; : > ran";
      const args = ["tool", "--allow-net=a.test", "bash", "--", command];
      for (const lacks of [[withoutNamespaces], [withoutNamespaces, ...LOOKS]]) {
        const { code, stdout, stderr } = await onMachine(lacks, args, { cwd: ws, home });
        assertMatch(stdout, /^(?:403|none)\n/);
        assertMatch(stdout, /^Denied: connect to b\.test:80: not in the network scope \(allowed: a\.test\)/m);
        assertEquals(code, 0, stderr);
      }
      const { stdout } = await onMachine([withoutNamespaces], ["doctor"], { cwd: ws, home });
      assertMatch(stdout, /^ok +host list +--allow-net=HOST can be held to its hosts$/m);
    }),
});

Deno.test({
  name: "a list of hosts ends with code 3 where calls cannot be answered, and runs nothing",
  ignore,
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      const lacks = [withoutNamespaces, withoutCall(seccomp[Deno.build.arch], 22)];
      const args = ["tool", "--allow-net=a.test", "bash", "--", MARK];
      const { code, stdout, stderr } = await onMachine(lacks, args, { cwd: ws, home });
      assertEquals({ code, stdout }, { code: 3, stdout: "" });
      assertMatch(stderr, /^error: Cannot allow the network by host \(a\.test\)\n +why: .*older than 5\.19/m);
      assertEquals([...Deno.readDirSync(ws)], []);
      const doctor = await onMachine(lacks, ["doctor"], { cwd: ws, home });
      assertMatch(doctor.stdout, /^-- +host list +--allow-net=HOST is refused: the kernel is older than 5\.19/m);
      assertEquals(doctor.code, 0);
    }),
});

/** Pretends for the probe, and does what it wants for everything else. */
const PROBED = 'for last in "$@"; do :; done; case "$last" in *ns*) exec REAL "$@";; esac;';

const LYING: readonly (readonly [name: string, script: string, said: RegExp])[] = [
  ["ends at once", "exit 0", /could not be confined: it ended before it was told what to run/],
  ["fails", "echo 'bwrap: no more' >&2; exit 1", /could not be confined: bwrap: no more/],
  [
    "runs the process where it is",
    'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    /could not be confined: namespaces: this process is still in the user namespace of the host/,
  ],
  [
    "shares the network",
    'args=(); for a in "$@"; do [ "$a" = --unshare-net ] || args+=("$a"); done; exec REAL "${args[@]}"',
    /could not be confined: namespaces: this process is still in the net namespace of the host/,
  ],
];
for (const [name, script, said] of LYING) {
  Deno.test({
    ...skippedIf(NO_BUBBLEWRAP, `a bwrap that worked when it was tried and then ${name} runs nothing`, ignore),
    fn: () =>
      inWorkspace({}, async ({ ws, home, outside }) => {
        Deno.copyFileSync(findBwrap(disk.realPath) ?? "", `${outside}/real`);
        const lack = fake(outside, `${PROBED} ${script}`.replaceAll("REAL", `${outside}/real`));
        const left = await onMachine(
          [lack, withoutOwnNamespaces],
          ["tool", "--sandbox", "kernel", "bash", "--", MARK],
          { cwd: ws, home },
        );
        assertMatch(left.stdout + left.stderr, said);
        assertEquals([...Deno.readDirSync(ws)], []);
        assertEquals(left.code === 0, false);
      }),
  });
}

Deno.test({
  ...skippedIf(
    NO_BUBBLEWRAP,
    "a remembered answer that is not true any more runs nothing, and says what failed",
    ignore,
  ),
  fn: () =>
    inWorkspace({}, async ({ ws, home, outside }) => {
      // Works once, so that this is remembered, and from then on never again, under the same name, size and times.
      const script =
        `[ -e ${outside}/broken ] && { echo 'bwrap: broken since' >&2; exit 1; }; exec ${outside}/real "$@"`;
      Deno.copyFileSync(findBwrap(disk.realPath) ?? "", `${outside}/real`);
      const [program = "", ...words] = fake(outside, script)(["sh", "-c", "echo up; exec cat"]);
      // One machine for both: another mount namespace would be asked again.
      const machine = new Deno.Command(program, { args: words, stdin: "piped", stdout: "piped" }).spawn();
      try {
        await machine.stdout.getReader().read();
        const inside: Lack = (command) => ["nsenter", `--mount=/proc/${machine.pid}/ns/mnt`, `--wd=${ws}`, ...command];
        const lacks = [inside, withoutOwnNamespaces];
        const place = { cwd: ws, home, cache: `${home}/cache` };
        const args = ["tool", "--sandbox", "kernel", "bash", "--", "echo fine"];
        assertMatch((await onMachine(lacks, args, place)).stdout, /fine/);
        Deno.writeTextFileSync(`${outside}/broken`, "");
        const left = await onMachine(lacks, [...args.slice(0, -1), MARK], place);
        assertMatch(left.stdout + left.stderr, /could not be confined: bwrap: broken since/);
        assertEquals([...Deno.readDirSync(ws)], []);
      } finally {
        await machine.stdin.close();
        await machine.status;
      }
    }),
});

Deno.test({
  ...skippedIf(
    NO_BUBBLEWRAP,
    "a machine that refuses the program its own namespaces and bubblewrap none gets kernel+, and doctor says which, why and what would help",
    ignore,
  ),
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      const place = { cwd: ws, home };
      const script = "readlink /proc/self/ns/net; ls /proc | grep -c '^[0-9]'; tr '\\0' ' ' < /proc/1/cmdline";
      const ran = await onMachine([withoutOwnNamespaces], ["tool", "bash", "--", script], place);
      const [net, processes = "", first = ""] = ran.stdout.split("\n");
      assertEquals(net === readProcLink("/proc/self/ns/net"), false, ran.stdout + ran.stderr);
      assertEquals([Number(processes) < 20, /bwrap/.test(first)], [true, true], ran.stdout);
      const { stdout } = await onMachine([withoutOwnNamespaces], ["doctor"], place);
      assertMatch(stdout, /^ok +sandbox +level kernel\+$/m);
      assertMatch(
        stdout,
        /^ok +namespaces +made by .*bwrap, because .* \(mounts: mount_setattr .*ENOSYS\)\n +Nothing has to be/m,
      );
    }),
});

Deno.test({
  name: "a machine without bubblewrap has kernel+ where the program may make namespaces",
  ignore: ignore || !HAS_OWN,
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      const lacks = [withBwrap("/dev/null")];
      const { stdout } = await onMachine(lacks, ["doctor"], { cwd: ws, home });
      assertMatch(stdout, /^ok +sandbox +level kernel\+\n.*\nok +namespaces +made by this program/m);
      const ran = await onMachine(lacks, ["tool", "bash", "--", "readlink /proc/self/ns/net"], { cwd: ws, home });
      assertMatch(ran.stdout, /^net:/, ran.stderr);
      assertEquals(ran.stdout.trim() === readProcLink("/proc/self/ns/net"), false);
    }),
});
