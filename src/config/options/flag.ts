/** How an option takes its value. `scope`: bare means everything, `=a,b` a list, as in Deno. */
export type FlagKind = "boolean" | "string" | "number" | "duration" | "list" | "repeat" | "scope";

/** One command-line option; parser, `--help` and docs/options.md come from this table. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  /** Placeholder of the value in the help text. */
  readonly value?: string;
  /** Of a string: it may stand without a value, which is then empty. */
  readonly isOptional?: boolean;
  /** Of a string: it takes options of its own, so that its value begins with a dash. */
  readonly takesOptions?: boolean;
  /** Allowed values. */
  readonly choices?: readonly string[];
  readonly help: string;
  readonly group: "Run" | "Session" | "Model" | "Prompt" | "Tools and their scope" | "Limits" | "Proof" | "Output";
  /** Key in settings.json that the option overrides. */
  readonly setting?: string;
}
