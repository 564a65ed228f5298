import { CONFINED } from "../../src/sandbox/order.ts";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { encodeFrame } from "../../src/sandbox/frame.ts";
import { confinedCommand, execFrame, policyFrame } from "../../src/sandbox/launch.ts";
import { probeSandbox } from "../../src/sandbox/probe.ts";
import { readProcLink } from "../../src/sandbox/read_link.ts";
import { makeWorld, programFor, runConfined, runFrames, worldPolicy } from "./confined_world.ts";

const ignore = Deno.build.os !== "linux" || probeSandbox().landlockAbi < 6;
const bwrap = "path" in probeSandbox().bwrap();
const LEVELS = bwrap ? ["kernel", "kernel+"] as const : ["kernel"] as const;

/** Leaves a mark when it runs, so that "nothing ran" can be seen from outside. */
const MARK = ["/bin/sh", "-c", "echo ran; : > ran"];

Deno.test({
  name: "confineAndExec() runs nothing where Landlock does not answer",
  ignore,
  fn: async (t) => {
    const without = join(dirname(fromFileUrl(import.meta.url)), "without_calls.ts");
    for (const errno of [38, 95, 1]) {
      for (
        const [name, call] of [["landlock_create_ruleset", 444], ["landlock_add_rule", 445], [
          "landlock_restrict_self",
          446,
        ], ["prctl(PR_SET_SECCOMP)", "prctl"]]
      ) {
        await t.step(`${name} fails with errno ${errno}`, async () => {
          using world = makeWorld();
          const self = programFor(world);
          const policy = worldPolicy(world, "kernel");
          const { program, args, env } = confinedCommand(policy, self);
          const config = self.args[self.args.indexOf("--config") + 1] ?? "";
          const command = {
            program: Deno.execPath(),
            args: [
              "run",
              "-A",
              "--no-prompt",
              "--cached-only",
              "--config",
              config,
              without,
              String(call),
              String(errno),
              program,
              ...args,
            ],
            env,
          };
          const exec = { argv: MARK, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false } as const;
          const ending = await runFrames(command, [policyFrame(policy, self), execFrame(exec)]);
          assertEquals({ code: ending.code, out: ending.out }, { code: 71, out: "" });
          assertMatch(ending.err, /^\{"confine":"failed","step":"[a-z]+","why":"[^\n]+"\}\n$/);
          assertEquals([...Deno.readDirSync(world.root)], []);
        });
      }
    }
  },
});

const encoder = new TextEncoder();

