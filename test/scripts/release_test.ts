// What a release is made of, with a script in the place of the binary: each file is read by the program that people read it with.
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { ar, gzip, tar, zip } from "../../scripts/release/archive.ts";
import { archiveContents } from "../../scripts/release/contents.ts";
import { debianName, debianPackage } from "../../scripts/release/deb.ts";
import { checkFormat } from "../../scripts/release/executable_format.ts";
import { archiveEndings, archiveStem, debianVersion, programName } from "../../scripts/release/project.ts";
import { homebrewFormula, nixRecipe } from "../../scripts/release/recipes.ts";
import { machOPart } from "../../scripts/build/mach_o.ts";
import { type Target, targetOf, TARGETS } from "../../src/config/targets.ts";
import { VERSION } from "../../src/core/version.ts";
import { needs } from "../helpers/needs.ts";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));
const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content);
const FILES = [
  { path: "top/program", bytes: text("#!/bin/sh\n".repeat(5000)), isProgram: true },
  { path: "top/inner/café.txt", bytes: text("text") },
  { path: "top/empty", bytes: text("") },
] as const;

/** Standard output of a command that has to end well. */
async function output(program: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { LC_ALL: "C.UTF-8", TZ: "UTC" };
  const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd, env }).output();
  assertEquals(code, 0, `${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-release-" }));
  try {
    await work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("tar(), gzip() and zip() write what their programs read, the same bytes each time", async () => {
  await inFolder(async (folder) => {
    assertEquals([tar(FILES), zip(FILES), ar(FILES)], [tar(FILES), zip(FILES), ar(FILES)]);
    Deno.writeFileSync(join(folder, "a.tar.gz"), gzip(tar(FILES)));
    const listed = await output("tar", ["tvzf", "a.tar.gz", "--quoting-style=literal"], folder);
    assertEquals(listed.trimEnd().split("\n").map((line) => line.replace(/ +/g, " ")), [
      "drwxr-xr-x root/root 0 1985-10-26 08:15 top/",
      "drwxr-xr-x root/root 0 1985-10-26 08:15 top/inner/",
      "-rwxr-xr-x root/root 50000 1985-10-26 08:15 top/program",
      "-rw-r--r-- root/root 4 1985-10-26 08:15 top/inner/café.txt",
      "-rw-r--r-- root/root 0 1985-10-26 08:15 top/empty",
    ]);
    await output("tar", ["xzf", "a.tar.gz"], folder);
    for (const { path, bytes } of FILES) assertEquals(Deno.readFileSync(join(folder, path)), bytes);
  });
});

Deno.test({
  ...needs(["python3"], "zip() writes what Python's zipfile reads, with rights"),
  fn: async () => {
    await inFolder(async (folder) => {
      Deno.writeFileSync(join(folder, "a.zip"), zip(FILES));
      const script = [
        "import zipfile",
        "z = zipfile.ZipFile('a.zip')",
        "assert z.testzip() is None",
        "for i in z.infolist(): print(i.filename, oct(i.external_attr >> 16), i.date_time[:3], len(z.read(i)))",
      ].join("\n");
      assertEquals(
        await output("python3", ["-c", script], folder),
        "top/program 0o100755 (1985, 10, 26) 50000\ntop/inner/café.txt 0o100644 (1985, 10, 26) 4\n" +
          "top/empty 0o100644 (1985, 10, 26) 0\n",
      );
    });
  },
});

Deno.test({
  ...needs(
    ["dpkg-deb"],
    "debianPackage(): dpkg installs it into a root of its own, verifies, and removes it without a trace",
    Deno.uid() !== 0,
  ),
  fn: async () => {
    const target = targetOf(Deno.build);
    assert(target);
    const program = text(`#!/bin/sh\necho sandpiper ${VERSION}\n`);
    const packed = (): Promise<Uint8Array<ArrayBuffer>> =>
      debianPackage(root, target, program, (bytes) => Promise.resolve([".gz", gzip(bytes, 1)]));
    const bytes = await packed();
    assertEquals(await packed(), bytes);
    await inFolder(async (folder) => {
      const file = join(folder, debianName(target));
      Deno.writeFileSync(file, bytes);
      const fields = await output(
        "dpkg-deb",
        ["--show", "--showformat=${Package} ${Version} ${Architecture}", file],
        folder,
      );
      const { arch } = Deno.build;
      assertEquals(fields, `sandpiper ${debianVersion(VERSION)} ${arch === "x86_64" ? "amd64" : "arm64"}`);
      const system = join(folder, "root");
      for (const part of ["info", "updates", "triggers"]) {
        Deno.mkdirSync(join(system, "var/lib/dpkg", part), { recursive: true });
      }
      Deno.writeTextFileSync(join(system, "var/lib/dpkg/status"), "");
      // There is nothing else in this root: neither the C library nor a log.
      const dpkg = (...args: readonly string[]) =>
        output("dpkg", [`--root=${system}`, "--force-depends", "--log=/dev/null", ...args], folder);
      await dpkg("--install", file);
      assertEquals(await output(join(system, "usr/bin/sandpiper"), [], folder), `sandpiper ${VERSION}\n`);
      const PLACES = [
        "usr/share/bash-completion/completions/sandpiper",
        "usr/share/zsh/vendor-completions/_sandpiper",
        "usr/share/fish/vendor_completions.d/sandpiper.fish",
        "usr/share/man/man1/sandpiper.1.gz",
        "usr/share/doc/sandpiper/copyright",
        "usr/share/doc/sandpiper/changelog.gz",
      ];
      for (const place of PLACES) assert(Deno.statSync(join(system, place)).size > 0, place);
      assertStringIncludes(await output("gzip", ["-dc", join(system, PLACES[3] ?? "")], folder), ".TH SANDPIPER 1");
      assertEquals(await dpkg("--verify", "sandpiper"), "");
      Deno.writeTextFileSync(join(system, PLACES[0] ?? ""), "changed");
      const { stdout } = await new Deno.Command("dpkg", { args: [`--root=${system}`, "--verify", "sandpiper"] })
        .output();
      assertStringIncludes(new TextDecoder().decode(stdout), `??5??????   /${PLACES[0]}`);
      await dpkg("--remove", "sandpiper");
      assertThrows(() => Deno.statSync(join(system, "usr/bin")), Deno.errors.NotFound);
      assertThrows(() => Deno.statSync(join(system, "usr/share/doc")), Deno.errors.NotFound);
    });
  },
});

