import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { REFUSED } from "../../runner/probe.ts";
import { type World, world } from "../../runner/world.ts";

const path = (relative: string): string => fromFileUrl(new URL(relative, import.meta.url));

interface Asked {
  readonly script: string;
  readonly calls: readonly (readonly [string, object])[];
  readonly read?: readonly string[];
  /** When a call is given up, milliseconds; long unless that is the matter. */
  readonly deadlineMs?: number;
}

/** Starts a host that may touch the workspace and the program's source, and gives back what it printed. */
async function host(place: World, asked: Asked): Promise<{ pid?: null; said: string[]; refused?: string }> {
  const source = [path("../../.."), place.root].join(",");
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--cached-only", "--unstable-worker-options", "--config", path("../../../deno.json")],
      ...[`--allow-read=${source}`, `--allow-write=${place.root}`, "--allow-env"],
      path("./worker_host.ts"),
      JSON.stringify({ ...place, ...asked }),
    ],
    env: { OPENAI_API_KEY: "sk-secret" },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (text === "") throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(text);
}

Deno.test("openRunner() at level permissions runs the tools in a worker of a host that may start nothing", async () => {
  using place = world();
  const { pid, said } = await host(place, {
    script: "../../../src/runner/worker.ts",
    calls: [
      ["read", { path: "a.txt" }],
      ["write", { path: "b.txt", content: "new" }],
      ["read", { path: `${place.outside}/secret.txt` }],
      ["write", { path: `${place.outside}/secret.txt`, content: "x" }],
      // Within the host's own scope, but not in that of the tools.
      ["read", { path: path("../../../deno.json") }],
    ],
  });
  assertEquals(pid, null);
  assertMatch(said[0] ?? "", /^inside/);
  assertEquals(Deno.readTextFileSync(`${place.root}/b.txt`), "new");
  for (const text of said.slice(2)) assertMatch(text, /NotCapable/);
  assertEquals(Deno.readTextFileSync(`${place.outside}/secret.txt`), "secret\n");
});

Deno.test("the worker has no environment, network, programs or foreign functions R464 R466 R470", async () => {
  using place = world();
  const { said } = await host(place, { script: "../../runner/probe_worker.ts", calls: [["probe", {}]] });
  assertEquals(JSON.parse(said[0] ?? ""), REFUSED);
});

Deno.test("openRunner() refuses at the start a scope wider than the host's own R465", async () => {
  using place = world();
  const { refused } = await host(place, { script: "../../../src/runner/worker.ts", calls: [], read: [place.outside] });
  assertMatch(refused ?? "", /^Cannot start the tools with the scope that was asked for: it is wider than/);
});

Deno.test("a worker that crashes, leaves, spins or sends no message is replaced, and the host lives on", async () => {
  using place = world();
  const names = ["honest", "object", "honest", "crash", "honest", "spin", "honest", "leave", "honest"];
  const calls = names.map((name) => [name, {}] as const);
  const { said } = await host(place, { script: "./lying_worker.ts", calls, deadlineMs: 5_000 });
  assertEquals(said.filter((text) => text === "true").length, 5);
  assertMatch(said[1] ?? "", /it sent something that is no message/);
  assertMatch(said[3] ?? "", /it crashed \(Uncaught Error: on purpose\)/);
  assertMatch(said[5] ?? "", /did not answer within 5 s/);
  assertMatch(said[7] ?? "", /did not answer within 5 s/);
});
