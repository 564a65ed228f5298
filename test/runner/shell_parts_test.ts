import { assertEquals, assertMatch } from "@std/assert";
import { bytesOf, isShellScript, textOf } from "../../src/runner/shell/files.ts";
import { shownOutput } from "../../src/runner/shell/output.ts";
import { ownFiles } from "../../src/runner/shell/own_files.ts";
import { openFiles } from "../../src/runner/files/files.ts";
import { policyFor, scope, world } from "./world.ts";

const SCRIPTS: readonly (readonly [head: string, isScript: boolean])[] = [
  ["#!/bin/sh\n", true],
  ["#!/bin/bash -e\n", true],
  ["#! /usr/bin/env bash\n", true],
  ["#!/usr/bin/env -S bash -e\n", true],
  ["#!/usr/bin/dash", true],
  ["echo no interpreter is named\n", true],
  ["", true],
  ["#!/usr/bin/python3\n", false],
  ["#!/usr/bin/env python3\n", false],
  ["#!/bin/shell\n", false],
  ["#!/opt/bash/run\n", false],
  ["#!bash\n", false],
  ["\x7fELF\x02\0", false],
  ["#!/bin/sh\n\0", false],
];
for (const [head, isScript] of SCRIPTS) {
  Deno.test(`isShellScript() of ${JSON.stringify(head)} is ${isScript}`, () =>
    assertEquals(isShellScript(new TextEncoder().encode(head)), isScript));
}

Deno.test("bytesOf() and textOf() keep every byte in every encoding that can", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  for (const encoding of ["latin1", "binary", "base64", "hex"] as const) {
    assertEquals(bytesOf(textOf(bytes, encoding), encoding), bytes);
    assertEquals(bytesOf(textOf(bytes, { encoding }), { encoding }), bytes);
  }
  assertEquals(textOf(bytesOf("\u00e4\u{1f600}")), "\u00e4\u{1f600}");
  assertEquals(textOf(bytesOf("x", { encoding: null })), "x");
  const part = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
  assertEquals(bytesOf(part), new Uint8Array([2, 3]));
});

Deno.test("shownOutput() shows the newest lines, stores the rest, and does without a file where none may be written", () => {
  using place = world();
  const files = openFiles(policyFor(place.root, { write: scope(`${place.root}/out`) }));
  const limits = { outputBytes: 20, outputLines: 3 };
  const show = (text: string, folder = `${place.root}/out`): ReturnType<typeof shownOutput> =>
    shownOutput(text, limits, files, folder);
  assertEquals(show("a\nb\n"), { output: "a\nb\n", totalLines: 2, totalBytes: 4 });
  const { fullOutputPath = "", ...rest } = show("1\n2\n3\n4\x1b[31m\n");
  assertEquals(rest, { output: "2\n3\n4\n", totalLines: 4, totalBytes: 8, truncatedBy: "lines" });
  assertEquals(Deno.readTextFileSync(fullOutputPath), "1\n2\n3\n4\n");
  assertMatch(fullOutputPath, /\/out\/bash-[0-9a-f-]{36}\.log$/);
  const bytes = show(`${"x".repeat(30)}\nyy\n`, "/nowhere");
  assertEquals(bytes, { output: "yy\n", totalLines: 2, totalBytes: 34, truncatedBy: "bytes" });
  assertEquals(show("\u00e4".repeat(30), "/nowhere").output, "\u00e4".repeat(10));
});

Deno.test("ownFiles() has the shell's commands, devices and the folders above what may be read, and nothing else", () => {
  const own = ownFiles(new Set(["cat", "ls"]), { read: scope("/home/u/w") });
  const kind = (path: string): string | undefined => {
    const stat = own.stat(path);
    return stat && (stat.isDirectory ? "folder" : "file");
  };
  assertEquals(["/bin", "/usr/bin", "/", "/home", "/home/u"].map(kind), Array(5).fill("folder"));
  assertEquals(["/bin/cat", "/usr/bin/ls", "/dev/null"].map(kind), Array(3).fill("file"));
  assertEquals(["/bin/python3", "/home/u/w", "/home/v", "/dev/sda", "/etc"].map(kind), Array(5).fill(undefined));
  assertEquals([own.isDevice("/dev/null"), own.isDevice("/dev/mem")], [true, false]);
  assertEquals([own.names("/bin"), own.names("/home")], [["cat", "ls"], undefined]);
});