/** The first bytes of programs, as their formats have them. */
function head(target: Target): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(256);
  const view = new DataView(bytes.buffer);
  if (target.os === "linux") {
    bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
    view.setUint16(0x12, target.arch === "x86_64" ? 62 : 183, true);
  } else if (target.os === "darwin") {
    view.setUint32(0, 0xfeedfacf, true);
    view.setUint32(4, target.arch === "x86_64" ? 0x01000007 : 0x0100000c, true);
  } else {
    bytes.set(text("MZ"));
    view.setUint32(0x3c, 0x80, true);
    bytes.set(text("PE\0\0"), 0x80);
    view.setUint16(0x84, 0x8664, true);
  }
  return bytes;
}

Deno.test("checkFormat() lets through a program for its own target alone", () => {
  const seen = TARGETS.map((target) => TARGETS.map((other) => fits(head(other), target)));
  assertEquals(seen, TARGETS.map((target) => TARGETS.map((other) => target === other)));
  for (const target of TARGETS) {
    assertEquals([text("#!/bin/sh\n"), text("M".repeat(80)), new Uint8Array(0)].map((bytes) => fits(bytes, target)), [
      false,
      false,
      false,
    ]);
  }
});

function fits(bytes: Uint8Array<ArrayBuffer>, target: Target): boolean {
  try {
    checkFormat(bytes, target);
    return true;
  } catch {
    return false;
  }
}

Deno.test("archives are named by version, system and processor, and hold one folder of that name", () => {
  assertEquals(TARGETS.flatMap((target) => archiveEndings(target).map((end) => archiveStem(target, "1.2.3") + end)), [
    "sandpiper-1.2.3-linux-x64.tar.gz",
    "sandpiper-1.2.3-linux-x64.tar.xz",
    "sandpiper-1.2.3-linux-arm64.tar.gz",
    "sandpiper-1.2.3-linux-arm64.tar.xz",
    "sandpiper-1.2.3-darwin-x64.tar.gz",
    "sandpiper-1.2.3-darwin-x64.tar.xz",
    "sandpiper-1.2.3-darwin-arm64.tar.gz",
    "sandpiper-1.2.3-darwin-arm64.tar.xz",
    "sandpiper-1.2.3-win32-x64.zip",
  ]);
  for (const target of TARGETS) {
    const paths = archiveContents(root, target, "top", text("program")).map(({ path }) => path);
    assertEquals(
      paths,
      target.os === "windows" ? ["top/sandpiper.exe", "top/LICENSE", "top/README.md"] : [
        "sandpiper",
        "LICENSE",
        "README.md",
        "sandpiper.1",
        "completions/sandpiper.bash",
        "completions/_sandpiper",
        "completions/sandpiper.fish",
      ]
        .map((path) => `top/${path}`),
    );
  }
});

