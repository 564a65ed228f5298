// What the API's cache would read and write of each request, by its published rules, computed from what was sent: prefixes
// of blocks in the order tools, system, messages, byte for byte; four marks at most; nothing shorter than the model's least
// length; from each mark a look at twenty blocks back. Tokens are bytes by four.
import { sha256 } from "../../../src/core/support/digest.ts";

/** The least of a prefix that is kept, tokens, by model. */
function leastOf(model: string): number {
  if (/haiku-4-5|opus-4-[5-9]/.test(model)) return 4096;
  return /haiku-3|sonnet-4-6/.test(model) ? 2048 : 1024;
}

const LOOKBACK = 20;
const MOST_MARKS = 4;

/** Tokens of a request's input. */
export interface CacheCounts {
  readonly input: number;
  readonly read: number;
  readonly written: number;
}

interface SentBlock {
  /** Of all up to its end. */
  readonly prefix: string;
  readonly tokens: number;
  readonly isMarked: boolean;
}

// deno-lint-ignore no-explicit-any -- bodies of the wire format
type Body = any;

function blocksOf(body: Body): readonly SentBlock[] {
  let prefix = "";
  let tokens = 0;
  const blocks: SentBlock[] = [];
  const add = (place: string, { cache_control: mark, ...block }: Body): void => {
    const text = place + JSON.stringify(block);
    prefix = sha256(prefix + text);
    tokens += Math.ceil(new TextEncoder().encode(text).length / 4);
    blocks.push({ prefix, tokens, isMarked: mark?.type === "ephemeral" });
  };
  for (const tool of body.tools ?? []) add("tool", tool);
  for (const block of body.system ?? []) add("system", block);
  // What else decides how messages are read is part of their prefix.
  prefix = sha256(prefix + JSON.stringify([body.thinking, body.tool_choice]));
  for (const { role, content } of body.messages) for (const block of content) add(role, block);
  return blocks;
}

/** A cache that nothing has been put into yet. Throws for requests that the API refuses. */
export function createCache(): (body: Body) => CacheCounts {
  const kept = new Set<string>();
  return (body) => {
    const blocks = blocksOf(body);
    const marks = blocks.flatMap(({ isMarked }, index) => isMarked ? [index] : []);
    if (marks.length > MOST_MARKS) throw new Error(`a request has ${marks.length} marks`);
    let read = 0;
    for (const mark of marks) {
      for (let at = mark; at >= 0 && at > mark - LOOKBACK; at--) {
        const block = blocks[at];
        if (block && kept.has(block.prefix)) {
          read = Math.max(read, block.tokens);
          break;
        }
      }
    }
    let end = read;
    for (const mark of marks) {
      const block = blocks[mark];
      if (!block || block.tokens < leastOf(body.model)) continue;
      kept.add(block.prefix);
      end = Math.max(end, block.tokens);
    }
    const all = blocks.at(-1)?.tokens ?? 0;
    return { input: all - end, read, written: end - read };
  };
}
