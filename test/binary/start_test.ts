import { assert, assertEquals } from "@std/assert";
import { elfPart } from "../../scripts/build/base_runtime.ts";
import { LENGTH_DIGITS, type Modules } from "../../src/boot/modules.ts";
import { findArchive } from "../../src/pack/carrier.ts";
import { BINARY } from "../helpers/program.ts";

/** What `deno compile` appends is in the memory of every process from its start on: bytes. Raise it only with a reason. */
const MOST_APPENDED = 300_000;
/** What stands in front of the list of modules (scripts/build/build_binary.ts). */
const ID_DIGITS = 16;

const ignore = Deno.build.os !== "linux";

Deno.test({
  ...{ name: "what every start reads is small, and what the everyday tools need comes in two packs", ignore },
  fn: () => {
    const bytes = Deno.readFileSync(BINARY.command[0] ?? "");
    const read = (offset: number, length: number) => bytes.slice(offset, offset + length);
    const appended = bytes.length - findArchive({ size: bytes.length, read }).end;
    assert(appended <= MOST_APPENDED, `${appended} bytes`);

    const at = (elfPart(bytes)?.length ?? 0) + ID_DIGITS;
    const text = (offset: number, length: number): string => new TextDecoder().decode(read(offset, length));
    const list: Modules = JSON.parse(text(at + LENGTH_DIGITS, parseInt(text(at, LENGTH_DIGITS), 16)));
    const opened = list.packs.filter(({ name }) => name === "task" || name === "turn");
    const names = opened.flatMap(({ modules }) => modules);
    // A module that is in neither is taken from the pack of the runner's worker, which is opened and kept for that.
    const has = (tool: string): boolean => names.some((name) => name.startsWith(`${tool}-`));
    assertEquals(["bash", "edit", "read", "write"].filter((tool) => !has(tool)), []);
  },
});
