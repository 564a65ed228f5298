import { join } from "@std/path";
import { completionScript } from "../../src/cli/completion/scripts.ts";
import type { Target } from "../../src/config/targets.ts";
import { type Entry, gzip } from "./archive.ts";
import { debianVersion, programName, PROJECT } from "./project.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** What goes with the program: the same files in every archive and package. */
interface Companions {
  readonly license: Uint8Array<ArrayBuffer>;
  readonly readme: Uint8Array<ArrayBuffer>;
  readonly manual: Uint8Array<ArrayBuffer>;
  readonly completions: Readonly<Record<"bash" | "zsh" | "fish", Uint8Array<ArrayBuffer>>>;
}

function companions(root: string): Companions {
  const read = (path: string): Uint8Array<ArrayBuffer> => Deno.readFileSync(join(root, path));
  const script = (shell: "bash" | "zsh" | "fish") => bytes(completionScript(shell, PROJECT.name));
  return {
    license: read("LICENSE"),
    readme: read("README.md"),
    manual: read("docs/sandpiper.1"),
    completions: { bash: script("bash"), zsh: script("zsh"), fish: script("fish") },
  };
}

/** The files of an archive, below a folder of this name. */
export function archiveContents(
  root: string,
  target: Target,
  folder: string,
  program: Uint8Array<ArrayBuffer>,
): readonly Entry[] {
  const { license, readme, manual, completions } = companions(root);
  const { name } = PROJECT;
  const files: readonly Entry[] = [
    { path: programName(target), bytes: program, isProgram: true },
    { path: "LICENSE", bytes: license },
    { path: "README.md", bytes: readme },
    ...(target.os === "windows" ? [] : [
      { path: `${name}.1`, bytes: manual },
      { path: `completions/${name}.bash`, bytes: completions.bash },
      { path: `completions/_${name}`, bytes: completions.zsh },
      { path: `completions/${name}.fish`, bytes: completions.fish },
    ]),
  ];
  return files.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }));
}

/** The files of a Debian package, where Debian's Policy Manual and the shells look for them (chapters 9 and 12). */
export function debianContents(root: string, program: Uint8Array<ArrayBuffer>): readonly Entry[] {
  const { license, manual, completions } = companions(root);
  const { name, home } = PROJECT;
  const [doc, version] = [`usr/share/doc/${name}`, debianVersion(PROJECT.version)];
  const changes = `${name} (${version}) unstable; urgency=medium\n\n  * ${home}/blob/main/CHANGELOG.md\n\n` +
    ` -- ${PROJECT.maintainer}  Sat, 26 Oct 1985 08:15:00 +0000\n`;
  const files: readonly Entry[] = [
    { path: `usr/bin/${name}`, bytes: program, isProgram: true },
    { path: `usr/share/bash-completion/completions/${name}`, bytes: completions.bash },
    { path: `${doc}/changelog.gz`, bytes: gzip(bytes(changes)) },
    { path: `${doc}/copyright`, bytes: license },
    { path: `usr/share/fish/vendor_completions.d/${name}.fish`, bytes: completions.fish },
    { path: `usr/share/man/man1/${name}.1.gz`, bytes: gzip(manual) },
    { path: `usr/share/zsh/vendor-completions/_${name}`, bytes: completions.zsh },
  ];
  return files.map((entry) => ({ ...entry, path: `./${entry.path}` }));
}
