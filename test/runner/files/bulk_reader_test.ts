import { Buffer } from "node:buffer";
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/core/json.ts";
import { textOf } from "../../../src/core/message.ts";
import type { Policy } from "../../../src/core/policy.ts";
import { answerBulk, bulkMemory, openBulkLink } from "../../../src/runner/files/bulk_link.ts";
import { openBulkReader } from "../../../src/runner/files/bulk_reader.ts";
import { openRunner } from "../../helpers/open_runner.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { policyFor } from "../world.ts";
import type { Asking } from "../bulk_asker.ts";

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
  return openBulkLink(memory, () => answerBulk(memory, (...asked) => reader?.(...asked) ?? -1, 0));
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

Deno.test({ name: "BulkLink.read() leaves out what cannot hold a needle, and nothing else", ignore }, () => {
  using place = workspace();
  const utf16 = (text: string): Uint8Array => new Uint8Array(new Uint16Array([0xfeff, ...Buffer.from(text)]).buffer);
  const files: Readonly<Record<string, string | Uint8Array>> = {
    ...{
      "1 at the start": "needle",
      "2 at the end": "a needle",
      "3 without": "needl",
      "4 empty": "",
      "5 one byte": "n",
    },
    ...{ "6 wide": utf16("needle"), "7 wide, other order": utf16("none").map((_, i, all) => all[i ^ 1] ?? 0) },
    ...{
      "8 two bytes": new Uint8Array([0xff, 0xfe]),
      "9 as long as may be": "x".repeat(100),
      "10 longer": "x".repeat(101),
    },
    ...{ "11 almost as long": "x".repeat(99), "12 binary": "\0needle" },
  };
  for (const [name, content] of Object.entries(files)) {
    Deno.writeFileSync(`${place.root}/${name}`, typeof content === "string" ? Buffer.from(content) : content);
  }
  const bulk = linked(policyFor(place.root));
  const names = [...Object.keys(files), "none"];
  const got = bulk.read(place.root, names, 100, "needle");
  assertEquals(got?.count, names.length);
  assertEquals(
    got?.files.map(({ name, bytes }) => `${parseInt(name)} ${bytes.length}`),
    ["1 6", "2 8", "6 14", "7 10", "8 2", "9 100", "10 100", "12 7"],
  );
  // What stood in memory before is no part of a shorter file.
  assertEquals(bulk.read(place.root, ["1 at the start", "5 one byte", "3 without"], 100, "eedle")?.files.length, 1);
});

Deno.test({ name: "answerBulk() leaves its thread to other events while a search goes on", ignore }, async () => {
  using place = workspace();
  const policy = policyFor(place.root);
  const reader = openBulkReader(policy);
  const [memory, flag] = [bulkMemory(), new SharedArrayBuffer(4)];
  const worker = new Worker(new URL("../bulk_asker.ts", import.meta.url), { type: "module" });
  const { promise: word, resolve } = Promise.withResolvers<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  worker.onmessage = ({ data }) => {
    if (data !== "asks") return resolve(data);
    timer ??= setTimeout(() => Atomics.store(new Int32Array(flag), 0, 1), 0);
    answerBulk(memory, (...asked) => reader?.(...asked) ?? -1, 10_000);
  };
  worker.postMessage({ memory, flag, folder: place.root } satisfies Asking);
  assertEquals(await word, "heard");
  worker.terminate();
  clearTimeout(timer);
});

Deno.test({ name: "BulkLink.list() waits on where it is woken before the answer is there", ignore }, async () => {
  using place = workspace();
  const reader = openBulkReader(policyFor(place.root));
  const [memory, flag] = [bulkMemory(), new SharedArrayBuffer(4)];
  const worker = new Worker(new URL("../bulk_asker.ts", import.meta.url), { type: "module" });
  const { promise: word, resolve } = Promise.withResolvers<string>();
  worker.onmessage = ({ data }) => {
    if (data !== "asks") return resolve(data);
    // The wake of an earlier answer, which comes late.
    while (Atomics.notify(new Int32Array(memory), 0) === 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    Atomics.store(new Int32Array(flag), 0, 1);
    answerBulk(memory, (...asked) => reader?.(...asked) ?? -1, 0);
  };
  worker.postMessage({ memory, flag, folder: place.root } satisfies Asking);
  assertEquals(await word, "heard");
  worker.terminate();
});

/** Texts in which a search of bytes could find less or more than one of characters. */
const TEXTS: Readonly<Record<string, string | Uint8Array>> = {
  ...{ "plain.txt": "one\ncaf\u00e9 needle\n", "none.txt": "nothing\n", "caf\u00e9.txt": "CAF\u00c9 NEEDLE" },
  "mark.txt": "\ufeffneedle",
  "broken.txt": new Uint8Array([0x6e, 0x65, 0xff, 0x65, 0x64, 0x0a, 0xc3, 0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65]),
  "wide.txt": new Uint8Array(new Uint16Array([0xfeff, ...Buffer.from("a needle")]).buffer),
  "zero.bin": "needle\0needle",
  "large.txt": `${"line\n".repeat(60_000)}needle in a large file\n`,
  "emoji.txt": "\u{1f600}needle\u{1f600}\n",
};

const PATTERNS: readonly JsonObject[] = [
  ...[{ pattern: "needle" }, { pattern: "needle", ignoreCase: true }, { pattern: "(?i)needle" }],
  ...[{ pattern: "caf\u00e9" }, { pattern: "\\w+ needle" }, { pattern: "^needle", context: 1 }],
  ...[{ pattern: "e\ufffded" }, { pattern: "\ufffdneedle" }, { pattern: "\ufeffneedle" }, {
    pattern: "\u{1f600}needle",
  }],
  ...[{ pattern: "\ud83d", literal: true }, { pattern: "needle\\0needle" }, { pattern: "none|needle" }],
  ...[{ pattern: "in a large", literal: true }, { pattern: "needle", glob: "*.txt", limit: 2 }, { pattern: "xyzzy" }],
];

Deno.test({ name: "grep finds by bytes what it finds without the reader", ignore }, async (t) => {
  using place = workspace();
  for (const [name, text] of Object.entries(TEXTS)) {
    Deno.writeFileSync(`${place.root}/sub/${name}`, typeof text === "string" ? Buffer.from(text) : text);
  }
  const runners = (["kernel", "permissions"] as const).map((sandbox) =>
    openRunner(policyFor(place.root, { sandbox }), thisProgram(), SCRIPT)
  );
  try {
    for (const args of PATTERNS) {
      await t.step(JSON.stringify(args), async () => {
        const [fast, plain] = await Promise.all(runners.map(async (runner) => {
          const call = { name: "grep", args: { ...args, path: "sub" } };
          return textOf((await runner.call(call, { signal: AbortSignal.any([]), onUpdate: () => {} })).content);
        }));
        assertEquals(fast, plain);
        assertEquals(
          plain?.startsWith("No matches"),
          ["xyzzy", "\ud83d", "\ufeffneedle", "needle\\0needle"].includes(String(args["pattern"])),
        );
      });
    }
  } finally {
    for (const runner of runners) await runner.close();
  }
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
