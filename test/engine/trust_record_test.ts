import { assertEquals } from "@std/assert";
import type { Manifest } from "../../src/core/compiled_prompt.ts";
import { lookAtProject, recordTrust } from "../../src/context/trust.ts";
import { manifestsOf } from "../../src/session/manifests.ts";
import { withSession } from "./world.ts";

const SKILL = ".sandpiper/skills/own/SKILL.md";
const FILES = { [SKILL]: "---\nname: own\ndescription: Of the project\n---\nText" };

/** Each way to a decision, and whether the project's skill is in the prompt. */
const CASES: readonly {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** What trust.json says, of the project as it is or as it was. */
  readonly recorded?: { readonly trusted: boolean; readonly of: "now" | "before" };
  readonly trust: { readonly trusted: boolean; readonly reason: string };
}[] = [
  { name: "nothing to trust", files: {}, trust: { trusted: false, reason: "nothing_to_trust" } },
  { name: "no answer yet", trust: { trusted: false, reason: "unknown" } },
  { name: "--trust", args: ["--trust"], trust: { trusted: true, reason: "flag" } },
  { name: "--no-trust", args: ["--no-trust"], trust: { trusted: false, reason: "flag" } },
  { name: "a yes", recorded: { trusted: true, of: "now" }, trust: { trusted: true, reason: "recorded" } },
  { name: "a no", recorded: { trusted: false, of: "now" }, trust: { trusted: false, reason: "recorded" } },
  {
    name: "a yes to other content",
    recorded: { trusted: true, of: "before" },
    trust: { trusted: false, reason: "changed" },
  },
];
for (const { name, files = FILES, args = [], recorded, trust } of CASES) {
  Deno.test(`R145 with ${name} the manifest says ${trust.reason}, ${trust.trusted} and lists project skills accordingly`, async () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync());
    const at = { ws: `${top}/ws`, home: `${top}/home` };
    try {
      if (recorded) {
        Deno.mkdirSync(`${at.ws}/.sandpiper/skills/own`, { recursive: true });
        Deno.writeTextFileSync(`${at.ws}/${SKILL}`, recorded.of === "now" ? files[SKILL] ?? "" : "Something else");
        const digest = lookAtProject(at.ws, `${at.ws}/.sandpiper`)?.digest ?? "";
        const { trusted } = recorded;
        recordTrust(`${at.home}/.sandpiper/agent/trust.json`, { folder: at.ws, digest, trusted });
      }
      // No screen and nobody to ask, as in CI.
      await withSession({ at, files, args, channel: "text", replies: [{ text: "yes" }] }, async ({ engine, say }) => {
        await say("go");
        // As a later reader of the session has it.
        const kept = manifestsOf(engine.store().entries()).map(({ manifest }) => manifest);
        assertEquals(kept.map(({ policy }) => policy["trust"]), [trust]);
        assertEquals(kept.map(listed), [trust.trusted]);
      });
    } finally {
      Deno.removeSync(top, { recursive: true });
    }
  });
}

function listed({ sections }: Pick<Manifest, "sections">): boolean {
  const skills = sections.find(({ id }) => id === "skills_listing")?.sources ?? [];
  return skills.some(({ path }) => path?.endsWith(SKILL));
}
