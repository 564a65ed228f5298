import type { Look } from "./block.ts";

/** Something that stands in the editor's place and takes the keys until it is over. */
export interface Dialog {
  readonly lines: (look: Look & { readonly rows: number }) => readonly string[];
  /** One key or one paste. False: it is not for the dialog, and goes to the editor below it. */
  readonly key: (data: string) => boolean;
  /** The editor is shown below it, because keys may be for that. */
  readonly keepsEditor?: boolean;
}
