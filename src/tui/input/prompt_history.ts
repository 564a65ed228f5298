import { attempt } from "../../core/support/attempt.ts";

/** What the person said in earlier sessions, for the editor's arrow keys. */
export interface PromptHistory {
  /** The newest ones, oldest first. */
  readonly load: () => readonly string[];
  readonly add: (text: string) => void;
}

/** Entries that are read, and bytes of the file that are looked at. */
const ENTRIES = 100;
const TAIL_BYTES = 256 * 1024;
/** When the file is longer than this it is cut to its tail, bytes. */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * History in a private file (0600), a JSON string a line; without a path there is none. What begins with a space is not
 * kept. Failures of the disk are nobody's concern: the session is elsewhere.
 */
export function promptHistory(path: string | undefined): PromptHistory {
  if (path === undefined) return { load: () => [], add: () => {} };
  return {
    load() {
      return attempt(() => parse(tail(path)).slice(-ENTRIES)) ?? [];
    },
    add(text) {
      if (text.trim() === "" || text.startsWith(" ")) return;
      attempt(() => {
        if ((attempt(() => Deno.statSync(path).size) ?? 0) > MAX_BYTES) {
          const kept = parse(tail(path)).map((entry) => JSON.stringify(entry) + "\n").join("");
          Deno.writeTextFileSync(path, kept, { mode: 0o600 });
        }
        Deno.writeTextFileSync(path, JSON.stringify(text) + "\n", { append: true, mode: 0o600 });
      });
    },
  };
}

function tail(path: string): string {
  using file = Deno.openSync(path);
  const { size } = file.statSync();
  file.seekSync(Math.max(0, size - TAIL_BYTES), Deno.SeekMode.Start);
  const bytes = new Uint8Array(Math.min(size, TAIL_BYTES));
  let count = 0;
  for (let read = file.readSync(bytes); read; read = file.readSync(bytes.subarray(count))) count += read;
  return new TextDecoder().decode(bytes.subarray(0, count));
}

/** Lines that are no JSON strings are passed over: the first one may be half. */
function parse(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const value: unknown = attempt(() => JSON.parse(line));
    return typeof value === "string" ? [value] : [];
  });
}
