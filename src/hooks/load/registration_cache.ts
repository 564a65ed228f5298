import { join } from "@std/path";
import { sha256 } from "../../core/support/digest.ts";
import type { Registration } from "../events/extension.ts";
import { isList, readJson } from "../events/json_text.ts";
import { readOwnFile, writeOwnFile } from "../code/own_file.ts";
import { readRegistration } from "../events/registration_shape.ts";

/** Increased when the format of the cache changes, or when extensions can find out something else while they load. */
const FORMAT = 1;

/** Most entries (projects, modes) that are cached for one extension. The oldest are dropped first. */
const MAX_KEPT = 20;

/** The cached registration of one extension under the circumstances at hand. */
export interface CachedRegistration {
  /** Undefined: nothing is cached, or the registration varies from start to start. */
  readonly brought: Registration | undefined;
  /** Reports what the extension registered now; if that differs from the cache, the entry is discarded. */
  loaded(registration: Registration): void;
  /**
   * Reports that the extension acted while it loaded, so that its next registration may differ: the entry is discarded.
   */
  varies(): void;
}

/**
 * What extensions brought when they were loaded, so that a start need not wait for them. One file for each content of an
 * extension, in a folder of the user's own. It only saves waiting and grants nothing: what the worker registers
 * replaces it. `circumstances`: all that the extension can learn of the outside while it loads.
 */
export type RegistrationCache = (hash: string, circumstances: readonly string[]) => CachedRegistration;

/** A list of what was brought, the newest first; null: it varies. */
type Kept = readonly (readonly [key: string, brought: Registration | null])[];

/** What is kept in a folder; without a folder nothing is. */
export function registrationCache(folder: string | undefined): RegistrationCache {
  return (hash, circumstances) => {
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
