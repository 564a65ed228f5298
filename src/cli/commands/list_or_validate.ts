import { readWorld, workingDirectory } from "../../config/host_environment.ts";
import { namedFilesIn } from "../../config/named_files.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import { resolve } from "@std/path";
import type { Invocation } from "../../config/options/parse.ts";
import { UserError } from "../../core/error.ts";
import { stripControls, visibleJson } from "../../core/support/text.ts";
import { writeAll } from "../output/write_all.ts";

/** What `validate` says of one path. */
export interface Verdict {
  readonly path: string;
  readonly valid: boolean;
}

/** A command that lists what there is, or says whether files are as they should be. */
export interface ListOrValidate<V extends Verdict> {
  /** Its name, what `validate` takes, and that in the words of its usage. */
  readonly name: string;
  readonly thing: string;
  readonly place: string;
  readonly list: (isJson: boolean) => Promise<number>;
  /** Gets an absolute path that no link leads out of the workspace, and may answer for several below it. */
  readonly validate: (path: string, files: NamedFiles) => Promise<readonly V[]>;
  /** What is wrong with a path that is not valid, one line each. */
  readonly faults: (verdict: V) => readonly string[];
  /** What is odd about a path that is valid, one line each. */
  readonly warnings?: (verdict: V) => readonly string[];
}

/** Runs `NAME [list]` or `NAME validate PATH…`, which gives 1 where a path is not valid. Throws UserError for other words. */
export async function listOrValidate<V extends Verdict>(
  { words, values }: Invocation,
  { name, thing, place, list, validate, faults, warnings = () => [] }: ListOrValidate<V>,
): Promise<number> {
  const [what = "list", ...rest] = words;
  const isJson = Boolean(values["json"]);
  if (what === "list" && rest.length === 0) return await list(isJson);
  if (what !== "validate" || rest.length === 0) {
    throw new UserError({
      what: `Cannot do "${name} ${words.join(" ")}"`,
      why: what === "validate" ? `no ${thing} is named` : "it is neither list nor validate",
      fix: `Write sandpiper ${name} list, or sandpiper ${name} validate ${place}`,
    });
  }
  const cwd = typeof values["cwd"] === "string" ? resolve(values["cwd"]) : workingDirectory();
  const verdicts: V[] = [];
  const files = namedFilesIn({ ...readWorld(), cwd });
  for (const path of rest.map((word) => resolve(cwd, word))) {
    files.find(path, { access: "read", typed: true });
    verdicts.push(...await validate(path, files));
  }
  const text = isJson ? visibleJson(verdicts, 2) : stripControls(
    verdicts.flatMap((one) =>
      one.valid
        ? [`valid    ${one.path}`, ...warnings(one).map((warning) => `  warning: ${warning}`)]
        : [`invalid  ${one.path}`, ...faults(one).map((fault) => `  ${fault}`)]
    ).join("\n"),
  );
  writeAll(Deno.stdout, text + "\n");
  return verdicts.every(({ valid }) => valid) ? 0 : 1;
}
