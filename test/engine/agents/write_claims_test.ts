import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { createWriteClaims } from "../../../src/engine/agents/write_claims.ts";

/** A directory with `a/inside` and `b`, real paths. */
function withPlaces(work: (top: string) => void): void {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${top}/a`);
    Deno.mkdirSync(`${top}/b`);
    Deno.writeTextFileSync(`${top}/a/inside`, "");
    work(top);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test("conflict() names a path that overlaps one of another agent, and none after that agent's release", () =>
  withPlaces((top) => {
    const claims = createWriteClaims();
    claims.take("one", [`${top}/a`]);
    assertEquals(claims.conflict("two", [`${top}/a`]), `one writes ${top}/a`);
    for (const path of [`${top}/a/inside`, `${top}/a/absent`, top]) {
      assertEquals(claims.conflict("two", [`${top}/b`, path]), `${path} overlaps ${top}/a, which one writes`);
    }
    assertEquals(claims.conflict("two", [`${top}/b`, `${top}/ab`]), undefined);
    assertEquals(claims.conflict("one", [`${top}/a/inside`]), undefined);
    claims.take("one", [`${top}/b`]);
    assertEquals(claims.conflict("two", [`${top}/a`]), `one writes ${top}/a`);
    claims.release("one");
    assertEquals(claims.conflict("two", [`${top}/a`, `${top}/b`]), undefined);
  }));

Deno.test("conflict() knows a file by its device and inode: a second name of it is the same file", () =>
  withPlaces((top) => {
    Deno.linkSync(`${top}/a/inside`, `${top}/b/second`);
    Deno.writeTextFileSync(`${top}/b/other`, "");
    const claims = createWriteClaims();
    claims.take("one", [`${top}/a/inside`]);
    assertEquals(
      claims.conflict("two", [`${top}/b/second`]),
      `${top}/b/second overlaps ${top}/a/inside, which one writes`,
    );
    assertEquals(claims.conflict("two", [`${top}/b/other`]), undefined);
  }));

// The program of a process in its own mount namespace, in which `b` is `a`.
const IN_MOUNTS = `
  import { createWriteClaims } from ${
  JSON.stringify(import.meta.resolve("../../../src/engine/agents/write_claims.ts"))
};
  const [top] = Deno.args;
  const conflict = (held, wanted) => {
    const claims = createWriteClaims();
    claims.take("one", [top + held]);
    return claims.conflict("two", [top + wanted]) !== undefined;
  };
  console.log(JSON.stringify([
    conflict("/a", "/b"), conflict("/a", "/b/inside"), conflict("/a/inside", "/b"), conflict("/a/inside", "/c"),
  ]));`;

const CONFIG = fromFileUrl(import.meta.resolve("../../../deno.json"));
const MOUNT = 'mount --bind "$1/a" "$1/b" && exec "$2" run --allow-read --config "$4" "$3" "$1"';
const asRoot = Deno.uid() === 0 ? [] : ["--user", "--map-root-user"];
const canMount = (() => {
  try {
    return new Deno.Command("unshare", {
      args: [...asRoot, "--mount", "mount", "--bind", "/tmp", "/tmp"],
      stdout: "null",
      stderr: "null",
    }).outputSync().success;
  } catch {
    return false;
  }
})();

Deno.test({
  name: "conflict() knows a directory by its device and inode: a bind mount of it overlaps, from both sides",
  ignore: !canMount,
  fn: () =>
    withPlaces((top) => {
      Deno.mkdirSync(`${top}/c`);
      Deno.writeTextFileSync(`${top}/program.js`, IN_MOUNTS);
      const { stdout, stderr } = new Deno.Command("unshare", {
        args: [...asRoot, "--mount", "sh", "-c", MOUNT, "sh", top, Deno.execPath(), `${top}/program.js`, CONFIG],
        env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      }).outputSync();
      const decoder = new TextDecoder();
      assertEquals(decoder.decode(stdout).trim(), "[true,true,true,false]", decoder.decode(stderr));
    }),
});
