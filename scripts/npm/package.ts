import { type Entry, gzip, tar } from "../release/archive.ts";

/** A package for the npm registry. */
export interface NpmPackage {
  /** Its package.json: name, version and whatever else npm knows. */
  readonly manifest: { readonly name: string; readonly version: string } & Readonly<Record<string, unknown>>;
  /** All other files, by their paths in the package. */
  readonly files: readonly Entry[];
}

/** The name that npm gives to a package's archive. */
export function tarballName({ manifest }: NpmPackage): string {
  return `${manifest.name.replace(/^@/, "").replace("/", "-")}-${manifest.version}.tgz`;
}

/** A package as npm takes it: the same bytes for the same files. `level` is that of gzip, 1 the fastest. */
export function tarball({ manifest, files }: NpmPackage, level = 9): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(manifest, null, 2) + "\n");
  const entries = [{ path: "package.json", bytes: json }, ...files];
  return gzip(tar(entries.map((entry) => ({ ...entry, path: `package/${entry.path}` }))), level);
}
