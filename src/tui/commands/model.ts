import { UserError } from "../../core/error.ts";
import { modelName, THINKING_LEVELS } from "../../core/provider.ts";
import type { CommandContext } from "./command.ts";

/** `/model [ID]` */
export async function modelCommand({ engine, world, pick, say }: CommandContext, args: string): Promise<void> {
  const { model } = engine.state();
  const listed = args === "" ? await world.serverModels() : [];
  const details = new Map(listed.map(({ name, detail }) => [name, detail]));
  // A server of one's own is asked for ids alone.
  const current = details.has(model.id) && !details.has(modelName(model)) ? model.id : modelName(model);
  // The settings may name it by its id alone.
  const known = [
    ...new Set([current, ...world.models.filter((name) => name !== model.id || name === current), ...details.keys()]),
  ];
  const choices = known.map((id) => ({
    label: id,
    value: id,
    detail: [...(id === current ? ["now"] : []), details.get(id) ?? ""].filter(Boolean).join(" · "),
  }));
  const id = args || await pick("Model", choices, { typed: { as: "as typed", value: (text) => text.trim() } });
  if (id === undefined || id === current) return;
  await engine.setModel(id);
  say(`Model: ${modelName(engine.state().model)}`);
}

/** `/thinking [LEVEL]` */
export async function thinkingCommand({ engine, pick, say }: CommandContext, args: string): Promise<void> {
  const current = engine.state().thinking;
  const choices = THINKING_LEVELS.map((level) => ({
    label: level,
    value: level,
    ...(level === current ? { detail: "now" } : {}),
  }));
  const level = args === ""
    ? await pick("Thinking", choices, { start: THINKING_LEVELS.indexOf(current) })
    : THINKING_LEVELS.find((one) => one === args);
  if (level === undefined) {
    if (args === "") return;
    throw new UserError({
      what: `"${args}" is no thinking level`,
      why: `the levels are ${THINKING_LEVELS.join(", ")}`,
      fix: "Write one of them, or /thinking alone to choose",
    });
  }
  engine.setThinking(level);
  say(`Thinking: ${level}`);
}

/** `/tools [+NAME|-NAME …]` */
export function toolsCommand({ engine, page }: CommandContext, args: string): void {
  const words = args.split(/[\s,]+/).filter((word) => word !== "");
  if (words.length > 0) {
    const active = new Set(engine.tools().filter((tool) => tool.active).map(({ name }) => name));
    for (const word of words) {
      const name = word.replace(/^[+-]/, "");
      if (!engine.tools().some((tool) => tool.name === name)) throw noTool(name);
      if (word.startsWith("-")) active.delete(name);
      else active.add(name);
    }
    engine.setActiveTools([...active]);
  }
  const tools = engine.tools();
  page((theme) => [
    theme.strong("Tools"),
    ...tools.map(({ name, active, origin, description }) => {
      const from = origin === "builtin" ? "" : theme.dim(` (${origin})`);
      return `${active ? theme.good("✓") : theme.dim("–")} ${name}${from}  ${theme.dim(firstSentence(description))}`;
    }),
    theme.dim("/tools -bash switches one off and /tools +bash on again, from the next message on"),
  ]);
}

function firstSentence(text: string): string {
  return /^[\s\S]{0,100}?[.\n]/.exec(text)?.[0].trim() ?? text.slice(0, 100);
}

function noTool(name: string): UserError {
  return new UserError({
    what: `There is no tool "${name}" in this session`,
    why: "a tool is not there that --tools leaves out, or whose scope is not granted",
    fix: "/tools shows those that there are; /policy says what is granted",
  });
}
