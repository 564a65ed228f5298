import { join } from "@std/path";
import { sha256 } from "../../core/support/digest.ts";
import type { Registration } from "../events/extension.ts";
import { isList, readJson } from "../events/json_text.ts";
import { readOwnFile, writeOwnFile } from "../code/own_file.ts";
import { readRegistration } from "../events/registration_shape.ts";

/** Changes whenever what is kept, or what an extension can find out while it loads, is another than before. */
const FORMAT = 1;

/** Circumstances in which one extension is remembered: projects, modes. The oldest go first. */
const MAX_KEPT = 20;

/** What one extension brought before, in the circumstances at hand. */
export interface KeptRegistration {
  /** Undefined: nothing is known, or it is not the same each time. */
  readonly brought: Registration | undefined;
  /** Records what the extension registered now; if it differs from before, what is known is discarded. */
  loaded(registration: Registration): void;
  /** The extension acts unasked while it loads, so the next start may differ: what is known is discarded. */
  varies(): void;
}

/**
 * What extensions brought when they were loaded, so that a start need not wait for them. One file for each content of an
 * extension, in a folder of the user's own. It only saves waiting and grants nothing: what the worker registers
 * replaces it.
 */
export interface KeptRegistrations {
  /** `circumstances`: all that the extension can learn of the outside while it loads. */
  of(hash: string, circumstances: readonly string[]): KeptRegistration;
}

/** A list of what was brought, the newest first; null: it varies. */
type Kept = readonly (readonly [key: string, brought: Registration | null])[];

/** What is kept in a folder; without a folder nothing is. */
export function keptRegistrations(folder: string | undefined): KeptRegistrations {
  return {
    of: (hash, circumstances) => {
      const path = join(folder ?? "", `${hash}.json`);
      const key = sha256(JSON.stringify([FORMAT, ...circumstances]));
      const find = (): Registration | null | undefined => read(path).find(([known]) => known === key)?.[1];
      let known = folder === undefined ? undefined : find();
      const keep = (now: Registration | null): void => {
        known = now;
        if (folder === undefined) return;
        const others = read(path).filter(([other]) => other !== key);
        writeOwnFile(path, JSON.stringify([[key, now], ...others].slice(0, MAX_KEPT)));
      };
      return {
        brought: known ?? undefined,
        loaded: (now) => {
          if (known === undefined) keep(now);
          else if (known !== null && JSON.stringify(known) !== JSON.stringify(now)) keep(null);
        },
        varies: () => {
          if (known !== null) keep(null);
        },
      };
    },
  };
}

/** What a file holds; nothing of one that somebody else can have written, or that has another shape. */
function read(path: string): Kept {
  try {
    const value = readJson(readOwnFile(path) ?? "[]");
    return (isList(value) ? value : []).map((item) => {
      const [key, brought = null] = isList(item) ? item : [];
      if (typeof key !== "string") throw new TypeError("no key");
      return [key, brought === null ? null : readRegistration(brought)];
    });
  } catch {
    return [];
  }
}
