import { assert, assertEquals } from "@std/assert";
import type { Policy } from "../../../src/core/policy.ts";
import { describePolicy, policyRecord } from "../../../src/sandbox/policy/describe.ts";
import { makeWorld, worldPolicy } from "../confined_world.ts";

Deno.test("describePolicy() says in a few sentences what holds", () => {
  using world = makeWorld();
  const { base, root, tmp } = world;
  const said = (text: readonly string[]): string[] => text.map((line) => line.replaceAll(base, "~"));
  assertEquals(said(describePolicy(worldPolicy(world, "kernel"))), [
    "Read: the workspace, system, toolchains.",
    "Write: the workspace, $TMPDIR (not /tmp); never .gitmodules, .sandpiper, .sf, .pi, .vscode, .idea, .envrc, .mcp.json.",
    "Programs: any, confined.",
    "Network: none.",
    "Enforced by the kernel.",
  ]);
  const narrow = worldPolicy(world, "permissions", {
    readOnly: true,
    flags: { read: [".", "../outside"], net: true, deny: { read: ["private"] } },
  });
  assertEquals(said(describePolicy(narrow)), [
    "Read: the workspace, ~/outside, system, toolchains.",
    "Write: nothing.",
    "Never readable: ~/work/private.",
    "Programs: none; bash is an interpreter with its own grep, sed, awk, find, jq and the like.",
    "Network: allowed.",
    "Enforced by Deno's permissions; no kernel sandbox is active.",
  ]);
  assert(root !== tmp);
  const programs = (policy: Policy) => describePolicy(policy).find((line) => line.startsWith("Programs:"));
  assertEquals(
    programs(worldPolicy(world, "kernel", { flags: { run: ["git", "deno"] } })),
    "Programs: only git, deno, each in the same confinement; bash is an interpreter with its own grep, sed, awk, find, " +
      "jq and the like.",
  );
  const all = { flags: { run: true } };
  assertEquals(programs(worldPolicy(world, "permissions", all)), programs(narrow));
  assertEquals(
    programs(worldPolicy(world, "permissions", { flags: { read: [], run: false } })),
    "Programs: none.",
  );
});

Deno.test("describePolicy() names every read grant, also in the home and below system directories (R493)", () => {
  using world = makeWorld();
  const { base, home } = world;
  for (const directory of ["mcp", "data", ".cargo/bin"]) Deno.mkdirSync(`${home}/${directory}`, { recursive: true });
  const readLine = (policy: Policy): string | undefined =>
    describePolicy(policy).find((line) => line.startsWith("Read:"))?.replaceAll(base, "~");
  assertEquals(readLine(worldPolicy(world, "kernel")), "Read: the workspace, system, toolchains.");
  const flags = { read: [`+${home}/mcp`, "+/var/log", "+/opt"] };
  assertEquals(
    readLine(worldPolicy(world, "kernel", { flags, grants: { read: [`${home}/data`] } })),
    "Read: the workspace, ~/home/mcp, /var/log, ~/home/data, system, toolchains.",
  );
  assertEquals(
    readLine(worldPolicy(world, "kernel", { user: { read: [`${home}/mcp`] } })),
    "Read: ~/home/mcp, system, toolchains.",
  );
});

Deno.test("describePolicy() says of git's settings what holds at each level", () => {
  using world = makeWorld();
  const guarded = (sandbox: Policy["sandbox"], bubblewrap = false): string => {
    const policy = { ...worldPolicy(world, "kernel"), sandbox, bubblewrap, protected: [`${world.root}/.git/config`] };
    return describePolicy(policy).find((line) => line.startsWith("Write:"))?.split("; ")[1] ?? "";
  };
  assertEquals(guarded("kernel"), "never .git settings.");
  assertEquals(guarded("kernel+"), "never .git config but remotes.");
  assertEquals(guarded("kernel+", true), "never .git settings.");
});

Deno.test("policyRecord() records every scope, and of variables the names alone (R359)", () => {
  using world = makeWorld();
  const policy = worldPolicy(world, "kernel", { flags: { env: ["MY_TOKEN"] } }, { MY_TOKEN: "value-of-it" });
  const record = policyRecord(policy);
  assertEquals(Object.keys(record), [
    ...[
      "sandbox",
      "weaknesses",
      "notices",
      "root",
      "read",
      "write",
      "run",
      "net",
      "env",
      "denyRead",
      "denyWrite",
      "secretPlaces",
      "protected",
      "limits",
    ],
  ]);
  const text = JSON.stringify(record);
  assert(text.includes("MY_TOKEN") && !text.includes("value-of-it"));
  assertEquals(record["write"], { all: false, list: [world.root, world.tmp, world.cache] });
});

Deno.test("policyRecord() counts the places of the table of secrets, and lists what is denied besides R359", () => {
  using world = makeWorld();
  const policy = worldPolicy(world, "kernel", { flags: { deny: { read: [`${world.root}/private`] } } });
  const record = policyRecord(policy);
  const [denied, count] = [record["denyRead"], record["secretPlaces"]];
  assert(Array.isArray(denied) && typeof count === "number");
  assert(denied.includes(`${world.root}/private`), denied.join());
  assert(!denied.includes(`${world.home}/.ssh/id_rsa`) && count > 100, `${count}`);
  assertEquals(denied.length + count, policy.denyRead.length);
  // Each request has a manifest.
  assert(JSON.stringify(record).length < 8_000, `${JSON.stringify(record).length} bytes`);
});

Deno.test("policyRecord() records what the level cannot do here and what a person is warned of R468", () => {
  using world = makeWorld();
  const record = (policy: Policy) => (({ weaknesses, notices }) => ({ weaknesses, notices }))(policyRecord(policy));
  const kernel = worldPolicy(world, "kernel");
  assertEquals(record(kernel), { weaknesses: [], notices: [] });
  assertEquals(record({ ...kernel, weaknesses: ["signals get out"], notices: ["Signals get out."] }), {
    weaknesses: ["signals get out"],
    notices: ["Signals get out."],
  });
  assertEquals(record({ ...worldPolicy(world, "off", { flags: { run: true } }), notices: ["It is off."] }), {
    weaknesses: [],
    notices: [
      "It is off.",
      "A real shell without a sandbox voids the read and write scope: commands may touch whatever you may.",
    ],
  });
  assertEquals(record(worldPolicy(world, "kernel", { flags: { run: ["ls", "git"] } })), {
    weaknesses: [],
    notices: ["git can start other programs: the list does not bound those, only the sandbox does."],
  });
});

Deno.test("describePolicy() does not tell the model of a weaker level", () => {
  using world = makeWorld();
  const policy = worldPolicy(world, "kernel");
  assertEquals(describePolicy({ ...policy, weaknesses: ["a"], notices: ["b"] }), describePolicy(policy));
});

Deno.test("describePolicy() names the hosts of a list and the way to them (R470)", () => {
  using world = makeWorld();
  for (const level of ["kernel+", "kernel"] as const) {
    const request = { flags: { net: ["Example.com", "*.example.org:443"] } };
    assertEquals(
      describePolicy(worldPolicy(world, level, request, {}, () => undefined)).find((line) =>
        line.startsWith("Network")
      ),
      [
        "Network: only example.com, *.example.org:443, for commands, through the HTTP proxy in http_proxy and https_proxy; ",
        "each command has its own 127.0.0.1.",
      ].join(""),
    );
  }
});
