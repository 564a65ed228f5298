// Recipes of package managers that take the archives of a release: written from the targets and the checksums.
import { type Target, TARGETS } from "../../src/config/targets.ts";
import { archiveStem, PROJECT } from "./project.ts";

/** SHA-256 in hexadecimal digits by the name of a file. */
export type Checksums = ReadonlyMap<string, string>;

interface Source {
  readonly target: Target;
  readonly url: string;
  readonly sha256: string;
}

/** The archives of systems, with their checksums; a target whose archive is missing is left out. */
function sources(base: string, checksums: Checksums): readonly Source[] {
  return TARGETS.flatMap((target): Source[] => {
    const file = `${archiveStem(target, PROJECT.version)}.tar.gz`;
    const sha256 = checksums.get(file);
    return sha256 === undefined ? [] : [{ target, url: `${base}/${file}`, sha256 }];
  });
}

const SYSTEMS = { darwin: "macos", linux: "linux" } as const;
const PROCESSORS = { aarch64: "arm", x86_64: "intel" } as const;

/** A Homebrew formula; for a tap, as Homebrew's own takes no programs that were compiled elsewhere. */
export function homebrewFormula(base: string, checksums: Checksums): string {
  const all = sources(base, checksums);
  const systems = (["darwin", "linux"] as const).flatMap((os) => {
    const processors = all.filter(({ target }) => target.os === os).flatMap(({ target, url, sha256 }) => [
      `    on_${PROCESSORS[target.arch]} do`,
      `      url "${url}"`,
      `      sha256 "${sha256}"`,
      "    end",
    ]);
    return processors.length === 0 ? [] : ["", `  on_${SYSTEMS[os]} do`, ...processors, "  end"];
  });
  const { name, description, home, version, license } = PROJECT;
  return [
    "# Made from the targets and checksums of a release; do not edit.",
    `class ${name[0]?.toUpperCase()}${name.slice(1)} < Formula`,
    `  desc "${description}"`,
    `  homepage "${home}"`,
    `  version "${version}"`,
    `  license "${license}"`,
    ...systems,
    "",
    "  def install",
    `    bin.install "${name}"`,
    `    man1.install "${name}.1"`,
    `    bash_completion.install "completions/${name}.bash" => "${name}"`,
    `    zsh_completion.install "completions/_${name}"`,
    `    fish_completion.install "completions/${name}.fish"`,
    "  end",
    "",
    "  test do",
    `    assert_match version.to_s, shell_output("#{bin}/${name} --version")`,
    "  end",
    "end",
    "",
  ].join("\n");
}

/** A Nix expression for `callPackage`. */
export function nixRecipe(base: string, checksums: Checksums): string {
  const all = sources(base, checksums);
  const { name, description, home, version } = PROJECT;
  return [
    "# Made from the targets and checksums of a release; do not edit. Use: pkgs.callPackage ./sandpiper.nix { }",
    "#",
    "# The program stays as it was published: whatever stands behind it is found by its place, so that neither strip nor",
    "# patchelf may touch it. On NixOS it needs programs.nix-ld.enable = true, as other programs for Linux do.",
    "{ lib, stdenvNoCC, fetchurl, installShellFiles }:",
    "let",
    "  sources = {",
    ...all.flatMap(({ target, url, sha256 }) => [
      `    "${target.arch}-${target.os}" = {`,
      `      url = "${url}";`,
      `      sha256 = "${sha256}";`,
      "    };",
    ]),
    "  };",
    "  system = stdenvNoCC.hostPlatform.system;",
    "in",
    "stdenvNoCC.mkDerivation {",
    `  pname = "${name}";`,
    `  version = "${version}";`,
    `  src = fetchurl (sources.\${system} or (throw "there is no archive of ${name} for \${system}"));`,
    "  nativeBuildInputs = [ installShellFiles ];",
    "  dontConfigure = true;",
    "  dontBuild = true;",
    "  dontFixup = true;",
    "  installPhase = ''",
    "    runHook preInstall",
    `    install -Dm755 ${name} $out/bin/${name}`,
    `    installManPage ${name}.1`,
    `    installShellCompletion completions/${name}.bash completions/_${name} completions/${name}.fish`,
    "    runHook postInstall",
    "  '';",
    "  meta = {",
    `    description = "${description}";`,
    `    homepage = "${home}";`,
    "    license = lib.licenses.mit;",
    `    mainProgram = "${name}";`,
    "    platforms = builtins.attrNames sources;",
    "    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];",
    "  };",
    "}",
    "",
  ].join("\n");
}
