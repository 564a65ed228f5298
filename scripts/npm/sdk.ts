import { join, relative } from "@std/path";
import ts from "typescript";
import { output } from "../build/base_runtime.ts";
import { NPM_PACKAGE, SDK_PACKAGE, VERSION } from "../../src/core/version.ts";

/** The package with the SDK: its package.json, and all other files by their paths in it. */
export interface SdkPackage {
  readonly manifest: { readonly name: string; readonly version: string } & Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array<ArrayBuffer> }[];
}

const ENTRY = "npm/sdk/mod.ts";

/**
 * What Node, Bun and Deno load: one module without dependencies, and its types. The same bytes for the same sources.
 *
 * The types are those of the embedded SDK: one declaration file for each module that the entry's types reach.
 */
export async function sdkPackage(root: string): Promise<SdkPackage> {
  const encoder = new TextEncoder();
  const work = await Deno.makeTempDir({ prefix: "sandpiper-sdk-" });
  try {
    const out = join(work, "mod.js");
    await output(Deno.execPath(), ["bundle", "--quiet", "--platform", "deno", "--output", out, ENTRY], root);
    const code = await Deno.readTextFile(out);
    const types = declarations(root, ENTRY);
    const readme = await Deno.readTextFile(join(root, "npm/sdk/README.md"));
    const license = await Deno.readTextFile(join(root, "LICENSE"));
    const texts: [string, string][] = [["README.md", readme], ["LICENSE", license], ["mod.js", code], ...types];
    return {
      manifest: {
        name: SDK_PACKAGE,
        version: VERSION,
        description: "An agent in your own program: sandpiper from Node, Bun and Deno",
        license: "MIT",
        type: "module",
        exports: { ".": { types: `./types/${typesOf(ENTRY)}`, default: "./mod.js" } },
        engines: { node: ">=20.3" },
        publishConfig: { access: "public" },
        peerDependencies: { [NPM_PACKAGE]: VERSION, zod: "^4.0.0" },
        peerDependenciesMeta: { [NPM_PACKAGE]: { optional: true }, zod: { optional: true } },
      },
      files: texts.map(([path, text]) => ({ path, bytes: encoder.encode(text) })),
    };
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Writes the package's files below `folder`, as npm unpacks them. */
export async function writePackage({ manifest, files }: SdkPackage, folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify(manifest, null, 2) + "\n");
  for (const { path, bytes } of files) {
    await Deno.mkdir(join(folder, path, ".."), { recursive: true });
    await Deno.writeFile(join(folder, path), bytes);
  }
}

/** Declaration files of a module and of all that its types name, by path, in alphabetical order. */
function declarations(root: string, entry: string): [string, string][] {
  const made = new Map<string, string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (made.has(path)) continue;
    const text = declarationOf(path, Deno.readTextFileSync(join(root, path)));
    made.set(path, text);
    for (const [, specifier = ""] of text.matchAll(/(?:from |import\()"(\.{1,2}\/[^"]+)\.js"/g)) {
      waiting.push(relative(root, join(root, path, "..", `${specifier}.ts`)));
    }
  }
  return [...made].map(([path, text]): [string, string] => [`types/${typesOf(path)}`, text])
    .sort(([a], [b]) => a < b ? -1 : 1);
}

function declarationOf(path: string, source: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, strict: true },
  });
  const [first] = diagnostics;
  if (first) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(first.messageText, "\n")}`);
  if (/from "(?![./])/.test(outputText.replace(/\/\*[\s\S]*?\*\//g, ""))) {
    throw new Error(`${path}: its types name another package`);
  }
  return outputText.replace(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"');
}

function typesOf(path: string): string {
  return path.replace(/\.ts$/, ".d.ts");
}
