import { assertEquals } from "@std/assert";
import { openLook } from "../../../src/sandbox/git_layer/real_files.ts";
import { openRefs } from "../../../src/sandbox/git_layer/refs.ts";

const ignore = Deno.build.os !== "linux";
const text = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes);

/** Calls `look` until two answers are the same object: what has just changed is read each time. */
async function settled<T>(look: () => T): Promise<T> {
  for (let last = look();;) {
    const next = look();
    if (next === last) return next;
    last = next;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

Deno.test({
  name: "openLook() sees what is written, replaced and removed, and reads nothing twice",
  ignore,
  fn: async () => {
    const folder = Deno.makeTempDirSync();
    const path = `${folder}/index`;
    const look = openLook(path, 10);
    const seen: (string | undefined)[] = [text(look())];
    Deno.writeTextFileSync(path, "one");
    seen.push(text(look()));
    await settled(look);
    Deno.writeTextFileSync(path, "two");
    seen.push(text(look()));
    await settled(look);
    const same = Deno.statSync(path);
    Deno.writeTextFileSync(`${path}.lock`, "six");
    Deno.utimeSync(`${path}.lock`, same.atime ?? 0, same.mtime ?? 0);
    Deno.renameSync(`${path}.lock`, path);
    seen.push(text(look()));
    await settled(look);
    Deno.writeTextFileSync(path, "more than ten");
    seen.push(text(look()));
    Deno.removeSync(path);
    seen.push(text(look()));
    assertEquals(seen, [undefined, "one", "two", "six", undefined, undefined]);
    Deno.removeSync(folder, { recursive: true });
  },
});

Deno.test({
  name: "openRefs() gives the same map while nothing changed, and sees each reference that did",
  ignore,
  fn: async () => {
    const folder = Deno.makeTempDirSync();
    const [one, two] = ["1".repeat(40), "2".repeat(40)];
    const put = (name: string, value: string): void => {
      Deno.writeTextFileSync(`${folder}/${name}.lock`, `${value}\n`);
      Deno.renameSync(`${folder}/${name}.lock`, `${folder}/${name}`);
    };
    Deno.mkdirSync(`${folder}/refs/heads/inner`, { recursive: true });
    put("refs/heads/main", one);
    put("refs/heads/inner/a", one);
    const refs = openRefs(folder);
    const loose = (): object => Object.fromEntries(refs().loose);
    await settled(() => refs().loose);
    assertEquals(loose(), { "refs/heads/main": one, "refs/heads/inner/a": one });
    put("refs/heads/inner/a", two);
    assertEquals(loose(), { "refs/heads/main": one, "refs/heads/inner/a": two });
    await settled(() => refs().loose);
    Deno.removeSync(`${folder}/refs/heads/inner`, { recursive: true });
    assertEquals(loose(), { "refs/heads/main": one });
    await settled(() => refs().loose);
    Deno.writeTextFileSync(`${folder}/packed-refs`, `${two} refs/tags/v1\n`);
    assertEquals([loose(), Object.fromEntries(refs().packed)], [{ "refs/heads/main": one }, { "refs/tags/v1": two }]);
    Deno.removeSync(folder, { recursive: true });
  },
});
