// Sessions with somebody who answers, for tests of denials and grants.
import { fromFileUrl } from "@std/path";
import type { Denial, PermissionAnswer } from "../../src/core/event.ts";
import type { Lack } from "../sandbox/machine.ts";
import { type Program, run } from "../helpers/program.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import type { Script, Seen, Step } from "./permission_session.ts";

const SESSION: Program = {
  name: "session",
  command: [
    Deno.execPath(),
    "run",
    "-A",
    "--no-prompt",
    fromFileUrl(new URL("permission_session.ts", import.meta.url)),
  ],
};

/** The best level of this machine. */
export const LEVEL = CONFINED.includes("kernel+") ? "kernel+" : CONFINED[0];

export interface Place {
  readonly ws: string;
  readonly home: string;
  readonly outside: string;
}

/** Plays a script in a session of its own. */
export async function play(place: Place, script: Script, lacks: readonly Lack[] = []): Promise<readonly Seen[]> {
  const program = { ...SESSION, command: lacks.reduceRight((command, lack) => lack(command), SESSION.command) };
  const { stdout, stderr } = await run(program, [JSON.stringify(script)], { cwd: place.ws, env: { HOME: place.home } });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Not in the shared folder for temporary files: at kernel+ commands have one of their own in its place. */
export function inPlace(work: (place: Place) => Promise<void>): () => Promise<void> {
  return async () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync({ dir: "/var/tmp", prefix: "sp-test-" }));
    const place = { ws: `${top}/ws`, home: `${top}/home`, outside: `${top}/outside` };
    for (const folder of Object.values(place)) Deno.mkdirSync(folder);
    Deno.writeTextFileSync(`${place.ws}/a.txt`, "inside\n");
    Deno.writeTextFileSync(`${place.outside}/x.txt`, "from outside\n");
    try {
      await work(place);
    } finally {
      await Deno.remove(top, { recursive: true });
    }
  };
}

export const test = (name: string, work: (place: Place) => Promise<void>): void => Deno.test(name, inPlace(work));
export const kernelTest = (name: string, work: (place: Place) => Promise<void>): void =>
  Deno.test({ name: `at ${LEVEL} ${name}`, ignore: LEVEL === undefined, fn: inPlace(work) });

export const reading = (path: string, ...answers: readonly PermissionAnswer[]): Step => ({
  tool: "read",
  args: { path },
  answers,
});
export const bash = (command: string, ...answers: readonly PermissionAnswer[]): Step => ({
  tool: "bash",
  args: { command },
  answers,
});
export const denialOf = (kind: "read" | "write", target: string, grant = target): Denial => ({ kind, target, grant });