const BASE = "https://example.org/r";
const CHECKSUMS = new Map(
  TARGETS.map((target, i) => [`${archiveStem(target, VERSION)}.tar.gz`, `${i}`.repeat(64)] as const),
);

Deno.test("homebrewFormula() and nixRecipe() name each archive of macOS and Linux with its checksum", () => {
  const formula = homebrewFormula(BASE, CHECKSUMS);
  const recipe = nixRecipe(BASE, CHECKSUMS);
  for (const [i, target] of TARGETS.entries()) {
    if (target.os === "windows") continue;
    const url = `${BASE}/sandpiper-${VERSION}-${target.name}.tar.gz`;
    assertStringIncludes(formula, `      url "${url}"\n      sha256 "${`${i}`.repeat(64)}"`);
    assertStringIncludes(
      recipe,
      `"${target.arch}-${target.os}" = {\n      url = "${url}";\n      sha256 = "${`${i}`.repeat(64)}"`,
    );
  }
});

Deno.test({
  ...needs(["ruby"], "homebrewFormula() is what Ruby reads, and each system gets its own archive"),
  fn: async () => {
    // Homebrew's language as far as a formula of an archive uses it.
    const language = `class Formula
  def self.test = nil
  def self.method_missing(name, *values) = name == :url ? $urls << [$on, values[0]] : nil
  %w[macos linux arm intel].each { |on| define_singleton_method("on_#{on}") { |&block| $on += [on]; block.call; $on = $on[..-2] } }
end
$on, $urls = [], []
eval($stdin.read)
$urls.each { |on, url| puts [on.join("-"), url].join(" ") }`;
    const child = new Deno.Command("ruby", { args: ["-e", language], stdin: "piped", stdout: "piped" }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(text(homebrewFormula(BASE, CHECKSUMS)));
    await writer.close();
    const of = (name: string): string => `${BASE}/sandpiper-${VERSION}-${name}.tar.gz`;
    assertEquals(new TextDecoder().decode((await child.output()).stdout).split("\n").sort(), [
      "",
      `linux-arm ${of("linux-arm64")}`,
      `linux-intel ${of("linux-x64")}`,
      `macos-arm ${of("darwin-arm64")}`,
      `macos-intel ${of("darwin-x64")}`,
    ]);
  },
});

Deno.test({
  ...needs(["nix-instantiate"], "nixRecipe() is what Nix evaluates, and each system gets its own archive"),
  fn: async () => {
    await inFolder(async (folder) => {
      Deno.writeTextFileSync(join(folder, "sandpiper.nix"), nixRecipe(BASE, CHECKSUMS));
      const expression = `builtins.concatStringsSep " " (map (system: (import ./sandpiper.nix {
        lib = { licenses.mit = 1; sourceTypes.binaryNativeCode = 1; };
        stdenvNoCC = { hostPlatform = { inherit system; }; mkDerivation = attributes: attributes; };
        fetchurl = { url, sha256 }: url;
        installShellFiles = 1;
      }).src) [ "x86_64-linux" "aarch64-darwin" ])`;
      const env = { HOME: folder, NIX_STATE_DIR: join(folder, "state"), NIX_STORE_DIR: join(folder, "store") };
      const { code, stdout, stderr } = await new Deno.Command("nix-instantiate", {
        args: ["--eval", "--strict", "--expr", expression],
        cwd: folder,
        env,
      }).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      const of = (name: string): string => `${BASE}/sandpiper-${VERSION}-${name}.tar.gz`;
      assertEquals(new TextDecoder().decode(stdout).trim(), JSON.stringify(`${of("linux-x64")} ${of("darwin-arm64")}`));
    });
  },
});

/** A Mach-O file of a text, a segment of the compiler where `own` is given, and a last segment, to which a command points. */
function machO(own: string | undefined, marked = ""): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(0x400);
  const view = new DataView(bytes.buffer);
  let at = 32;
  const segment = (name: string, memory: number, from: number, length: number): void => {
    [0x19, 72].forEach((value, i) => view.setUint32(at + 4 * i, value, true));
    bytes.set(text(name), at + 8);
    [memory, name === "__LINKEDIT" ? 0x1000 : length, from, length].forEach((value, i) =>
      view.setBigUint64(at + 24 + 8 * i, BigInt(value), true)
    );
    at += 72;
  };
  const added = own === undefined ? 0 : 0x100;
  segment("__TEXT", 0x1000, 0, 0x200);
  if (own !== undefined) segment("__SUI", 0x1200, 0x200, added);
  segment("__LINKEDIT", 0x1200 + added, 0x200 + added, 0x20 + marked.length);
  // LC_SYMTAB: symbols, and strings behind them.
  [2, 24, 0x200 + added, 0, 0x210 + added, 0x10 + marked.length].forEach((value, i) =>
    view.setUint32(at + 4 * i, value, true)
  );
  at += 24;
  [0xfeedfacf, 0x0100000c, 0, 2, own === undefined ? 3 : 4, at - 32].forEach((value, i) =>
    view.setUint32(4 * i, value, true)
  );
  bytes.set(text(own ?? ""), 0x200);
  bytes.set(text(`symbols         strings         ${marked}`), 0x200 + added);
  return bytes.slice(0, 0x220 + added + marked.length);
}

