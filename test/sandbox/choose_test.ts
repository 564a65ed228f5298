import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import { chooseSandbox, type WantedSandbox } from "../../src/sandbox/choose.ts";
import { type BwrapProbe, probeSandbox, type SandboxProbe, weaknessesOfAbi } from "../../src/sandbox/probe.ts";

function machine(landlockAbi: number, bwrap: BwrapProbe, why?: string): SandboxProbe {
  return {
    os: "linux",
    landlockAbi,
    ...(why === undefined ? {} : { landlockWhy: why }),
    bwrap: () => bwrap,
    noHosts: () => "no hosts here",
    root: false,
    weaknesses: weaknessesOfAbi(landlockAbi),
  };
}

const WORKS = { path: "/usr/bin/bwrap" };
const FAILS = { why: "bubblewrap cannot make namespaces here: denied" };

const CASES: readonly (readonly [string, WantedSandbox, SandboxProbe, string, number])[] = [
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
    assertEquals(choice.weaknesses, level === "kernel" ? weaknessesOfAbi(probe.landlockAbi) : []);
    const said = choice.weaknesses.map((text) => `The sandbox is weaker on this kernel: ${text}.`);
    if (level === "kernel") assertEquals(choice.notices, said);
  });
}

Deno.test("chooseSandbox() refuses kernel with exit code 3, both causes and the choices", () => {
  const error = assertThrows(() => chooseSandbox("kernel", machine(2, FAILS, "the kernel is old")), UserError);
  assertEquals(error.exitCode, 3);
  assertStringIncludes(error.why, "the kernel is old");
  assertStringIncludes(error.why, "cannot make namespaces");
  assertStringIncludes(error.fix, "--sandbox permissions");
});

Deno.test("chooseSandbox() does not start bwrap where the answer cannot matter", () => {
  const probe = {
    ...machine(0, WORKS),
    bwrap: () => {
      throw new Error("started");
    },
  };
  for (const wanted of ["auto", "permissions", "off"] as const) chooseSandbox(wanted, probe);
});

Deno.test({
  // libc stays loaded for the life of the process.
  sanitizeResources: false,
  name: "probeSandbox() agrees with the kernel, and starts bwrap at most once",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const probe = probeSandbox();
    assertEquals(probe.os, "linux");
    assert(probe.landlockAbi > 0 ? probe.landlockWhy === undefined : probe.landlockWhy !== undefined);
    assertEquals(probe.root, Deno.uid() === 0);
    const first = probe.bwrap();
    assert(first === probe.bwrap());
  },
});
