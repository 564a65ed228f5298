import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/core/json.ts";
import { textOf } from "../../../src/core/message.ts";
import type { Policy } from "../../../src/core/policy.ts";
import { answerBulk, bulkMemory, openBulkLink } from "../../../src/runner/files/bulk_link.ts";
import { openBulkReader } from "../../../src/runner/files/bulk_reader.ts";
import { openRunner } from "../../../src/sandbox/runner_client/runner_client.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { policyFor } from "../world.ts";

const ignore = Deno.build.os !== "linux";
const SCRIPT = new URL("../../../src/runner/worker.ts", import.meta.url);

/** A workspace with files that a search has to meet; the comma in its name makes its runner a wide one with a worker. */
function workspace(): { readonly base: string; readonly root: string } & Disposable {
  const base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-bulk-" }));
  const root = `${base}/work,1`;
  // Names that no path of Deno's can hold are made by a shell.
  const script = String.raw`mkdir -p "$1/sub" "$1/hidden" "$2" "$3"; cd "$1"
printf 'needle one\n' >a.txt; printf 'needle bad\n' >"$(printf 'caf\351.txt')"; mkdir "$(printf 'd\377')"
printf 'needle deep\n' >"$(printf 'd\377/in.txt')"; printf 'needle secret\n' >hidden/s.txt; : >empty
printf 'needle outside\n' >"$2/o.txt"; ln -s "$2" away; ln -s "$2/o.txt" sub/link; mkfifo sub/fifo; ln -s a.txt near
printf 'needle sub\n' >sub/b.txt`;
  const args = ["-c", script, "sh", root, `${base}/outside`, `${base}/tmp`];
  if (!new Deno.Command("sh", { args }).outputSync().success) throw new Error("the workspace could not be made");
  const drop = (): void => void new Deno.Command("rm", { args: ["-rf", base] }).outputSync();
  return { base, root, [Symbol.dispose]: drop };
}

function linked(policy: Policy): ReturnType<typeof openBulkLink> {
  const reader = openBulkReader(policy);
  const memory = bulkMemory();
  // Here both ends are one thread: the answer is there before anybody waits for it.
  return openBulkLink(memory, (request) => answerBulk(memory, (room) => reader?.(request, room) ?? -1));
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

Deno.test({ name: "openBulkReader() lists and reads a folder, whatever its names are", ignore }, () => {
  using place = workspace();
  const bulk = linked(policyFor(place.root, { denyRead: [`${place.root}/hidden`] }));
  const names = bulk.list(place.root)?.map(({ name }) => name).sort();
  assertEquals(names, ["a.txt", "away", "caf\udce9.txt", "d\udcff", "empty", "hidden", "near", "sub"]);
  assertEquals(bulk.list(place.root)?.find(({ name }) => name === "away"), {
    ...{ name: "away", isDirectory: false, isSymlink: true },
  });
  const got = bulk.read(place.root, ["a.txt", "none", "near", "sub", "caf\udce9.txt", "empty"], 6);
  assertEquals([got?.count, got?.files.map(({ name, bytes }) => [name, text(bytes)])], [
    6,
    [["a.txt", "needle"], ["caf\udce9.txt", "needle"], ["empty", ""]],
  ]);
  const sub = bulk.read(`${place.root}/sub`, ["link", "fifo", "b.txt"], 100);
  assertEquals(sub?.files.map(({ name }) => name), ["b.txt"]);
});

Deno.test({
  name: "openBulkReader() refuses by itself what the policy does not give, and every link on the way",
  ignore,
}, () => {
  using place = workspace();
  const bulk = linked(policyFor(place.root, { denyRead: [`${place.root}/hidden`] }));
  const { base, root } = place;
  for (
    const folder of [
      `${base}/outside`,
      "/etc",
      "/",
      `${root}/away`,
      `${root}/hidden`,
      `${root}/../outside`,
      "sub",
      "/proc/self",
    ]
  ) {
    assertEquals([folder, bulk.list(folder)], [folder, undefined]);
    assertEquals([folder, bulk.read(folder, ["o.txt", "s.txt", "passwd", "status"], 100)], [folder, undefined]);
  }
  for (const name of ["../outside/o.txt", "hidden/s.txt", "..", ".", "", "a\0b"]) {
    assertEquals([name, bulk.read(root, [name], 100)], [name, undefined]);
  }
});

Deno.test({ name: "BulkLink.read() takes as many files as it has room for and goes on with the rest", ignore }, () => {
  using place = workspace();
  const names = Array.from({ length: 40 }, (_, i) => `big${String(i).padStart(2, "0")}`);
  for (const name of names) Deno.writeTextFileSync(`${place.root}/${name}`, name.repeat(60_000));
  const bulk = linked(policyFor(place.root));
  const seen: string[] = [];
  for (let left = names; left.length > 0;) {
    const got = bulk.read(place.root, left, 256 * 1024);
    if (!got) break;
    for (const { name, bytes } of got.files) {
      if (text(bytes).startsWith(name) && bytes.length === 262_144) seen.push(name);
    }
    left = left.slice(got.count);
  }
  assertEquals(seen, names);
});

Deno.test({ name: "ls, find and grep show names that are not UTF-8, through the real runner", ignore }, async () => {
  using place = workspace();
  const policy = policyFor(place.root, { sandbox: "kernel", denyRead: [`${place.root}/hidden`] });
  const runner = openRunner(policy, thisProgram(), SCRIPT);
  const call = async (name: string, args: JsonObject): Promise<string> =>
    textOf((await runner.call({ name, args }, { signal: AbortSignal.any([]), onUpdate: () => {} })).content);
  try {
    assertMatch(await call("ls", {}), /^a\.txt\naway\n"caf\\xe9\.txt"\n"d\\xff"\/\nempty\nhidden\/\nnear\nsub\/$/);
    assertEquals(
      (await call("find", { pattern: "*.txt" })).split("\n").sort(),
      ['"caf\\xe9.txt"', '"d\\xff/in.txt"', "a.txt", "sub/b.txt"],
    );
    assertEquals(
      (await call("grep", { pattern: "needle" })).split("\n").sort(),
      [
        '"caf\\xe9.txt":1: needle bad',
        '"d\\xff/in.txt":1: needle deep',
        "a.txt:1: needle one",
        "sub/b.txt:1: needle sub",
      ],
    );
    assertMatch(await call("ls", { path: "../outside" }), /outside the read scope/);
    assertMatch(await call("grep", { pattern: "needle", path: "away" }), /outside the read scope/);
  } finally {
    await runner.close();
  }
});
