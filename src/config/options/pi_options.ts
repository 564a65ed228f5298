/** Options of pi that mean one of sandpiper's; `undefined`: sandpiper needs none for it. */
const RENAMED: Readonly<Record<string, string | undefined>> = {
  "--session": "--resume",
  "--prompt-template": "--template",
  "--no-prompt-templates": "--no-templates",
  "--no-approve": undefined,
  "--no-themes": undefined,
  "--offline": undefined,
};

/**
 * The words of a command line in RPC mode, where clients that were written for pi start the program: pi's options by the
 * names that they have here. Other command lines stay as they are.
 */
export function withoutPiOptions(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  const [options, rest] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
  const isRpc = options.some((word, at) => word === "--mode=rpc" || (word === "--mode" && options[at + 1] === "rpc"));
  if (!isRpc) return words;
  const renamed = options.flatMap((word): readonly string[] => {
    const [, name = "", value = ""] = /^([^=]+)(=[\s\S]*)?$/.exec(word) ?? [];
    if (!Object.hasOwn(RENAMED, name)) return [word];
    const ours = RENAMED[name];
    return ours === undefined ? [] : [`${ours}${value}`];
  });
  return [...renamed, ...rest];
}
