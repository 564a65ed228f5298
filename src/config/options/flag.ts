/** How an option takes its value. `scope`: bare means everything, `=a,b` a list, as in Deno. */
type FlagKind = "boolean" | "string" | "number" | "duration" | "list" | "repeat" | "scope";

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

/** An option that is in no group yet. */
export type Row = Omit<Flag, "group">;

/** What few options have besides. */
type More = Partial<Pick<Row, "short" | "isOptional" | "takesOptions" | "choices" | "setting">>;

const valued = (kind: FlagKind) => (name: string, value: string, help: string, more: More = {}): Row => {
  return { name, kind, value, help, ...more };
};

/** Rows of the option tables, by the kind of their value. */
export const toggle = (name: string, help: string, more: More = {}): Row => ({ name, kind: "boolean", help, ...more });
export const text = valued("string");
export const number = valued("number");
export const duration = valued("duration");
export const list = valued("list");
export const repeat = valued("repeat");
export const scope = valued("scope");

/** Rows that stand under one title of the help text. */
export function inGroup(group: Flag["group"], rows: readonly Row[]): Flag[] {
  return rows.map((row) => ({ ...row, group }));
}
