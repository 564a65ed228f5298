// The packages as npm installs them: from a registry of this machine that knows nothing else, into an empty home.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { type NpmPackage, tarball, tarballName } from "../../scripts/npm/package.ts";
import { mainPackage, platformPackage } from "../../scripts/npm/sandpiper.ts";
import { type Target, targetOf, TARGETS } from "../../src/config/targets.ts";
import { NPM_PACKAGE, NPM_SCOPE, VERSION } from "../../src/core/version.ts";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));
const text = new TextDecoder();

/** A registry with these packages: what npm asks for by name, and their archives. */
async function serve(
  packages: readonly NpmPackage[],
): Promise<AsyncDisposable & { readonly url: string; readonly asked: string[] }> {
  // Quickest: what is measured here is the installation, and the binary is large.
  const archives = new Map(packages.map((one) => [tarballName(one), tarball(one, 0)]));
  const hashes = new Map<string, string>();
  for (const [name, bytes] of archives) {
    hashes.set(name, `sha512-${new Uint8Array(await crypto.subtle.digest("SHA-512", bytes)).toBase64()}`);
  }
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, origin } = new URL(request.url);
    const path = decodeURIComponent(pathname.slice(1));
    asked.push(path);
    const archive = archives.get(path);
    if (archive) return new Response(archive);
    const found = packages.find(({ manifest }) => manifest.name === path);
    if (!found) return new Response("{}", { status: 404 });
    const { name, version } = found.manifest;
    const file = tarballName(found);
    const dist = { tarball: `${origin}/${file}`, integrity: hashes.get(file) };
    const versions = { [version]: { ...found.manifest, dist } };
    return Response.json({ name, "dist-tags": { latest: version }, versions });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** npm and what it installed, in an empty home. */
interface Place {
  readonly folder: string;
  readonly npm: (...args: readonly string[]) => Promise<string>;
  readonly run: (program: string, ...args: readonly string[]) => Promise<string>;
}

async function inEmptyHome(registry: string, work: (place: Place) => Promise<void>): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-npm-" }));
  const run = async (program: string, ...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      cwd: folder,
      clearEnv: true,
      env: {
        ...{ PATH: `${folder}/prefix/bin:${Deno.env.get("PATH")}`, HOME: folder },
        ...{
          npm_config_registry: registry,
          NPM_CONFIG_REGISTRY: registry,
          npm_config_prefix: `${folder}/prefix`,
          npm_config_update_notifier: "false",
        },
        ...{ npm_config_audit: "false", npm_config_fund: "false" },
      },
      stdin: "null",
    }).output();
    assertEquals(code, 0, `${program} ${args.join(" ")}\n${text.decode(stdout)}${text.decode(stderr)}`);
    return text.decode(stdout);
  };
  try {
    await work({ folder, run, npm: (...args) => run("npm", ...args) });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** This system's. */
function ownTarget(): Target {
  const target = targetOf(Deno.build);
  assert(target);
  return target;
}

/** The packages of a release, with the binary of this system alone. */
async function published(): ReturnType<typeof serve> {
  const target = ownTarget();
  const binary = Deno.readFileSync(join(root, "dist", "sandpiper"));
  // Those of other systems are never fetched: their archives are empty here, and would not fit their hashes' files.
  const others = TARGETS.filter((other) => other !== target).map((other): NpmPackage => {
    const [os, cpu] = other.name.split("-");
    return { manifest: { name: `@sandpiper/${other.name}`, version: VERSION, os: [os], cpu: [cpu] }, files: [] };
  });
  return await serve([mainPackage(root), platformPackage(root, target, binary), ...others]);
}

Deno.test("npm install -g gives the command of this system, and npx starts it; without install scripts too", async () => {
  await using registry = await published();
  const said = `sandpiper ${VERSION}\n`;
  await inEmptyHome(registry.url, async ({ folder, npm, run }) => {
    Deno.mkdirSync(join(folder, ".sandpiper/agent"), { recursive: true });
    const settings = { updateUrl: `${registry.url}latest.json` };
    Deno.writeTextFileSync(join(folder, ".sandpiper/agent/settings.json"), JSON.stringify(settings));
    await npm("install", "-g", NPM_PACKAGE);
    const command = join(folder, "prefix/bin/sandpiper");
    assertEquals(await run(command, "--version"), said);
    const modules = join(folder, "prefix/lib/node_modules", NPM_PACKAGE);
    const packages = [...Deno.readDirSync(join(modules, "node_modules/@sandpiper"))].map(({ name }) => name);
    const { name } = ownTarget();
    assertEquals(packages, [name]);
    const real = join(modules, "node_modules/@sandpiper", name, "bin/sandpiper");
    assertEquals(Deno.statSync(command).ino, Deno.statSync(real).ino, "the command is the binary itself");
    assertStringIncludes(await run(command, "update"), "install the packages of a newer release");
    // The whole program, not only its version: the prompt needs what the binary carries.
    assertStringIncludes(await run(command, "prompt", "--stable"), "sandpiper");

    await npm("uninstall", "-g", NPM_PACKAGE);
    // npm leaves the empty directory of the scope.
    const left = [...Deno.readDirSync(join(folder, "prefix/lib/node_modules", NPM_SCOPE))].map(({ name }) => name);
    assertEquals(left, []);
    assertEquals(await run("npx", "--yes", "--ignore-scripts", "--prefer-offline", NPM_PACKAGE, "--version"), said);
    const [place = ""] = [...Deno.readDirSync(join(folder, ".npm/_npx"))].map(({ name }) => name);
    const launcher = join(folder, ".npm/_npx", place, "node_modules", NPM_PACKAGE, "bin/sandpiper");
    assert(Deno.readTextFileSync(launcher).startsWith("#!"), "the launcher stays");
    assertEquals(await run("npx", "--offline", NPM_PACKAGE, "--version"), said);
    assertStringIncludes(
      await run("npx", "--offline", NPM_PACKAGE, "update"),
      "install the packages of a newer release",
    );
    assertEquals(registry.asked.includes("latest.json"), false, "what npm owns asks nobody");
  });
});

Deno.test("deno run and deno install take the program from the published package", async () => {
  await using registry = await published();
  const said = `sandpiper ${VERSION}\n`;
  await inEmptyHome(registry.url, async ({ folder, run }) => {
    const deno = Deno.execPath();
    const program = [deno, "run", "--quiet", "-A", `npm:${NPM_PACKAGE}`] as const;
    assertEquals(await run(...program, "--version"), said);
    const call = JSON.stringify({ path: "a.txt" });
    Deno.writeTextFileSync(join(folder, "a.txt"), "the text of a\n");
    assertStringIncludes(await run(...program, "tool", "read", call), "the text of a");
    assertStringIncludes(await run(...program, "update"), "install the packages of a newer release");
    await run(deno, "install", "--quiet", "--global", "-A", `npm:${NPM_PACKAGE}`);
    assertEquals(await run(join(folder, ".deno/bin/sandpiper"), "--version"), said);
  });
});
