/** Names the way in which TypeScript becomes JavaScript here; part of the key of cached results. */
export const TRANSPILER = "sucrase-3.35.1/1";

/**
 * Takes the types out of a module and turns its imports and exports into `require` and `exports`; every line stays where
 * it is. Throws for a syntax error, with the line and column of the source.
 *
 * The transpiler is loaded at the first call, which costs some 20 ms.
 */
export async function transpile(path: string, text: string): Promise<string> {
  const { transform } = await import("sucrase");
  try {
    return transform(text, {
      transforms: ["typescript", "imports"],
      // The runtime knows all syntax but types.
      disableESTransforms: true,
      production: true,
    }).code;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const place = /\((\d+):(\d+)\)\s*$/.exec(message);
    const what = message.replace(/^Error transforming [^:]*: /, "").replace(/\s*\(\d+:\d+\)\s*$/, "");
    throw new SyntaxError(`${what} (${path}${place ? `:${place[1]}:${place[2]}` : ""})`);
  }
}