const BAD_FRAMES:
  readonly (readonly [claim: string, bytes: (good: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>])[] = [
    ["nothing", () => new Uint8Array()],
    ["half a length", (good) => good.slice(0, 4)],
    ["a length and no body", (good) => good.slice(0, 8)],
    ["half a body", (good) => good.slice(0, good.length >> 1)],
    ["no length", () => encoder.encode("zzzzzzzz{}")],
    ["a huge length", () => encoder.encode("ffffffff{}")],
    ["no JSON", () => encoder.encode("00000003{{{")],
    ["no UTF-8", () => new Uint8Array([...encoder.encode("00000001"), 0xff])],
    ["null", () => encodeFrame(null)],
    ["an empty policy", () => encodeFrame({})],
    ["a policy without a kernel part", (good) => changed(good, (order) => delete order["kernel"])],
    ["a policy whose rules are no list", (good) => changed(good, (order) => kernel(order)["rules"] = "all")],
    [
      "a policy with a rule of a wrong kind",
      (good) => changed(good, (order) => kernel(order)["rules"] = [["/", "15"]]),
    ],
    ["a policy with a field that nobody knows", (good) => changed(good, (order) => order["also"] = "less")],
    [
      "a policy with a rule of Landlock that nobody knows",
      (good) => changed(good, (order) => kernel(order)["log"] = 1),
    ],
    ["a policy without namespaces", (good) => changed(good, (order) => delete order["kernel"]["apart"])],
    [
      "a policy that wants another namespace than it has",
      // At either level it shares the host's clocks.
      (good) => changed(good, (order) => order["kernel"]["apart"] = [["time", readProcLink("/proc/self/ns/time")]]),
    ],
    [
      "a policy that wants a namespace which cannot be seen",
      (good) => changed(good, (order) => order["kernel"]["apart"] = [["nothing", "x"]]),
    ],
    ["a policy that needs more than there is", (good) => changed(good, (order) => kernel(order)["minAbi"] = 99)],
    ["a policy in a folder that is not there", (good) => changed(good, (order) => order["cwd"] = "/not/there")],
  ];

// deno-lint-ignore no-explicit-any -- the tests break plain JSON in ways that no type describes
type Loose = Record<string, any>;

function changed(good: Uint8Array<ArrayBuffer>, change: (order: Loose) => void): Uint8Array<ArrayBuffer> {
  const order = JSON.parse(new TextDecoder().decode(good.subarray(8)));
  change(order);
  return encodeFrame(order);
}

function kernel(order: Loose): Loose {
  return order["kernel"]["landlock"];
}

for (const level of LEVELS) {
  Deno.test({
    name: `confineAndExec() at ${level} runs nothing after a first frame that is wrong`,
    ignore,
    fn: async (t) => {
      using world = makeWorld();
      const self = programFor(world);
      const policy = worldPolicy(world, level);
      const exec = execFrame({ argv: MARK, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false });
      for (const [claim, bytes] of BAD_FRAMES) {
        await t.step(claim, async () => {
          const first = bytes(policyFrame(policy, self));
          // What is cut short must not be completed by the frame that follows.
          const frames = /nothing|half|no body/.test(claim) ? [first] : [first, exec];
          const ending = await runFrames(confinedCommand(policy, self), frames);
          assertEquals({ code: ending.code, out: ending.out }, { code: 71, out: "" });
          assertMatch(
            ending.err,
            /^\{"confine":"failed","step":"(policy|landlock|folder|namespaces)","why":"[^\n]+"\}\n$/,
          );
          assertEquals([...Deno.readDirSync(world.root)], []);
        });
      }
    },
  });
}

for (const level of LEVELS) {
  Deno.test({
    name: `confineAndExec() at ${level} says what failed when the program cannot start`,
    ignore,
    fn: async (t) => {
      using world = makeWorld();
      const self = programFor(world);
      const policy = worldPolicy(world, level);
      Deno.writeTextFileSync(`${world.root}/plain`, "no program", { mode: 0o644 });
      Deno.writeTextFileSync(`${world.outside}/tool`, "#!/bin/sh\necho ran\n", { mode: 0o755 });
      const cases: readonly (readonly [string, Partial<Parameters<typeof execFrame>[0]>, RegExp])[] = [
        ["a name that is nowhere", { argv: ["no-such-program"] }, /"step":"exec".*no-such-program/],
        ["a path that is not there", { argv: ["/no/such"] }, /"step":"exec".*(ENOENT|EACCES)/],
        ["a file that is no program", { argv: ["./plain"] }, /"step":"exec".*EACCES/],
        ["a program outside", { argv: [`${world.outside}/tool`] }, /"step":"exec".*(EACCES|ENOENT)/],
        ["a folder that is not there", { argv: ["true"], cwd: "/not/there" }, /"step":"folder".*ENOENT/],
        ["a NUL in an argument", { argv: ["echo", "a\0b"] }, /"step":"command"/],
        ["no argument at all", { argv: [] }, /"step":"command"/],
        ["a variable with = in its name", { argv: ["true"], env: { "A=B": "c" } }, /"step":"command"/],
      ];
      for (const [claim, exec, why] of cases) {
        for (const mergeOutput of [false, true]) {
          await t.step(`${claim}, output ${mergeOutput ? "merged" : "apart"}`, async () => {
            const ending = await runConfined(policy, self, { argv: [], mergeOutput, ...exec });
            assertEquals({ code: ending.code, out: ending.out }, { code: 71, out: "" });
            assertMatch(ending.err, why);
            // That the command is next is told before it turns out that it cannot be.
            assertEquals(ending.err.replace(`${CONFINED}\n`, "").split("\n").length, 2);
          });
        }
      }
    },
  });
}

Deno.test("confinedCommand() and policyFrame() throw for a level that they cannot give", () => {
  using world = makeWorld();
  const policy = worldPolicy(world, "seatbelt");
  assertThrows(() => confinedCommand(policy, programFor(world)), Error, "nothing was started");
  assertThrows(() => policyFrame(policy, programFor(world)), Error, "nothing was started");
});

Deno.test({
  name: "confineAndExec() fails where foreign functions are refused",
  ignore,
  fn: async () => {
    using world = makeWorld();
    const self = programFor(world);
    const policy = worldPolicy(world, "kernel");
    const { program, args, env } = confinedCommand(policy, self);
    const command = {
      program,
      args: args.flatMap((arg) => arg === "-A" ? ["--allow-read", "--allow-write"] : [arg]),
      env,
    };
    const exec = execFrame({ argv: MARK, env: policy.env, cwd: world.root, stdin: "null", mergeOutput: false });
    const ending = await runFrames(command, [policyFrame(policy, self), exec]);
    assertEquals({ code: ending.code, out: ending.out }, { code: 71, out: "" });
    assertMatch(ending.err, /"confine":"failed"/);
    assertEquals([...Deno.readDirSync(world.root)], []);
  },
});
