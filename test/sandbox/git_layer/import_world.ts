// A repository and a layer over it as an import finds them, without commands and mounts.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { openHostGit } from "../../../src/sandbox/git_layer/host_git.ts";
import { type Begun, openLayered, type Taken } from "../../../src/sandbox/git_layer/import.ts";
import { readUpper } from "../../../src/sandbox/git_layer/upper.ts";
import { git } from "../guarded_world.ts";

/** Where git is on machines that have it. */
export const GIT = "/usr/bin/git";

/** An empty repository of the host's. */
export function makeFresh(base: string): string {
  git(base, "init", "-q", "--bare", "fresh");
  return `${base}/fresh`;
}

/** Takes a layer as the product does; what it throws is thrown. */
export async function takeLayer(
  root: string,
  fresh: string,
  upper: string,
  begin?: Begun,
): Promise<Taken["notes"]> {
  const layered = openLayered(`${root}/.git`, fresh, 20, openHostGit(GIT));
  const begun = begin ?? layered.begin();
  const look = await readUpper(upper);
  if ("flood" in look) return [look.flood];
  return (await layered.take(upper, look.entries, begun, new Map())).notes;
}

/** Writes an object as a loose file into a layer, whatever is in it; gives its name. */
export function putObject(upper: string, kind: string, content: Uint8Array): string {
  const bytes = new Uint8Array([...new TextEncoder().encode(`${kind} ${content.length}\0`), ...content]);
  const name = createHash("sha1").update(bytes).digest("hex");
  Deno.mkdirSync(`${upper}/objects/${name.slice(0, 2)}`, { recursive: true });
  Deno.writeFileSync(`${upper}/objects/${name.slice(0, 2)}/${name.slice(2)}`, deflateSync(bytes));
  return name;
}

/** What a command does in an overlay over `lower`; gives the upper folder. */
export function inOverlay(base: string, lower: string, command: string): string {
  for (const name of ["upper", "layer"]) Deno.mkdirSync(`${base}/${name}`);
  const options = `lowerdir=${lower},upperdir=${base}/upper,workdir=${base}/layer,userxattr`;
  const script = `mount -t overlay -o ${options} o ${lower} && cd ${lower}/.. && ${command}`;
  const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const { success, stderr } = new Deno.Command("unshare", { args: ["-Urm", "sh", "-c", script], env }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return `${base}/upper`;
}