Deno.test("machOPart() is a program as it was before the compiler put a payload into it, in both ways", () => {
  const plain = machO(undefined);
  assertEquals(machOPart(machO("payload")), plain);
  assertEquals(machOPart(machO(undefined, "<~sui-data~>payload")), plain);
  assertEquals(machOPart(plain), plain);
  assertEquals([machOPart(text("#!/bin/sh")), machOPart(new Uint8Array(64))], [undefined, undefined]);
});

Deno.test({
  ...needs(
    ["xz"],
    "deno task release makes everything that is published, with checksums of all of it, the same each time",
  ),
  fn: async () => {
    await inFolder(async (folder) => {
      for (const target of TARGETS) {
        Deno.mkdirSync(join(folder, "targets", target.name), { recursive: true });
        Deno.writeFileSync(join(folder, "targets", target.name, programName(target)), head(target));
      }
      const release = (out: string, ...more: readonly string[]) =>
        output(Deno.execPath(), [
          ...["run", "-A", "--no-prompt", "--no-check", join(root, "scripts/release.ts")],
          ...[
            "--all",
            "--fast",
            "--base",
            BASE,
            "--targets",
            join(folder, "targets"),
            "--out",
            join(folder, out),
            ...more,
          ],
        ], root);
      await Promise.all([release("first"), release("second")]);
      const [first = "", second] = ["first", "second"].map((out) =>
        Deno.readTextFileSync(join(folder, out, "SHA256SUMS"))
      );
      assertEquals(first, second);
      const version = debianVersion(VERSION);
      const names = [
        ...TARGETS.flatMap((target) => archiveEndings(target).map((ending) => archiveStem(target, VERSION) + ending)),
        ...TARGETS.map(({ name }) => `sandpiper-${name}-${VERSION}.tgz`),
        ...[
          `sandpiper-cli-${VERSION}.tgz`,
          `sandpiper-sdk-${VERSION}.tgz`,
          `sandpiper_${version}_amd64.deb`,
          `sandpiper_${version}_arm64.deb`,
        ],
        ...["install.ps1", "install.sh", "latest.json", "sandpiper.nix", "sandpiper.rb"],
      ];
      const listed = first.trimEnd().split("\n").map((line) => line.slice(66));
      assertEquals(names.filter((name) => !listed.includes(name)), []);
      const there = [...Deno.readDirSync(join(folder, "first"))].map(({ name }) => name);
      assertEquals(there.sort(), [...listed, "Dockerfile", "SHA256SUMS"].sort());
      await output("sha256sum", ["--check", "--strict", "SHA256SUMS"], join(folder, "first"));
      assertEquals(JSON.parse(Deno.readTextFileSync(join(folder, "first/latest.json"))), {
        version: VERSION,
        url: BASE,
      });
      for (const name of ["install.sh", "install.ps1"]) {
        const script = Deno.readTextFileSync(join(folder, "first", name));
        assertEquals([script.includes(`'${VERSION}'`), script.includes(`'${BASE}'`), /@[A-Z]+@/.test(script)], [
          true,
          true,
          false,
        ]);
      }
      // The wrong program in a folder is no release.
      Deno.copyFileSync(join(folder, "targets/linux-x64/sandpiper"), join(folder, "targets/linux-arm64/sandpiper"));
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          join(root, "scripts/release.ts"),
          "--targets",
          join(folder, "targets"),
          "--out",
          join(folder, "third"),
        ],
        cwd: root,
        env: { NO_COLOR: "1" },
      }).output();
      assertEquals(code, 1);
      assertStringIncludes(new TextDecoder().decode(stderr), "the program for linux-arm64 is one for linux x86_64");
    });
  },
});
