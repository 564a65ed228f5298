import ts from "typescript";

/** One variable that is declared with `using` or `await using`. */
interface UsingVariable {
  /** The declaration in one line, for messages. */
  readonly text: string;
  /** Whether exactly one expression refers to the variable. The minifier replaces such a variable by its value. */
  readonly isUsedOnce: boolean;
}

/** Only files with such text are parsed: the bundle has several megabytes. */
const MAY_HAVE_USING = /\busing\s+[\w$]+\s*(?:=|of\b)/;

const LONGEST_TEXT = 100;

/**
 * Throws if minified code has fewer `using` variables than the same code before it was minified. esbuild replaces a
 * variable that is used once by its value, also where that drops a `using`: the resource is then never released.
 *
 * @param plain texts of JavaScript modules that are not minified
 * @param minified texts of the same modules, minified; their order and number may differ
 */
export function assertUsingKept(plain: Iterable<string>, minified: Iterable<string>): void {
  const before = usingVariables(plain);
  const after = usingVariables(minified);
  if (before.length === after.length) return;
  const suspects = before.filter((variable) => variable.isUsedOnce);
  throw new Error(
    `the minified code has ${after.length} of ${before.length} \`using\` variables; the minifier drops one that is ` +
      `used only once. Close the resource in \`finally\` instead. Used once:\n` +
      suspects.map(({ text }) => `  ${text}`).join("\n"),
  );
}

function usingVariables(modules: Iterable<string>): readonly UsingVariable[] {
  const variables: UsingVariable[] = [];
  for (const text of modules) {
    if (!MAY_HAVE_USING.test(text)) continue;
    const file = ts.createSourceFile("module.js", text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclarationList(node) && (node.flags & ts.NodeFlags.Using) !== 0) {
        for (const { name } of node.declarations) {
          if (ts.isIdentifier(name)) variables.push(usingVariable(name, node, file));
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return variables;
}

function usingVariable(name: ts.Identifier, list: ts.VariableDeclarationList, file: ts.SourceFile): UsingVariable {
  const block = ts.findAncestor(list, (node) => ts.isBlock(node) || ts.isForOfStatement(node)) ?? file;
  let uses = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === name.text && node !== name) uses++;
    ts.forEachChild(node, visit);
  };
  visit(block);
  return { text: list.getText(file).replace(/\s+/g, " ").slice(0, LONGEST_TEXT), isUsedOnce: uses === 1 };
}
