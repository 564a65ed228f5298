// The package for the npm registry, with a script in the place of the binary; test/binary/npm_test.ts installs the real one.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { type NpmPackage, tarball, tarballName } from "../../scripts/npm/package.ts";
import { mainPackage, platformPackage } from "../../scripts/npm/sandpiper.ts";
import { targetOf, TARGETS } from "../../src/config/targets.ts";
import { VERSION } from "../../src/core/version.ts";
import { until } from "../helpers/until.ts";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));
const own = targetOf(Deno.build);
const text = new TextDecoder();

/** Lays packages out as npm does. */
function install(folder: string, packages: readonly NpmPackage[]): void {
  for (const { manifest, files } of packages) {
    const place = join(folder, "node_modules", manifest.name);
    for (const { path, bytes, isProgram } of files) {
      Deno.mkdirSync(dirname(join(place, path)), { recursive: true });
      Deno.writeFileSync(join(place, path), bytes, { mode: isProgram ? 0o755 : 0o644 });
    }
    Deno.writeTextFileSync(join(place, "package.json"), JSON.stringify(manifest));
  }
}

/** The package for this system with a shell script as its binary. */
function scripted(script: string, version = VERSION): NpmPackage {
  const bytes = new TextEncoder().encode(`#!/bin/sh\n${script}\n`);
  return {
    manifest: { name: `@sandpiper/${own?.name}`, version },
    files: [{ path: "bin/sandpiper", bytes, isProgram: true }],
  };
}

async function inFolder(packages: readonly NpmPackage[], work: (command: string, folder: string) => Promise<void>) {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-npm-" }));
  try {
    install(folder, [mainPackage(root), ...packages]);
    await work(join(folder, "node_modules/@sandpiper/cli/bin/sandpiper"), folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("the launcher hands on arguments, input, output, the binary's own name and the exit code", async () => {
  const script = 'printf "<%s>" "$0" "$@"; cat; echo "to stderr" >&2; exit 7';
  await inFolder([scripted(script)], async (command, folder) => {
    const child = new Deno.Command(command, {
      args: ["-p", "two words", "", "--", "*"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const input = child.stdin.getWriter();
    await input.write(new TextEncoder().encode("from stdin"));
    await input.close();
    const { code, stdout, stderr } = await child.output();
    const binary = `${folder}/node_modules/@sandpiper/${own?.name}/bin/sandpiper`;
    assertEquals(
      [code, text.decode(stdout), text.decode(stderr)],
      [7, `<${binary}><-p><two words><><--><*>from stdin`, "to stderr\n"],
    );
  });
});

Deno.test("the launcher hands on signals once, and ends as the binary did", async () => {
  const script =
    `trap 'echo TERM; exit 143' TERM; trap 'echo INT; exit 130' INT; echo ready; while :; do sleep 0.02; done`;
  const CASES = [
    { sent: "SIGTERM", said: "ready\nTERM\n", status: { success: false, code: 143, signal: null } },
    { sent: "SIGINT", said: "ready\nINT\n", status: { success: false, code: 130, signal: null } },
    // Ends the script, which has no trap for it: the launcher ends by the same signal.
    { sent: "SIGHUP", said: "ready\n", status: { success: false, code: 129, signal: "SIGHUP" } },
  ] as const;
  await inFolder([scripted(script)], async (command) => {
    await Promise.all(CASES.map(async ({ sent, said, status }) => {
      const child = new Deno.Command(command, { stdin: "null", stdout: "piped", stderr: "inherit" }).spawn();
      let heard = "";
      const reading = (async () => {
        for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) heard += piece;
      })();
      await until(() => heard.includes("ready"), () => "for the script");
      child.kill(sent);
      assertEquals(await child.status, status, sent);
      await reading;
      assertEquals(heard, said);
    }));
  });
});

Deno.test("where no package fits the launcher says which, and what to do", async () => {
  const other = scripted("exit 0", "0.0.1");
  const plain = scripted("exit 0");
  const CASES: readonly (readonly [string, NpmPackage | undefined, string, string])[] = [
    ["none is installed", undefined, "", `the package @sandpiper/${own?.name} is not installed. Install again`],
    ["another version", other, "", `has version 0.0.1 and this one ${VERSION}. Install again`],
    [
      "another processor",
      plain,
      'Object.defineProperty(process, "arch", { value: "s390x" })',
      "for linux-s390x, only for",
    ],
    ["musl", plain, 'require("node:fs").existsSync = () => false', "it needs the GNU C library"],
  ];
  for (const [name, platform, before, said] of CASES) {
    await inFolder(platform ? [platform] : [], async (command, folder) => {
      Deno.writeTextFileSync(join(folder, "before.cjs"), before);
      const { code, stderr } = await new Deno.Command("node", {
        args: ["--require", join(folder, "before.cjs"), command],
        stderr: "piped",
      }).output();
      assertEquals(code, 1, name);
      assertStringIncludes(text.decode(stderr), "error: sandpiper cannot start: ", name);
      assertStringIncludes(text.decode(stderr), said, name);
      assertEquals(text.decode(stderr).trim().split("\n").length, 1, name);
    });
  }
});

Deno.test("the install script puts the binary in the launcher's place only under npm, and only one that runs", async () => {
  const works = `echo "sandpiper ${VERSION}"`;
  const CASES: readonly (readonly [string, string, string, boolean])[] = [
    ["npm", "npm/10.8.2 node/v20.20.2 linux x64", works, true],
    ["another package manager", "pnpm/9.0.0 npm/? node/v20", works, false],
    ["a binary that does not run here", "npm/10.8.2", "exit 1", false],
  ];
  for (const [name, agent, script, isReplaced] of CASES) {
    await inFolder([scripted(script)], async (command, folder) => {
      const { code, stdout, stderr } = await new Deno.Command("node", {
        args: [join(folder, "node_modules/@sandpiper/cli/install.cjs")],
        env: { npm_config_user_agent: agent },
      }).output();
      assertEquals([code, text.decode(stdout), text.decode(stderr)], [0, "", ""], name);
      const binary = join(folder, "node_modules/@sandpiper", own?.name ?? "", "bin/sandpiper");
      assertEquals(Deno.statSync(command).ino === Deno.statSync(binary).ino, isReplaced, name);
      assertEquals([...Deno.readDirSync(dirname(command))].map((one) => one.name), ["sandpiper"], name);
    });
  }
});

Deno.test("packages have the same bytes each time, a name for each system, and no binary of another one", () => {
  const main = mainPackage(root);
  assertEquals(tarballName(main), `sandpiper-cli-${VERSION}.tgz`);
  assertEquals(tarball(main), tarball(mainPackage(root)));
  assertEquals(
    Object.keys(main.manifest["optionalDependencies"] as object), // written by the function above
    TARGETS.map(({ name }) => `@sandpiper/${name}`),
  );
  const elf = new Uint8Array(64);
  elf.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  elf[0x12] = 62;
  const [x64, arm64] = TARGETS;
  assert(x64 && arm64);
  const { manifest } = platformPackage(root, x64, elf);
  assertEquals([manifest["os"], manifest["cpu"], manifest["libc"]], [["linux"], ["x64"], ["glibc"]]);
  let refused = "";
  try {
    platformPackage(root, arm64, elf);
  } catch (error) {
    refused = String(error);
  }
  assertStringIncludes(refused, "the program for linux-arm64 is one for linux x86_64");
});
