import type { JsonObject } from "./json.ts";

/** What `sandpiper pack` put into the binary that is running, checked against its digests. */
export interface Pack {
  /** The product's name. */
  readonly name: string;
  /** SHA-256 of the list of everything inside, the program it was packed with among it; lower-case hex. */
  readonly fingerprint: string;
  /** Whether a project's or the user's own files of the same name stand before those inside. */
  readonly isOpen: boolean;
  /** `settings.json` of the pack. */
  readonly settings: JsonObject;
  /** Options of `--policy`, as the command line's parser leaves them. */
  readonly flags: JsonObject;
  /** Texts that the system prompt always has, in order. */
  readonly prompt: readonly string[];
  /** Entry files of extensions, relative to `folder`. */
  readonly extensions: readonly string[];
  readonly files: readonly PackedFile[];
  /**
   * Where the files lie for tools to read: made when it is first asked for, and checked at each start. Throws UserError
   * where there is no place for it.
   */
  readonly folder: () => string;
}

/** One file inside. */
export interface PackedFile {
  /** Relative, with `/`: `skills/…`, `templates/…`, `agents/…` or `extensions/…`. */
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Present for a file that may be run. */
  readonly isProgram?: true;
}
