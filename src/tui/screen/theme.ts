/** Puts a style around a text. */
export type Style = (text: string) => string;

/** How the parts of the screen look. */
export interface Theme {
  readonly name: "dark" | "light" | "none";
  readonly plain: Style;
  readonly strong: Style;
  readonly dim: Style;
  readonly accent: Style;
  readonly good: Style;
  readonly warn: Style;
  readonly bad: Style;
  readonly added: Style;
  readonly removed: Style;
  readonly selected: Style;
  readonly user: Style;
  readonly heading: Style;
  readonly code: Style;
  readonly link: Style;
  readonly keyword: Style;
  readonly text: Style;
  readonly number: Style;
  readonly comment: Style;
}

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

const plain: Style = (text) => text;

function sgr(on: string, off: string): Style {
  return (text) => text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`;
}

/** Closes what a colour opened: a bold one has two ends. */
function colour(on: string): Style {
  return sgr(on, on.startsWith("1;") ? "22;39" : "39");
}

/** A theme by name; without colours bold, dim and reverse stay. */
export function themeOf(name: Theme["name"]): Theme {
  const shape = { name, plain, strong: sgr("1", "22"), dim: sgr("2", "22"), selected: sgr("7", "27") };
  if (name === "none") {
    return {
      ...shape,
      accent: plain,
      good: plain,
      warn: plain,
      bad: sgr("1", "22"),
      added: plain,
      removed: plain,
      user: sgr("1", "22"),
      heading: sgr("1", "22"),
      code: plain,
      link: plain,
      keyword: plain,
      text: plain,
      number: plain,
      comment: sgr("2", "22"),
    };
  }
  const { accent, good, warn, bad, added, removed, user, heading, code, link, keyword, text, number, comment } =
    COLOURS[name];
  return {
    ...shape,
    accent: colour(accent),
    good: colour(good),
    warn: colour(warn),
    bad: colour(bad),
    added: colour(added),
    removed: colour(removed),
    user: colour(user),
    heading: colour(heading),
    code: colour(code),
    link: colour(link),
    keyword: colour(keyword),
    text: colour(text),
    number: colour(number),
    comment: colour(comment),
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
