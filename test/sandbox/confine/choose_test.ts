import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { chooseSandbox, type WantedSandbox } from "../../../src/sandbox/confine/choose.ts";
import {
  type BwrapProbe,
  type NamespacesProbe,
  probeSandbox,
  type SandboxProbe,
  weaknessesOfAbi,
} from "../../../src/sandbox/confine/probe.ts";

function machine(
  landlockAbi: number,
  bwrap: BwrapProbe,
  why?: string,
  namespaces: NamespacesProbe = { why: "clone: EPERM" },
): SandboxProbe {
  return {
    os: "linux",
    landlockAbi,
    ...(why === undefined ? {} : { landlockWhy: why }),
    namespaces: () => namespaces,
    bwrap: () => bwrap,
    noHosts: () => "no hosts here",
    root: false,
    weaknesses: weaknessesOfAbi(landlockAbi),
  };
}

const WORKS = { path: "/usr/bin/bwrap" };
const OWN = { works: true } as const;
const FAILS = { why: "bubblewrap cannot make namespaces here: denied" };

const CASES: readonly (readonly [string, WantedSandbox, SandboxProbe, string, number])[] = [
  ["namespaces of its own", "auto", machine(7, FAILS, undefined, OWN), "kernel+", 0],
  ["namespaces of its own for kernel", "kernel", machine(1, FAILS, undefined, OWN), "kernel+", 0],
  ["no kernel+ by its own without Landlock", "auto", machine(0, WORKS, "ENOSYS", OWN), "permissions", 1],
  ["the best there is", "auto", machine(7, WORKS), "kernel+", 0],
  ["kernel+ for kernel", "kernel", machine(7, WORKS), "kernel+", 0],
  ["kernel+ on an old kernel", "auto", machine(1, WORKS), "kernel+", 0],
  ["Landlock alone", "auto", machine(6, FAILS), "kernel", 0],
  ["Landlock alone, weaker", "auto", machine(5, FAILS), "kernel", 1],
  ["Landlock alone, much weaker", "kernel", machine(3, FAILS), "kernel", 3],
  ["permissions below ABI 3", "auto", machine(2, FAILS), "permissions", 1],
  ["permissions without Landlock", "auto", machine(0, FAILS, "ENOSYS"), "permissions", 1],
  ["no kernel+ without Landlock", "auto", machine(0, WORKS, "ENOSYS"), "permissions", 1],
  ["seatbelt on macOS", "auto", { ...machine(0, FAILS, "none"), os: "darwin" }, "seatbelt", 0],
  ["seatbelt on macOS for kernel", "kernel", { ...machine(0, FAILS, "none"), os: "darwin" }, "seatbelt", 0],
  ["permissions on request", "permissions", machine(7, WORKS), "permissions", 0],
  ["off on request, said aloud", "off", machine(7, WORKS), "off", 1],
];

for (const [claim, wanted, probe, level, notices] of CASES) {
  Deno.test(`chooseSandbox() takes ${claim}`, () => {
    const choice = chooseSandbox(wanted, probe);
    assertEquals([choice.level, choice.notices.length], [level, notices]);
    const isFallback = level === "kernel+" && probe.namespaces() !== OWN;
    assertEquals(choice.bubblewrap, isFallback ? "clone: EPERM" : undefined);
    assertEquals(choice.weaknesses, level === "kernel" ? weaknessesOfAbi(probe.landlockAbi) : []);
    const said = choice.weaknesses.map((text) => `The sandbox is weaker on this kernel: ${text}.`);
    if (level === "kernel") assertEquals(choice.notices, said);
  });
}

Deno.test("chooseSandbox() refuses kernel with exit code 3, both causes and the choices", () => {
  const error = assertThrows(() => chooseSandbox("kernel", machine(2, FAILS, "the kernel is old")), UserError);
  assertEquals(error.exitCode, 3);
  assertStringIncludes(error.why, "the kernel is old");
  assertStringIncludes(error.why, "clone: EPERM");
  assertStringIncludes(error.why, "cannot make namespaces");
  assertStringIncludes(error.fix, "--sandbox permissions");
});

Deno.test("chooseSandbox() tries nothing whose answer cannot matter", () => {
  const started = (): never => {
    throw new Error("started");
  };
  const probe = { ...machine(0, WORKS), namespaces: started, bwrap: started };
  for (const wanted of ["auto", "permissions", "off"] as const) chooseSandbox(wanted, probe);
  chooseSandbox("auto", { ...machine(7, WORKS, undefined, OWN), bwrap: started });
});

Deno.test({
  // libc stays loaded for the life of the process.
  sanitizeResources: false,
  name: "probeSandbox() agrees with the kernel, and tries each way at most once",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const probe = probeSandbox();
    assertEquals(probe.os, "linux");
    assert(probe.landlockAbi > 0 ? probe.landlockWhy === undefined : probe.landlockWhy !== undefined);
    assertEquals(probe.root, Deno.uid() === 0);
    const [own, bwrap] = [probe.namespaces(), probe.bwrap()];
    assert(own === probe.namespaces() && bwrap === probe.bwrap());
  },
});
