import { join } from "@std/path";
import { type Column, columnName, machineHere, whyNot } from "./column.ts";
import { GRANTS } from "./grants.ts";
import { copyProgram, type Program } from "./programs.ts";

/** A column that can be filled here, with its program and the folder for its arena. */
export interface Place {
  readonly column: Column;
  readonly program: Program;
  readonly base: string;
}

/** All columns of this machine. */
export interface Matrix {
  readonly columns: readonly Place[];
  /** What cannot be done here, one line each. */
  readonly missing: readonly string[];
  readonly close: () => Promise<void>;
}

const WHOLE: readonly Column[] = [
  { form: "none", who: "user", level: "none" },
  { form: "none", who: "self", level: "none" },
  ...(["binary", "source"] as const).flatMap((form) =>
    (["kernel+", "kernel"] as const).flatMap((level) =>
      (["user", "self"] as const).map((who) => ({ form, who, level }))
    )
  ),
  ...(["user", "self"] as const).map((who) => ({ form: "binary", who, level: "kernel+", isBubblewrap: true }) as const),
  // As an ordinary user: what root could do besides is taken away before any scope counts.
  ...GRANTS.flatMap((grant) => grant.levels.map((level) => ({ form: "binary", who: "user", level, grant } as const))),
];

/** Copies the programs that the chosen columns need. */
export async function openMatrix(root: string, at: string | undefined, wanted: string): Promise<Matrix> {
  const machine = machineHere();
  const hasBinary = await Deno.stat(join(root, "dist", "sandpiper")).then(() => true, () => false);
  const chosen = WHOLE.filter((column) => new RegExp(wanted).test(columnName(column)));
  const missing: string[] = [];
  const possible = chosen.filter((column) => {
    const why = column.form === "binary" && !hasBinary ? "dist/sandpiper is not built" : whyNot(column, machine);
    if (why !== undefined) missing.push(`${columnName(column)}: ${why}`);
    return why === undefined;
  });
  // Not below /tmp by default: kernel+ hides that anyway, and an attack should find what it looks for.
  const base = await Deno.makeTempDir({ dir: at ?? "/var/tmp", prefix: "sandpiper-attacks-" });
  await Deno.chmod(base, 0o755);
  const programs = new Map<string, Program>([["none", { command: [], env: {}, files: [] }]]);
  for (const { form } of possible) if (!programs.has(form)) programs.set(form, await copyProgram(form, root, base));
  return {
    columns: possible.flatMap((column) => {
      const program = programs.get(column.form);
      return program ? [{ column, program, base }] : [];
    }),
    missing,
    close: () => Deno.remove(base, { recursive: true }),
  };
}
