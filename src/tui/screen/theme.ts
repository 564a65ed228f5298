/** Puts a style around a text. */
export type Style = (text: string) => string;

/** Colours as SGR parameters (ECMA-48); those of the 256-colour palette where the basic ones read badly on the ground. */
const COLOURS = {
  dark: {
    accent: "36",
    good: "32",
    warn: "33",
    bad: "31",
    added: "32",
    removed: "31",
    user: "1;36",
    heading: "1;36",
    code: "33",
    link: "34",
    keyword: "35",
    text: "32",
    number: "36",
    comment: "90",
  },
  light: {
    accent: "38;5;25",
    good: "38;5;28",
    warn: "38;5;130",
    bad: "38;5;124",
    added: "38;5;28",
    removed: "38;5;124",
    user: "1;38;5;25",
    heading: "1;38;5;25",
    code: "38;5;94",
    link: "38;5;25",
    keyword: "38;5;90",
    text: "38;5;28",
    number: "38;5;30",
    comment: "38;5;244",
  },
} as const;

/** What stays where there are no colours: bold and dim. */
const WITHOUT: { readonly [part in Part]?: string } = { bad: "1", user: "1", heading: "1", comment: "2" };

type Part = keyof typeof COLOURS.dark;

/** How the parts of the screen look. */
export interface Theme extends Readonly<Record<Part, Style>> {
  readonly name: keyof typeof COLOURS | "none";
  readonly plain: Style;
  readonly strong: Style;
  readonly dim: Style;
  readonly selected: Style;
}

const plain: Style = (text) => text;

function sgr(on: string, off: string): Style {
  return (text) => text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`;
}

/** Closes what a colour opened: a bold one has two ends. */
function colour(on: string): Style {
  return sgr(on, on === "1" || on === "2" ? "22" : on.startsWith("1;") ? "22;39" : "39");
}

/** A theme by name; without colours bold, dim and reverse stay. */
export function themeOf(name: Theme["name"]): Theme {
  const colours: { readonly [part in Part]?: string } = name === "none" ? WITHOUT : COLOURS[name];
  const parts = Object.keys(COLOURS.dark) as Part[]; // the names of that table
  const styles = parts.map((part) => [part, colours[part] === undefined ? plain : colour(colours[part])]);
  return {
    ...Object.fromEntries(styles) as Record<Part, Style>, // one for each of them
    ...{ name, plain, strong: sgr("1", "22"), dim: sgr("2", "22"), selected: sgr("7", "27") },
  };
}

/**
 * The theme that settings and surroundings ask for: `NO_COLOR` (when not empty) wins, then the setting, then what
 * `COLORFGBG` says of the ground, then dark.
 */
export function chooseTheme(setting: string | undefined, env: Readonly<Record<string, string | undefined>>): Theme {
  if ((env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb" || setting === "none") return themeOf("none");
  if (setting === "dark" || setting === "light") return themeOf(setting);
  const ground = Number(/;(\d+)$/.exec(env["COLORFGBG"] ?? "")?.[1] ?? 0);
  return themeOf(ground === 7 || ground === 15 ? "light" : "dark");
}
