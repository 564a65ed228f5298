// The workflow of a release against GitHub's own parser; what it runs is what `deno task compile` and `deno task release` do here.
import { assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { parse } from "@std/yaml";
import { TARGETS } from "../../src/config/targets.ts";
import { violations } from "./metadata.ts";
import { needs } from "../helpers/needs.ts";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));
const content = Deno.readTextFileSync(join(root, ".github/workflows/release.yml"));

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly strategy?: { readonly matrix: { readonly include: readonly { readonly target: string }[] } };
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}
const { permissions, jobs } = parse(content) as { permissions: object; jobs: Readonly<Record<string, Job>> }; // checked below

Deno.test("the workflow of a release is one that GitHub takes, and a misspelt key would be seen", () => {
  assertEquals(violations("workflow", content), []);
  assertEquals(violations("workflow", content.replace("timeout-minutes", "timeout-minute")).length > 0, true);
});

Deno.test("every target is tried before anything is published, and only who publishes may write", () => {
  assertEquals(jobs["try"]?.strategy?.matrix.include.map(({ target }) => target), TARGETS.map(({ name }) => name));
  assertEquals([jobs["publish"]?.needs, jobs["npm"]?.needs], [["build", "try"], "publish"]);
  assertEquals(permissions, { contents: "read" });
  assertEquals(
    Object.entries(jobs).map((
      [name, job],
    ) => [name, Object.entries(job.permissions ?? {}).filter(([, may]) => may === "write").map(([what]) => what)]),
    [["build", []], ["try", []], ["publish", ["contents", "id-token", "attestations"]], ["npm", ["id-token"]]],
  );
  const steps = jobs["publish"]?.steps.map(({ uses, run }) =>
    uses?.split("@")[0] ?? run?.split(" ").slice(0, 3).join(" ")
  );
  assertEquals(steps, [
    "actions/download-artifact",
    "cd release &&",
    "actions/attest-build-provenance",
    "gh release create",
  ]);
});

Deno.test("the workflow of a release runs tasks that there are, and no value of GitHub's is part of a script", () => {
  const { tasks } = JSON.parse(Deno.readTextFileSync(join(root, "deno.json")));
  const scripts = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const named = scripts.flatMap((script) => [...script.matchAll(/deno@[\d.]+ task (\w+)/g)].map(([, task]) => task));
  assertEquals(named, ["compile", "release"]);
  assertEquals(named.filter((task = "") => !Object.hasOwn(tasks, task)), []);
  assertEquals(scripts.filter((script) => script.includes("${{")), []);
});

Deno.test({
  ...needs(["shellcheck"], "scripts of the release's workflow and of the installation: shellcheck has nothing to say"),
  fn: async () => {
    const scripts = Object.entries(jobs).flatMap(([name, { steps }]) =>
      steps.flatMap(({ run }) => run === undefined ? [] : [[name, "bash", `set -e\n${run}`] as const])
    );
    const install = ["install.sh", "sh", Deno.readTextFileSync(join(root, "packaging/install.sh"))] as const;
    for (const [where, shell, script] of [...scripts, install]) {
      const child = new Deno.Command("shellcheck", {
        args: [`--shell=${shell}`, "-"],
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(script));
      await writer.close();
      assertEquals(new TextDecoder().decode((await child.output()).stdout), "", where);
    }
  },
});
