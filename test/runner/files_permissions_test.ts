import { dirname } from "@std/path";
import { assertEquals } from "@std/assert";
import type { Policy } from "../../src/core/policy.ts";
import { world } from "./workspace.ts";

/** What read, edit and write say in a process that Deno's permissions confine to the policy's scopes. */
function probe(policy: Policy, path: string, checkPaths: boolean): unknown {
  const { stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      `--allow-read=${policy.read.list.join(",")}`,
      `--allow-write=${policy.write.list.join(",")}`,
      `--config=${new URL("../../deno.json", import.meta.url).pathname}`,
      new URL("./files_probe.ts", import.meta.url).pathname,
      JSON.stringify({ policy, path, checkPaths }),
    ],
  }).outputSync();
  const text = new TextDecoder().decode(stdout);
  if (text === "") throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(text);
}

Deno.test("openFiles() Deno alone refuses what is outside R452 R454 R480", () => {
  using w = world();
  Deno.writeTextFileSync(`${w.outside}/f`, "text");
  const path = `${w.outside}/f`;
  const denial = (access: string): string =>
    `NotCapable: Denied: ${access} ${path}: outside the ${access} scope (NotCapable). ` +
    `Only the user can allow it, with --allow-${access}=+${access === "read" ? path : `${dirname(path)}/`}`;
  assertEquals(probe(w.policy, path, false), { read: denial("read"), edit: denial("read"), write: denial("write") });
  assertEquals(Deno.readTextFileSync(path), "text");
});

Deno.test("openFiles() works under scoped permissions, also where the granted folder does not exist yet R451 R453", () => {
  using w = world((root) => ({
    read: { all: false, list: [`${root}/deep/granted`] },
    write: { all: false, list: [`${root}/deep/granted`] },
  }));
  Deno.mkdirSync(`${w.root}/deep`);
  const path = `${w.root}/deep/granted/sub/f`;
  const missing = "File not found: deep/granted/sub/f. There is no folder deep/granted/sub";
  const write = "Successfully wrote to deep/granted/sub/f (4 bytes)";
  assertEquals(probe(w.policy, path, true), { read: `NotFound: ${missing}`, edit: `Error: ${missing}`, write });
  const edit = "Successfully replaced 1 block in deep/granted/sub/f.";
  assertEquals(probe(w.policy, path, false), { read: "text", edit, write });
});

Deno.test("openFiles() read scope without write scope: writing is refused by name R455", () => {
  using w = world((root) => ({ write: { all: false, list: [`${root}/only`] } }));
  Deno.writeTextFileSync(`${w.root}/f`, "text");
  for (const checkPaths of [true, false]) {
    const by = checkPaths ? "" : " (NotCapable)";
    const cause = checkPaths ? "none" : "NotCapable";
    const denial = `${cause}: Denied: write ${w.root}/f: outside the write scope${by}. ` +
      `Only the user can allow it, with --allow-write=+${w.root}/f if the file exists`; // the root is the home here
    assertEquals(probe(w.policy, `${w.root}/f`, checkPaths), { read: "text", edit: denial, write: denial });
  }
});
