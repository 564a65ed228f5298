// What is started ahead because a call was foreseen may fail: the call tells, and nothing else comes of it.
import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { backgroundCommands } from "../../src/engine/tools/background_commands.ts";
import { openToolProcesses } from "../../src/engine/tools/tool_processes.ts";
import { messageOf } from "../../src/core/error.ts";
import { textOf } from "../../src/core/message.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Policy } from "../../src/core/policy.ts";
import { type Self, thisProgram } from "../../src/sandbox/confine/self.ts";
import { toolsUnder } from "../../tools/mod.ts";
import { makeWorld, type World, worldPolicy } from "../sandbox/confined_world.ts";
import { policyFor, scope, world } from "../runner/world.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";

interface Case {
  readonly name: string;
  readonly self?: Partial<Self>;
  /** Spoils what a start needs. */
  readonly spoil?: (world: World, policy: Policy) => Policy | void;
  /** What each call says; the text of a success or of a failure alike. */
  readonly says: Readonly<Record<string, RegExp>>;
}

const CALLS: Readonly<Record<string, JsonObject>> = { read: { path: "a.txt" }, bash: { command: "cat a.txt" } };

const replaced = (path: string): void => {
  Deno.removeSync(path, { recursive: true });
  Deno.writeTextFileSync(path, "no folder");
};

const CASES: readonly Case[] = [
  {
    name: "a program that is not there",
    self: { program: "/nowhere/sandpiper" },
    says: { read: /could not be started|execve \/nowhere\/sandpiper: ENOENT/, bash: /Failed to spawn|^inside$/ },
  },
  {
    name: "a program that ends at once",
    self: { program: "/bin/false" },
    says: {
      read: /did not finish this call: it ended with code 1/,
      bash: /did not run, it could not be confined|^inside$/,
    },
  },
  {
    name: "a workspace that is gone",
    spoil: ({ root }) => Deno.removeSync(root, { recursive: true }),
    says: { read: /could not be started \(.*No such cwd/, bash: /could not be confined: .*(?:No such file|ENOENT)/ },
  },
  {
    name: "folders of the session that cannot be written",
    spoil: ({ tmp, cache }) => [tmp, cache].forEach(replaced),
    says: {
      read: /^inside$|bwrap: Can't create|step mounts/,
      bash: /^inside$|could not be confined: (?:bwrap: Can't create|mounts: )/,
    },
  },
  {
    name: "code for commands that cannot be loaded",
    // What opens them stops at this, as it does where the disk is full and they cannot be unpacked.
    spoil: (_world, policy) => ({
      ...policy,
      get protected(): readonly string[] {
        throw new Error("No space left on device");
      },
    }),
    says: { bash: /^No space left on device$/ },
  },
];

for (const level of CONFINED) {
  for (const { name, self, spoil, says } of CASES) {
    Deno.test(`prewarm() at ${level} with ${name} throws nothing: the call tells what went wrong`, async () => {
      using world = makeWorld();
      Deno.writeTextFileSync(`${world.root}/a.txt`, "inside");
      const first = worldPolicy(world, level);
      const tools = toolsUnder(first).filter(({ name }) => name in says);
      const policy = spoil?.(world, first) ?? first;
      const ground = {
        self: { ...thisProgram(), ...self },
        cache: world.cache,
        numbered: backgroundCommands().numbered,
      };
      const processes = openToolProcesses(policy, { active: tools, known: tools }, ground);
      try {
        processes.warmSoon();
        const said: Record<string, string> = {};
        for (const tool of tools) {
          processes.prewarm(tool.name);
          // What was started has failed before the call comes; a failure that nobody catches ends this test.
          await new Promise((resolve) => setTimeout(resolve, 300));
          const options = { signal: new AbortController().signal, onUpdate: () => {} };
          const call = processes.run(tool, CALLS[tool.name] ?? {}, options);
          said[tool.name] = await call.then(({ content }) => textOf(content), messageOf);
        }
        assertEquals(Object.keys(said), Object.keys(says));
        for (const [name, text] of Object.entries(said)) assertMatch(text, says[name] ?? /never/);
      } finally {
        await processes.close();
      }
    });
  }
}

Deno.test("prewarm() at permissions starts nothing that could be refused: the call tells what went wrong R465", async () => {
  using place = world();
  const path = (relative: string): string => fromFileUrl(new URL(relative, import.meta.url));
  // The policy reads beyond what this program of its own may read.
  const policy = policyFor(place.root, { sandbox: "permissions", read: scope(place.root, place.outside) });
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--cached-only", "--unstable-worker-options", "--config", path("../../deno.json")],
      ...[`--allow-read=${path("../..")},${place.root}`, "--allow-env"],
      path("./foreseen_refused.ts"),
      JSON.stringify(policy),
    ],
    stdin: "null",
  }).output();
  const said = new TextDecoder().decode(stdout);
  assertMatch(
    said,
    /^Cannot start the tools with the scope that was asked for: it is wider than/,
    new TextDecoder().decode(stderr),
  );
});
