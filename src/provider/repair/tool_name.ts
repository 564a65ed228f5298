import type { ToolDefinition } from "../../core/provider.ts";

const PREFIX = /^(?:functions\.|default_api[:.])/;

/** The active tool that a name stands for: exact, then without control tokens and prefixes, then in other letter case. */
export function findTool(name: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  const exact = tools.find((tool) => tool.name === name);
  if (exact) return exact;
  const bare = (name.split("<|")[0] ?? "").trim().replace(PREFIX, "");
  const plain = tools.find((tool) => tool.name === bare);
  if (plain) return plain;
  const folded = tools.filter((tool) => tool.name.toLowerCase() === bare.toLowerCase());
  return folded.length === 1 ? folded[0] : undefined;
}

/** Edits that turn one word into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Tells the model which tools there are, and which one it may have meant. */
export function unknownTool(name: string, tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return `There is no tool "${name}": no tools are active. Answer in text`;
  const wanted = name.slice(0, 64).toLowerCase();
  const [nearest] = tools
    .map((tool) => ({ name: tool.name, cost: wanted.includes(tool.name) ? 0 : distance(wanted, tool.name) }))
    .sort((a, b) => a.cost - b.cost);
  const hint = nearest && nearest.cost <= 3 ? `; the nearest is "${nearest.name}"` : "";
  return `There is no active tool "${name.slice(0, 64)}". Active tools: ${
    tools.map((tool) => tool.name).join(", ")
  }${hint}`;
}

/** A name that every server takes back in the history. */
export function safeToolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown";
}
