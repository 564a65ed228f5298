import { assert, assertEquals, assertThrows } from "@std/assert";
import { allow, assemble, ifEqual } from "../../../src/sandbox/seccomp/bpf.ts";
import { seccompFilter, type SeccompRequest } from "../../../src/sandbox/seccomp/seccomp.ts";
import { type Architecture, ARCHITECTURES, CHECKED_CALLS, DENIED_CALLS } from "../../../src/sandbox/seccomp/table.ts";
import { CALLS } from "../../../src/sandbox/system/ffi.ts";
import { installFilter } from "../become.ts";
import { runFilter } from "./bpf_machine.ts";

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const failing = (errno: number): number => 0x00050000 | errno;
const [EPERM, EACCES, EBUSY, ENOSYS] = [failing(1), failing(13), failing(16), failing(38)];
/** Of a call that waits for the host. */
const LEFT = 0x7fc00000;

const NONE: SeccompRequest = { net: "none", unixSockets: false, privateIpc: false };
const PRIVATE: SeccompRequest = { net: "private", unixSockets: true, privateIpc: true };
const OPEN: SeccompRequest = { net: "open", unixSockets: false, privateIpc: false };
const ORDERS = { NONE, PRIVATE, OPEN };
const NAMES = ["x86_64", "aarch64"] as const;

function ask(order: SeccompRequest, on: Architecture, number: number, args: readonly number[] = []): number {
  return runFilter(seccompFilter(order, on), { number, architecture: ARCHITECTURES[on], args });
}

for (const on of NAMES) {
  Deno.test(`seccompFilter() on ${on} denies every call of the table and says how`, () => {
    for (const order of Object.values(ORDERS)) {
      for (const call of DENIED_CALLS) {
        if (call[on] < 0) continue;
        const counts = call.when === "always" || !order.privateIpc;
        const expected = !counts ? ALLOW : call.answer === "nosys" ? ENOSYS : EPERM;
        assertEquals(ask(order, on, call[on]), expected, call.name);
      }
    }
  });

  Deno.test(`seccompFilter() on ${on} ends a process that uses another numbering`, () => {
    for (const architecture of [0x40000003, 0x40000028, ARCHITECTURES[on === "x86_64" ? "aarch64" : "x86_64"], 0]) {
      assertEquals(runFilter(seccompFilter(NONE, on), { number: 1, architecture }), KILL);
    }
  });

  Deno.test(`seccompFilter() on ${on} allows every call that the table does not name`, () => {
    const named = new Set([...DENIED_CALLS, ...Object.values(CHECKED_CALLS)].map((call) => call[on]));
    const filter = seccompFilter(NONE, on);
    for (let number = 0; number < 500; number++) {
      if (named.has(number)) continue;
      assertEquals(runFilter(filter, { number, architecture: ARCHITECTURES[on] }), ALLOW, String(number));
    }
  });
}

Deno.test("seccompFilter() on x86_64 lets the oldest calls make no file that lends its owner", () => {
  const answer = (name: "chmod" | "creat" | "open", args: readonly number[]): number =>
    ask(NONE, "x86_64", CHECKED_CALLS[name].x86_64, args);
  assertEquals([answer("chmod", [0, 0o644]), answer("creat", [0, 0o644]), answer("open", [0, 0o101, 0o644])], [
    ALLOW,
    ALLOW,
    ALLOW,
  ]);
  assertEquals([answer("chmod", [0, 0o4644]), answer("creat", [0, 0o2644]), answer("open", [0, 0o101, 0o4644])], [
    EPERM,
    EPERM,
    EPERM,
  ]);
});

Deno.test("seccompFilter() on x86_64 knows no x32 call", () => {
  assertEquals(ask(NONE, "x86_64", 0x40000000 + 41), ENOSYS);
  assertEquals(ask(NONE, "x86_64", 0x40000000), ENOSYS);
});

Deno.test("seccompFilter() leaves no way to other programs' sockets where the whole disk is in sight", () => {
  const order: SeccompRequest = { net: "private", unixSockets: false, privateIpc: true };
  for (const on of NAMES) {
    const answer = (name: "socket" | "socketpair", args: readonly number[]): number =>
      ask(order, on, CHECKED_CALLS[name][on], args);
    assertEquals([STREAM, DGRAM, 5].map((type) => answer("socket", [UNIX, type])), [EACCES, EACCES, EACCES]);
    const pairs = [STREAM, DGRAM, RAW, 5, 4].map((type) => answer("socketpair", [UNIX, type]));
    assertEquals(pairs, [ALLOW, EACCES, EACCES, ALLOW, EACCES]);
    assertEquals(answer("socket", [INET, STREAM]), ALLOW);
  }
});

