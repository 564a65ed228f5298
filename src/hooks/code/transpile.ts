import type { Options } from "sucrase";

/** Names the way in which TypeScript becomes JavaScript here; part of the key of cached results. */
export const TRANSPILER = "sucrase-3.35.1/2";

/** The beginning of a namespace, or of text that only looks like one. */
const MAY_HAVE_NAMESPACE = /\b(?:namespace|module)\s+[\w$.]+\s*\{/;

/** A row of sucrase's table of tokens: where it begins, what it is, its text. */
const TOKEN = /^(\d+:\d+)-\d+:\d+\s+(\S+)\s+(\S+)/;

/** What makes a namespace more than types. */
const CODE = new Set(["const", "let", "var", "function", "class", "enum", "if", "for", "while", "try", "throw"]);

/**
 * Where the first namespace that holds code begins, `line:column`; undefined if there is none. The transpiler takes every
 * namespace for types and leaves it out.
 */
function namespaceWithCode(table: string): string | undefined {
  const tokens = table.split("\n").slice(1).flatMap((row) => {
    const [, place, label = "", raw = ""] = TOKEN.exec(row) ?? [];
    return place === undefined ? [] : [{ place, label, raw, isType: /\sisType\s/.test(row) }];
  });
  for (let at = 0; at < tokens.length; at++) {
    const { place, label, raw, isType } = tokens[at]!; // within the list, here and below
    const isBlock = isType && label === "name" && (raw === "namespace" || raw === "module");
    if (!isBlock || tokens[at - 1]?.raw === "declare") continue;
    let depth = 0;
    for (let inner = at + 1; inner < tokens.length; inner++) {
      const token = tokens[inner]!;
      if (token.label === "{") depth++;
      else if (token.label === "}" && --depth === 0) break;
      const isWord = depth === 1 && (CODE.has(token.label) || (token.label === "name" && CODE.has(token.raw)));
      const before = tokens[inner - 1]!;
      const isDeclared = before.raw === "declare" || before.label === "." || before.label === ":";
      if (isWord && !isDeclared) return place;
    }
  }
  return undefined;
}

/**
 * Takes the types out of a module and turns its imports and exports into `require` and `exports`; every line stays where
 * it is. Throws for a syntax error and for a namespace that holds code, with the line and column of the source.
 *
 * The transpiler is loaded at the first call, which costs some 20 ms.
 */
export async function transpile(path: string, text: string): Promise<string> {
  const { getFormattedTokens, transform } = await import("sucrase");
  const options: Options = {
    transforms: ["typescript", "imports"],
    // The runtime knows all syntax but types.
    disableESTransforms: true,
    production: true,
  };
  try {
    const { code } = transform(text, options);
    if (!MAY_HAVE_NAMESPACE.test(text)) return code;
    const lost = namespaceWithCode(getFormattedTokens(text, options));
    if (lost === undefined) return code;
    throw new SyntaxError(
      `A namespace that holds code is not supported in extensions: move the code to a separate file, or use an object (${lost})`,
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const place = /\((\d+):(\d+)\)\s*$/.exec(message);
    const what = message.replace(/^Error transforming [^:]*: /, "").replace(/\s*\(\d+:\d+\)\s*$/, "");
    throw new SyntaxError(`${what} (${path}${place ? `:${place[1]}:${place[2]}` : ""})`);
  }
}
