// The systems that sandpiper is released for. Names of archives, packages, recipes and what `doctor` says come from this table.

/** A system and a processor that a binary is released for. */
export interface Target {
  /** System and processor as npm writes them: the name of archives and packages. */
  readonly name: "linux-x64" | "linux-arm64" | "darwin-x64" | "darwin-arm64" | "win32-x64";
  /** As `Deno.build` has them. */
  readonly os: "linux" | "darwin" | "windows";
  readonly arch: "x86_64" | "aarch64";
  /** As `deno compile --target` takes it. */
  readonly triple: string;
  /** What no test has shown on it; nothing where every test runs. */
  readonly untested?: string;
}

/** All targets, the tested one first. */
export const TARGETS: readonly Target[] = [
  { name: "linux-x64", os: "linux", arch: "x86_64", triple: "x86_64-unknown-linux-gnu" },
  {
    ...{ name: "linux-arm64", os: "linux", arch: "aarch64", triple: "aarch64-unknown-linux-gnu" },
    untested:
      "no test runs on this processor: the sandbox is the one of x86_64, with tables of its own for system calls",
  },
  {
    ...{ name: "darwin-x64", os: "darwin", arch: "x86_64", triple: "x86_64-apple-darwin" },
    untested: "no test runs on macOS: the sandbox's profile has never been tried there",
  },
  {
    ...{ name: "darwin-arm64", os: "darwin", arch: "aarch64", triple: "aarch64-apple-darwin" },
    untested: "no test runs on macOS: the sandbox's profile has never been tried there",
  },
  {
    ...{ name: "win32-x64", os: "windows", arch: "x86_64", triple: "x86_64-pc-windows-msvc" },
    untested: "no test runs on Windows: Deno's permissions alone hold the tools, and bash is an interpreter",
  },
];

/** The target that a system and a processor belong to; nothing where none is released for them. */
export function targetOf({ os, arch }: { readonly os: string; readonly arch: string }): Target | undefined {
  return TARGETS.find((target) => target.os === os && target.arch === arch);
}