const [UNIX, INET, INET6, NETLINK, PACKET, VSOCK] = [1, 2, 10, 16, 17, 40];
const [STREAM, DGRAM, RAW, CLOEXEC] = [1, 2, 3, 0o2000000];
const SIGCHLD = 17;

/** Arguments decide: [call, arguments, verdict without net, verdict in an own network, verdict with the machine's net]. */
const CHECKED: readonly (readonly [keyof typeof CHECKED_CALLS, readonly number[], number, number, number])[] = [
  ["socket", [UNIX, STREAM], EACCES, ALLOW, EACCES],
  // A datagram goes to any path by sendto() and sendmsg(): the host is not asked about those.
  ["socket", [UNIX, DGRAM | CLOEXEC], EACCES, EACCES, EACCES],
  ["socket", [UNIX, RAW], EACCES, EACCES, EACCES],
  ["socket", [UNIX, 5], EACCES, ALLOW, EACCES],
  ["socket", [INET, STREAM | CLOEXEC], EACCES, ALLOW, ALLOW],
  ["socket", [INET, STREAM, 262], EACCES, ALLOW, ALLOW],
  ["socket", [INET6, DGRAM], EACCES, ALLOW, ALLOW],
  ["socket", [INET, RAW], EACCES, EACCES, EACCES],
  ["socket", [INET6, RAW | CLOEXEC], EACCES, EACCES, EACCES],
  ["socket", [INET, 10], EACCES, EACCES, EACCES],
  ["socket", [NETLINK, RAW, 0], EACCES, ALLOW, ALLOW],
  ...[4, 6, 9, 11, 12, 15, 16, 20, 21].map((family) =>
    ["socket", [NETLINK, RAW, family], EACCES, EACCES, EACCES] as const
  ),
  ["socket", [PACKET, RAW], EACCES, EACCES, EACCES],
  ["socket", [PACKET, DGRAM], EACCES, EACCES, EACCES],
  ["socket", [VSOCK, STREAM], EACCES, EACCES, EACCES],
  ["socketpair", [UNIX, STREAM | CLOEXEC], ALLOW, ALLOW, ALLOW],
  ["socketpair", [UNIX, DGRAM], EACCES, EACCES, EACCES],
  ["socketpair", [UNIX, DGRAM | CLOEXEC], EACCES, EACCES, EACCES],
  ["socketpair", [UNIX, RAW | CLOEXEC], EACCES, EACCES, EACCES],
  ["socketpair", [INET, STREAM], EACCES, EACCES, EACCES],
  ["listen", [3, 5], EACCES, ALLOW, ALLOW],
  ["sendto", [3, 0, 0, 0x20000000], EACCES, ALLOW, ALLOW],
  ["sendto", [3, 0, 0, 0x4000], ALLOW, ALLOW, ALLOW],
  ["sendmsg", [3, 0, 0x20000040], EACCES, ALLOW, ALLOW],
  ["sendmsg", [3, 0, 0x40], ALLOW, ALLOW, ALLOW],
  ["sendmmsg", [3, 0, 1, 0x20000000], EACCES, ALLOW, ALLOW],
  ["clone", [SIGCHLD], ALLOW, ALLOW, ALLOW],
  ["clone", [0x3d0f00], ALLOW, ALLOW, ALLOW],
  ["clone", [0x10000000 | SIGCHLD], EPERM, EPERM, EPERM],
  ["clone", [0x40000000], EPERM, EPERM, EPERM],
  ["unshare", [0x00020000], EPERM, EPERM, EPERM],
  ["unshare", [0x80], EPERM, EPERM, EPERM],
  ["unshare", [0x400], ALLOW, ALLOW, ALLOW],
  ["ioctl", [0, 0x5412], EPERM, EPERM, EPERM],
  ["ioctl", [0, 0x100005412], EPERM, EPERM, EPERM],
  ["ioctl", [0, 0x541c], EPERM, EPERM, EPERM],
  ["ioctl", [0, 0x5413], ALLOW, ALLOW, ALLOW],
  ["mknodat", [-100, 0, 0o060600], EPERM, EPERM, EPERM],
  ["mknodat", [-100, 0, 0o020600], EPERM, EPERM, EPERM],
  ["mknodat", [-100, 0, 0o010600], ALLOW, ALLOW, ALLOW],
  ["mknodat", [-100, 0, 0o100600], ALLOW, ALLOW, ALLOW],
  ["mknodat", [-100, 0, 0o104755], EPERM, EPERM, EPERM],
  ["fchmod", [3, 0o755], ALLOW, ALLOW, ALLOW],
  ["fchmod", [3, 0o4755], EPERM, EPERM, EPERM],
  ["fchmod", [3, 0o10002755], EPERM, EPERM, EPERM],
  ["fchmodat", [-100, 0, 0o6755], EPERM, EPERM, EPERM],
  ["fchmodat", [-100, 0, 0o1777], ALLOW, ALLOW, ALLOW],
  ["fchmodat2", [-100, 0, 0o4755, 0], EPERM, EPERM, EPERM],
  ["openat", [-100, 0, 0o101, 0o644], ALLOW, ALLOW, ALLOW],
  ["openat", [-100, 0, 0o101, 0o4755], EPERM, EPERM, EPERM],
  ["openat", [-100, 0, 0o20200002, 0o2755], EPERM, EPERM, EPERM],
  ["openat", [-100, 0, 0o2200000, 0o4755], ALLOW, ALLOW, ALLOW],
  ["ioctl", [3, 0x40086602], EPERM, EPERM, EPERM],
  ["ioctl", [3, 0x401c5820], EPERM, EPERM, EPERM],
  ["ioctl", [3, 0x80086601], ALLOW, ALLOW, ALLOW],
  // A policy, a key and its removal of encrypted folders; a subvolume, a snapshot, the removal of one; a copy by path.
  ...[
    0x800c6613,
    0xc0506617,
    0xc0406618,
    0xc0406619,
    0x5000940e,
    0x50009401,
    0x50009417,
    0x5000940f,
    0x4010bc10,
    0x40186f04,
  ]
    .map((request) => ["ioctl", [3, request], EPERM, EPERM, EPERM] as const),
  // Copies of files that share their blocks.
  ...[0x40049409, 0x4020940d, 0xc0189436].map((request) => ["ioctl", [3, request], ALLOW, ALLOW, ALLOW] as const),
  ["shmget", [0, 56, 0o1600], ENOSYS, ALLOW, ENOSYS],
  ["shmget", [0, 262_145, 0o1600], ENOSYS, EPERM, ENOSYS],
  ["shmget", [0, 2 ** 32, 0o1600], ENOSYS, EPERM, ENOSYS],
  ["prlimit64", [0, 7], ALLOW, ALLOW, ALLOW],
  ["prlimit64", [4711, 7], EPERM, EPERM, EPERM],
];

