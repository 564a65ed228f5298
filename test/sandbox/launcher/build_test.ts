// The launcher's bytes are those that its sources make: where the compiler is that made them, byte by byte; elsewhere what the
// compiler of the machine makes of the sources passes the tests of confinement.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { createHash } from "node:crypto";
import { ARCHITECTURES, buildLauncher, toolsOf } from "../../../scripts/build/launcher.ts";
import { IMAGES } from "../../../src/sandbox/launcher/image.ts";
import { LOCAL_LAUNCHER } from "../confined_world.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));
const FILES = ["confine/confine_test.ts", "confine/fail_closed_test.ts", "launcher/fuzz_test.ts"];

for (const architecture of ARCHITECTURES) {
  const image = IMAGES[architecture];
  const tools = toolsOf(architecture);
  const isSame = tools === image.tools;
  if (!isSame) console.log(`the launcher for ${architecture} is not compared: ${tools ?? "no compiler for it"}`);

  Deno.test(`the launcher for ${architecture} has the digest that is written beside it`, () => {
    assertEquals(createHash("sha256").update(Uint8Array.fromBase64(image.bytes)).digest("hex"), image.digest);
  });

  Deno.test({ name: `the launcher for ${architecture} is what its sources make`, ignore: !isSame }, () => {
    assertEquals(buildLauncher(ROOT, architecture).toBase64(), image.bytes, "run deno task launcher");
  });
}

const compiler = ["gcc", "cc", "clang"].find((name) => toolsOf(Deno.build.arch, name) !== undefined);
const isOwn = toolsOf(Deno.build.arch) === IMAGES[Deno.build.arch].tools;

Deno.test({
  name: "a launcher that this machine's compiler makes confines as the one that is shipped",
  ignore: Deno.build.os !== "linux" || compiler === undefined || (isOwn && !Deno.env.has("SANDPIPER_LOCAL_LAUNCHER")),
  fn: async () => {
    const folder = Deno.makeTempDirSync();
    try {
      Deno.writeFileSync(`${folder}/launcher`, buildLauncher(ROOT, Deno.build.arch, compiler));
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          "test",
          "--no-check",
          "--no-prompt",
          "--cached-only",
          "-A",
          ...FILES.map((name) => `${ROOT}/test/sandbox/${name}`),
        ],
        env: { [LOCAL_LAUNCHER]: `${folder}/launcher`, NO_COLOR: "1" },
      }).output();
      const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assertEquals(code, 0, text.slice(-4_000));
      assert(text.includes("passed"), text.slice(-4_000));
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});
