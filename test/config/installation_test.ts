import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { installationOf, RECEIPT } from "../../src/config/installation.ts";

interface Case {
  readonly name: string;
  /** Where the program is, below a folder that stands for the machine. */
  readonly program: string;
  /** What else is there: files by path; `TOP` in them is the folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly by: string;
  readonly isManaged?: boolean;
  readonly update: RegExp;
}

const HASH = "0123456789abcdfghijklmnpqrsvwxyz";
const NPM = "usr/lib/node_modules/@sandpiper/cli";
const manifest = (name: string): string => JSON.stringify({ name, version: "0.1.0" });
const byHand = { by: "hand", isManaged: false, update: /^replace it with the program of https:\S+$/ };

const CASES: readonly Case[] = [
  { name: "nothing around it", program: "home/bin/sandpiper", ...byHand },
  {
    name: "npm install -g, the binary in the launcher's place",
    program: `${NPM}/bin/sandpiper`,
    files: { [`${NPM}/package.json`]: manifest("@sandpiper/cli"), "usr/bin/sandpiper": "" },
    ...{ by: "npm", update: /^npm install -g @sandpiper\/cli@latest$/ },
  },
  {
    name: "npm install -g, the package of the system",
    program: `${NPM}/node_modules/@sandpiper/linux-x64/bin/sandpiper`,
    files: {
      [`${NPM}/node_modules/@sandpiper/linux-x64/package.json`]: manifest("@sandpiper/linux-x64"),
      "usr/bin/sandpiper": "",
    },
    ...{ by: "npm", update: /^npm install -g @sandpiper\/cli@latest$/ },
  },
  {
    name: "npx",
    program: "home/.npm/_npx/1a/node_modules/@sandpiper/linux-x64/bin/sandpiper",
    files: {
      "home/.npm/_npx/1a/node_modules/@sandpiper/linux-x64/package.json": manifest("@sandpiper/linux-x64"),
      "home/.npm/_npx/1a/package.json": '{"_npx": {"packages": ["@sandpiper/cli"]}}',
    },
    ...{ by: "npm", update: /^npx @sandpiper\/cli@latest$/ },
  },
  {
    name: "Deno's folder of packages",
    program: "home/.cache/deno/npm/registry/@sandpiper/linux-x64/1.2.3/bin/sandpiper",
    files: {
      "home/.cache/deno/npm/registry/@sandpiper/linux-x64/1.2.3/package.json": JSON.stringify({
        name: "@sandpiper/linux-x64",
        version: "1.2.3",
      }),
    },
    ...{ by: "npm", update: /^deno install -g -A -f npm:@sandpiper\/cli@latest/ },
  },
  {
    name: "a project of npm",
    program: "home/my project/node_modules/@sandpiper/linux-arm64/bin/sandpiper",
    files: {
      "home/my project/node_modules/@sandpiper/linux-arm64/package.json": manifest("@sandpiper/linux-arm64"),
      "home/my project/package-lock.json": "{}",
    },
    ...{ by: "npm", update: /^cd '.*\/home\/my project' && npm install @sandpiper\/cli@latest$/ },
  },
  {
    name: "a project of pnpm",
    program: "p/node_modules/.pnpm/@sandpiper+linux-x64@0.1.0/node_modules/@sandpiper/linux-x64/bin/sandpiper",
    files: {
      "p/node_modules/.pnpm/@sandpiper+linux-x64@0.1.0/node_modules/@sandpiper/linux-x64/package.json": manifest(
        "@sandpiper/linux-x64",
      ),
      "p/pnpm-lock.yaml": "",
    },
    ...{ by: "npm", update: /^cd .*\/p && pnpm add @sandpiper\/cli@latest$/ },
  },
  {
    name: "a folder that is only called node_modules",
    program: "p/node_modules/other/bin/sandpiper",
    files: { "p/node_modules/other/package.json": manifest("other") },
    ...byHand,
  },
  {
    name: "a package of Debian",
    program: "usr/bin/sandpiper",
    files: { "dpkg/sandpiper.list": "/.\n/usr\nTOP/usr/bin/sandpiper\n" },
    ...{ by: "deb", update: /^sudo apt install \.\/FILE, with the \.deb of https:/ },
  },
  {
    name: "a program beside the one of Debian",
    program: "usr/local/bin/sandpiper",
    files: { "dpkg/sandpiper.list": "/.\nTOP/usr/bin/sandpiper\n" },
    ...byHand,
  },
  {
    name: "Homebrew",
    program: "opt/homebrew/Cellar/sandpiper/0.1.0/bin/sandpiper",
    files: { "opt/homebrew/Cellar/sandpiper/0.1.0/INSTALL_RECEIPT.json": "{}" },
    ...{ by: "homebrew", update: /^brew upgrade sandpiper$/ },
  },
  {
    name: "a folder that is only called as Homebrew's",
    program: "x/Cellar/sandpiper/0.1.0/bin/sandpiper",
    ...byHand,
  },
  {
    name: "Nix",
    program: `store/${HASH}-sandpiper-0.1.0/bin/sandpiper`,
    ...{ by: "nix", update: /nix profile upgrade sandpiper$/ },
  },
  {
    name: "install.sh",
    program: "home/it's/bin/sandpiper",
    files: { [`home/it's/${RECEIPT}`]: "by=install.sh\nversion=0.1.0\nfrom=x\npath=TOP/home/it's/bin/sandpiper\n" },
    ...{ by: "install.sh", isManaged: false, update: /install\.sh \| SANDPIPER_PREFIX='.*\/home\/it'\\''s' sh$/ },
  },
  {
    name: "install.ps1",
    program: "home/p/bin/sandpiper",
    files: { [`home/p/${RECEIPT}`]: "by=install.ps1\nversion=0.1.0\npath=TOP/home/p/bin/sandpiper\n" },
    ...{ by: "install.ps1", isManaged: false, update: /install\.ps1 \| iex$/ },
  },
  {
    name: "a receipt of a program that was moved here",
    program: "home/p/bin/sandpiper",
    files: { [`home/p/${RECEIPT}`]: "by=install.sh\nversion=0.1.0\npath=/elsewhere/bin/sandpiper\n" },
    ...byHand,
  },
];

Deno.test("installationOf() tells who installed a program by what lies around it, and guesses nothing", () => {
  for (const { name, program, files = {}, by, isManaged = true, update } of CASES) {
    const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-installed-" }));
    try {
      for (const [path, content] of [[program, ""], ...Object.entries(files)] as const) {
        Deno.mkdirSync(dirname(join(top, path)), { recursive: true });
        Deno.writeTextFileSync(join(top, path), content.replaceAll("TOP", top));
      }
      const places = { dpkg: join(top, "dpkg"), nixStore: join(top, "store") };
      const found = installationOf(join(top, program), places, "https://project.example/sandpiper");
      assertEquals([found.by, found.path, found.isManaged], [by, join(top, program), isManaged], name);
      assertEquals(update.test(found.update), true, `${name}: ${found.update}`);
      // Nothing is published: no address, no command that would install another project's package.
      const unpublished = installationOf(join(top, program), places, undefined);
      assertEquals([unpublished.by, unpublished.isManaged], [by, isManaged], name);
      assertEquals(
        /OWNER|https?:|@latest|undefined|\b(?:npm|npx|pnpm|deno) /.test(unpublished.update),
        false,
        unpublished.update,
      );
    } finally {
      Deno.removeSync(top, { recursive: true });
    }
  }
});