for (const on of NAMES) {
  Deno.test(`seccompFilter() on ${on} looks at arguments where it must`, () => {
    for (const [name, args, ...verdicts] of CHECKED) {
      const number = CHECKED_CALLS[name][on];
      const found = [NONE, PRIVATE, OPEN].map((order) => ask(order, on, number, args));
      assertEquals(found, verdicts, `${name}(${args.join(", ")})`);
    }
  });
}

/** With a list of hosts and without a network of its own: what leads anywhere is left to the host, or refused. */
const WITH_LIST: readonly (readonly [keyof typeof CHECKED_CALLS, readonly number[], number])[] = [
  ["socket", [INET, STREAM | CLOEXEC], ALLOW],
  ["socket", [INET6, STREAM, 6], ALLOW],
  ["socket", [INET, STREAM, 262], EACCES],
  ["socket", [INET, STREAM, 132], EACCES],
  ["socket", [INET, STREAM, 256], EACCES],
  ["socket", [INET, DGRAM], EACCES],
  ["socket", [INET6, DGRAM | CLOEXEC, 17], EACCES],
  ["socket", [INET, 5, 132], EACCES],
  ["socket", [INET, RAW, 6], EACCES],
  ["socket", [UNIX, STREAM], EACCES],
  ["socket", [NETLINK, RAW, 0], EACCES],
  ["socket", [PACKET, STREAM], EACCES],
  ["socket", [VSOCK, STREAM], EACCES],
  ["socketpair", [UNIX, STREAM], ALLOW],
  ["socketpair", [UNIX, DGRAM], EACCES],
  ["socketpair", [UNIX, RAW], EACCES],
  ["connect", [3, 0, 16], LEFT],
  ["bind", [3, 0, 16], LEFT],
  ["listen", [3, 5], LEFT],
  ["sendto", [3, 0, 0, 0x20000000], EACCES],
  ["sendmsg", [3, 0, 0x20000040], EACCES],
  ["sendmmsg", [3, 0, 1, 0x20000000], EACCES],
  ["sendto", [3, 0, 0, 0x4000], ALLOW],
  ["seccomp", [1, 0], ALLOW],
  ["seccomp", [1, 8], EBUSY],
  ["seccomp", [1, 0x28], EBUSY],
];

