/** What `/skill:NAME words` becomes for the model: the skill's whole text, and the words below it. */
const SKILL = /^<skill name="([^"\n]*)" location="[^"\n]*">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]*))?$/;

/** A person's message as the person wrote it: a called skill by its name instead of its text. */
export function saidText(text: string): string {
  const [, name, words = ""] = SKILL.exec(text) ?? [];
  return name === undefined ? text : `/skill:${name} ${words}`.trim();
}
