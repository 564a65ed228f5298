// Expressions of GitHub Actions, by GitHub's own evaluator.
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

/** Values that expressions may name, by context. */
export type Contexts = Readonly<Record<string, unknown>>;

/** A text with each expression in it replaced by its value, as the runner does it before a shell sees anything. */
export function filled(text: string, contexts: Contexts): string {
  return text.replace(
    /\$\{\{([\s\S]*?)\}\}/g,
    (_, expression: string) => evaluate(expression, contexts).coerceString(),
  );
}

/** Whether a condition of a step holds; without a word about the state it asks for success, too. */
export function holds(condition: string | undefined, contexts: Contexts, hasFailed: boolean): boolean {
  const bare = (condition ?? "success()").replace(/^\s*\$\{\{([\s\S]*)\}\}\s*$/, "$1");
  if (!/\b(?:success|failure|always|cancelled)\(\)/.test(bare) && hasFailed) return false;
  const states = { success: !hasFailed, failure: hasFailed, always: true, cancelled: false };
  const said = evaluate(bare.replace(/\b(success|failure|always|cancelled)\(\)/g, "states.$1"), {
    ...contexts,
    states,
  });
  return said.kind === data.Kind.Boolean ? said.coerceString() === "true" : said.coerceString() !== "";
}

function evaluate(expression: string, contexts: Contexts): data.ExpressionData {
  const { tokens } = new Lexer(expression).lex();
  const tree = new Parser(tokens, Object.keys(contexts), []).parse();
  const values = JSON.parse(JSON.stringify(contexts), data.reviver);
  return new Evaluator(tree, values).evaluate();
}
