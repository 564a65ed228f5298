import { join } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { CONFINED_LEVELS, type Policy } from "../../core/policy.ts";
import type { Files } from "../../core/tool.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";
import type { BulkLink } from "./bulk_link.ts";
import { createBatchReader } from "./batch.ts";
import type { FileScope } from "./scope.ts";
import { proveSame } from "./opened_file.ts";

/** What the reading of many files needs from that of one. */
export interface ReadEachParts {
  readonly policy: Policy;
  /** Undefined where Deno and the kernel alone are to refuse. */
  readonly scope: FileScope | undefined;
  /** Runs `work` with the real path of a folder that may be read; what it throws becomes a `ToolError`. */
  readonly inFolder: <T>(folder: string, work: (real: string) => T) => T;
  /** Reads one file at a real path with every proof. */
  readonly readPlace: (path: string, real: string, offset: number, length: number) => Uint8Array<ArrayBuffer>;
  /** A thread that reads for this one, where there is one. */
  readonly bulk: BulkLink | undefined;
}

/**
 * `Files.readEach`: each name is checked, nothing is handed out before it is proven.
 *
 * Where the kernel decides by place, one proof for the folder stands for all files of a batch. Elsewhere somebody could
 * swap the folder and swap it back between two looks at it, so every file has its own proof, as in `read`.
 */
export function createReadEach({ policy, scope, inFolder, readPlace, bulk }: ReadEachParts): Files["readEach"] {
  const readBatches = createBatchReader();

  const some: BulkLink["read"] = (...asked) => asked[1].length === 0 ? undefined : bulk?.read(...asked);

  const allowed = (folder: string, real: string, names: readonly string[]): readonly string[] => {
    const plain = names.filter(isPlainName);
    if (scope === undefined || scope.readsAll(folder) && scope.readsAll(real)) return plain;
    return plain.filter((name) => {
      try {
        scope.check("read", join(folder, name));
        scope.check("read", join(folder, name), join(real, name));
        return true;
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        return false;
      }
    });
  };

  return (folder, names, maxBytes, take) => {
    let left = names;
    if (bulk && scope) {
      scope.check("read", folder);
      left = allowed(folder, folder, names);
      for (let got = some(folder, left, maxBytes); got; got = some(folder, left, maxBytes)) {
        for (const { name, bytes } of got.files) if (!take(name, bytes)) return;
        left = left.slice(got.count);
      }
      if (left.length === 0) return;
    }
    const { real, before } = inFolder(folder, (real) => {
      const before = Deno.lstatSync(real);
      if (!before.isDirectory) throw new ToolError(`${shownPath(folder, policy.root)} is not a folder`);
      return { real, before };
    });
    const mayRead = allowed(folder, real, left);
    if (!CONFINED_LEVELS.has(policy.sandbox)) {
      for (const name of mayRead) {
        const bytes = unlessRefused(() => readPlace(join(folder, name), join(real, name), 0, maxBytes));
        if (bytes && !take(name, bytes)) return;
      }
      return;
    }
    for (const batch of readBatches(real, mayRead, maxBytes)) {
      inFolder(folder, () => proveSame(real, before));
      for (const { name, bytes } of batch) if (!take(name, bytes)) return;
    }
  };
}

/** A name of something in a folder, and not a way to somewhere else. */
function isPlainName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name) &&
    !(Deno.build.os === "windows" && name.includes("\\"));
}

function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // As a link, a FIFO, a file with other hard links or one that is gone: passed over like all that may not be read.
    return undefined;
  }
}
