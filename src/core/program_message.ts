// Programs and their outcomes on the wire: bytes travel as base64, and whatever arrives is checked.
import type { JsonObject, JsonValue } from "./json.ts";
import { PROGRAM_BYTES, type ProgramOutcome, type ProgramRequest } from "./program.ts";

/** Most words of a command line, and UTF-16 units of all of them: about what the kernel takes (ARG_MAX, execve(2)). */
const MAX_WORDS = 10_000;
const MAX_WORD_UNITS = 1024 * 1024;

/** A program as JSON. */
export function programMessage({ argv, cwd, stdin }: ProgramRequest): JsonObject {
  return { argv, cwd, stdin: stdin.toBase64() };
}

/** An outcome as JSON. */
export function outcomeMessage({ exitCode, stdout, stderr, notes }: ProgramOutcome): JsonObject {
  return { exitCode, stdout: stdout.toBase64(), stderr: stderr.toBase64(), notes };
}

/** The program in a message; undefined where it is none. */
export function readProgram(value: JsonValue | undefined): ProgramRequest | undefined {
  const { argv, cwd, stdin } = fields(value);
  const bytes = readBytes(stdin);
  if (!isTexts(argv) || argv.length === 0 || argv.length > MAX_WORDS || bytes === undefined) return undefined;
  if (argv.reduce((sum, word) => sum + word.length, 0) > MAX_WORD_UNITS) return undefined;
  if (typeof cwd !== "string" || !cwd.startsWith("/") || [cwd, ...argv].some((text) => text.includes("\0"))) {
    return undefined;
  }
  return { argv, cwd, stdin: bytes };
}

/** The outcome in a message; undefined where it is none. */
export function readOutcome(value: JsonValue | undefined): ProgramOutcome | undefined {
  const { exitCode, stdout, stderr, notes } = fields(value);
  const [out, err] = [readBytes(stdout), readBytes(stderr)];
  if (typeof exitCode !== "number" || !Number.isInteger(exitCode) || !isTexts(notes) || !out || !err) return undefined;
  return { exitCode, stdout: out, stderr: err, notes };
}

function fields(value: JsonValue | undefined): JsonObject {
  // The checks leave an object; TypeScript does not narrow away a readonly array.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as JsonObject : {};
}

function readBytes(value: JsonValue | undefined): Uint8Array<ArrayBuffer> | undefined {
  // Four characters carry three bytes.
  if (typeof value !== "string" || value.length > PROGRAM_BYTES / 3 * 4 + 4) return undefined;
  try {
    return Uint8Array.fromBase64(value);
  } catch {
    return undefined;
  }
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
