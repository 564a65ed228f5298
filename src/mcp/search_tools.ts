import type { McpTool } from "./open.ts";

/** What a search gives: the tools that fit best, and the names of others that fit, both best first. */
export interface FoundTools {
  readonly best: readonly McpTool[];
  readonly others: readonly string[];
}

/** Of one search. */
const BEST = 5;
const OTHERS = 15;

/** Words that stand in most descriptions and tell no two tools apart. */
const COMMON = new Set(
  ["a", "an", "and", "by", "for", "from", "in", "is", "mcp", "of", "on", "or", "server", "the", "to", "tool", "with"],
);

/**
 * The tools that a query asks for. Names in it, in full or as the server has them, are those tools and nothing else; else
 * its words are looked for in names, servers and descriptions, rare words first. Equal ones stay in the order of `tools`.
 */
export function searchTools(query: string, tools: readonly McpTool[]): FoundTools {
  const given = query.split(/[\s,;]+/).filter((word) => word !== "");
  const named = tools.filter(({ name }) => given.includes(name));
  if (named.length > 0) return { best: named, others: [] };
  const words = [...new Set(wordsOf(query))];
  const texts = tools.map((tool) => textsOf(tool));
  const rarity = words.map((word) => {
    const count = texts.filter((text) => weight(word, text) > 0).length;
    return Math.log(1 + tools.length / Math.max(count, 1));
  });
  const scored = tools.map((tool, at) => ({
    tool,
    score: words.reduce((sum, word, of) => sum + weight(word, texts[at]) * (rarity[of] ?? 0), 0),
  }));
  const fitting = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return {
    best: fitting.slice(0, BEST).map(({ tool }) => tool),
    others: fitting.slice(BEST, BEST + OTHERS).map(({ tool }) => tool.name),
  };
}

/** Words of a tool by where they stand. */
interface ToolTexts {
  readonly name: readonly string[];
  readonly server: readonly string[];
  readonly description: readonly string[];
}

function textsOf({ name, server, description }: McpTool): ToolTexts {
  const own = name.slice(name.indexOf("__", "mcp__".length) + 2);
  return { name: wordsOf(own), server: wordsOf(server), description: wordsOf(description) };
}

/** How well a word fits; another form of it ("issues", "merging" and "merge") counts for less than the word. */
function weight(word: string, texts: ToolTexts | undefined): number {
  if (!texts) return 0;
  const fit = (all: readonly string[]): number =>
    all.includes(word) ? 1 : all.some((other) => isSameWord(word, other)) ? 0.6 : 0;
  return 3 * fit(texts.name) + 2 * fit(texts.server) + fit(texts.description);
}

/** Whether two words begin alike and differ in no more than an ending. */
function isSameWord(one: string, other: string): boolean {
  let alike = 0;
  while (alike < one.length && one[alike] === other[alike]) alike++;
  return alike > 2 && alike >= Math.min(one.length, other.length) - 1 &&
    Math.max(one.length, other.length) - alike <= 4;
}

function wordsOf(text: string): readonly string[] {
  const parted = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return (parted.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !COMMON.has(word));
}