for (const on of NAMES) {
  Deno.test(`seccompFilter() on ${on} leaves to the host what could leave the list of hosts R470`, () => {
    const order: SeccompRequest = { net: "left", unixSockets: false, privateIpc: false };
    for (const [name, args, verdict] of WITH_LIST) {
      assertEquals(ask(order, on, CHECKED_CALLS[name][on], args), verdict, `${name}(${args.join(", ")})`);
    }
    for (const net of ["none", "private", "open"] as const) {
      assertEquals(ask({ ...order, net }, on, CHECKED_CALLS.connect[on], [3, 0, 16]), ALLOW);
    }
  });
}

for (const on of NAMES) {
  Deno.test(`seccompFilter() on ${on} leaves each connection to the host if there are sockets with a path`, () => {
    for (const net of ["private", "open"] as const) {
      const answer = (name: keyof typeof CHECKED_CALLS, args: readonly number[], unixSockets: boolean): number =>
        ask({ net, unixSockets, privateIpc: true }, on, CHECKED_CALLS[name][on], args);
      assertEquals(answer("connect", [3, 0, 16], true), LEFT);
      assertEquals(answer("connect", [3, 0, 16], false), ALLOW);
      // The newest listener is asked: one of the tree's own would let the call go on.
      assertEquals([answer("seccomp", [1, 8], true), answer("seccomp", [1, 0], true)], [EBUSY, ALLOW]);
      assertEquals([answer("bind", [3], true), answer("listen", [3], true)], [ALLOW, ALLOW]);
    }
  });
}

Deno.test("seccompFilter() fits into what the kernel takes (4096 instructions)", () => {
  for (const on of NAMES) assert(seccompFilter(NONE, on).length / 8 < 4096);
});

Deno.test("installFilter() installs nothing that is cut", () => {
  for (const length of [0, 7, 12]) {
    assertThrows(() => installFilter(new Uint8Array(length)), Error, "the filter is cut");
  }
});

Deno.test("assemble() refuses jumps that lead nowhere, backwards or too far", () => {
  assertThrows(() => assemble([ifEqual(1, "missing"), allow()]), Error, "no way");
  assertThrows(() => assemble([{ label: "back" }, allow(), ifEqual(1, "back"), allow()]), Error, "no way");
  const far = Array.from({ length: 300 }, () => allow());
  assertThrows(() => assemble([ifEqual(1, "end"), ...far, { label: "end" }, allow()]), Error, "no way");
  assertThrows(() => assemble([{ label: "a" }, { label: "a" }, allow()]), Error, "twice");
});

const HEADERS = {
  x86_64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
  aarch64: "/usr/include/asm-generic/unistd.h",
} as const;

for (const on of NAMES) {
  Deno.test({
    name: `DENIED_CALLS, CHECKED_CALLS and CALLS have the numbers of ${on}'s own header`,
    ignore: !there(HEADERS[on]),
    fn: () => {
      const text = Deno.readTextFileSync(HEADERS[on]);
      const numbers = new Map(
        [...text.matchAll(/#define __NR(?:3264)?_(\w+)\s+(\d+)/g)].map((
          [, name = "", number],
        ) => [name, Number(number)]),
      );
      for (const [, name = "", other = ""] of text.matchAll(/#define __NR_(\w+)\s+__NR3264_(\w+)/g)) {
        if (numbers.has(other)) numbers.set(name, numbers.get(other) ?? 0);
      }
      const calls = [
        ...DENIED_CALLS,
        ...[...Object.entries(CHECKED_CALLS), ...Object.entries(CALLS)].map(([name, of]) => ({ name, ...of })),
      ];
      let compared = 0;
      for (const call of calls) {
        const known = numbers.get(call.name);
        // Calls newer than the header are not in it.
        if (known === undefined) assert(call[on] < 0 || call[on] > Math.max(...numbers.values()) - 1, call.name);
        else assertEquals(call[on], known, call.name), compared++;
      }
      assert(compared > 60, `only ${compared} compared`);
    },
  });
}

Deno.test("DENIED_CALLS names each call once and says why", () => {
  const denied = DENIED_CALLS.map((call) => call.name);
  assertEquals(new Set(denied).size, denied.length);
  // What is denied to all needs no look at its arguments.
  const always = DENIED_CALLS.filter((call) => call.when === "always").map((call) => call.name);
  assertEquals(always.filter((name) => name in CHECKED_CALLS), []);
  for (const call of DENIED_CALLS) assert(call.why.length > 10, call.name);
});

function there(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
