import { UserError } from "../../core/error.ts";
import type { CommandContext } from "./command.ts";

const CHOICES = [
  { label: "dark", value: "dark", detail: "for a dark ground" },
  { label: "light", value: "light", detail: "for a light ground" },
  { label: "auto", value: "auto", detail: "what the terminal says of its ground" },
] as const;

/** `/theme [NAME]` */
export async function themeCommand({ theme, world, pick, say }: CommandContext, args: string): Promise<void> {
  if (!theme || theme.name() === "none") {
    throw new UserError({
      what: "There are no colours here",
      why: theme ? "NO_COLOR or --no-color leaves them out" : "plain mode has none",
      fix: "Start without it to choose a theme",
    });
  }
  const start = Math.max(0, CHOICES.findIndex(({ value }) => value === theme.name()));
  const choice = args === ""
    ? await pick("Theme", CHOICES, { start })
    : CHOICES.find(({ value }) => value === args)?.value;
  if (choice === undefined) {
    if (args === "") return;
    throw new UserError({
      what: `"${args}" is no theme`,
      why: "the themes are dark, light and auto",
      fix: "Write one of them, or /theme alone to choose",
    });
  }
  const shown = choice === "auto" ? await theme.ground() ?? "dark" : choice;
  if (shown !== theme.name()) theme.set(shown);
  await world.keepTheme(choice);
  say(`Theme: ${choice === "auto" ? `auto, ${shown} here` : choice}; kept in your settings`);
}
