// The interpreter ends a whole script when the file of a redirection cannot be opened. Inside a group it only fails that
// command, as a shell should: so every command with such a redirection gets a group around it.
import type { CommandNode, ScriptNode, SimpleCommandNode, StatementNode } from "just-bash";
import type { Interpreter } from "./interpreter.ts";

type Transform = Parameters<InstanceType<Interpreter["Bash"]>["registerTransformPlugin"]>[0];
type Redirection = SimpleCommandNode["redirections"][number];

const WRITING = [">", ">>", ">|", "&>", "&>>", "<>"];

/** A change of scripts before they run; nothing in them acts differently unless a redirection fails. */
export const groupedRedirections: Transform = {
  name: "grouped-redirections",
  transform: ({ ast }) => ({ ast: grouped(ast) as ScriptNode }), // a copy of the same shape, but for the groups
};

function grouped(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(grouped);
  if (typeof node !== "object" || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node)) copy[name] = grouped(value);
  return isFragile(node) ? groupOf(copy as unknown as CommandNode) : copy; // the copy of a command is one
}

/** Whether a node is a command that opens a file for writing, other than the shell's own devices. */
function isFragile(node: object): boolean {
  if (!("redirections" in node) || !Array.isArray(node.redirections)) return false;
  if ("type" in node && node.type === "FunctionDef") return false;
  // The parser made it: what has redirections has nothing else in that list.
  return (node.redirections as Redirection[]).some(({ operator, target }) =>
    WRITING.includes(operator) && !(target.type === "Word" && isDevice(target.parts))
  );
}

function isDevice(parts: readonly { readonly type: string }[]): boolean {
  const [first] = parts;
  return parts.length === 1 && first !== undefined && "value" in first && typeof first.value === "string" &&
    first.value.startsWith("/dev/");
}

function groupOf(command: CommandNode): CommandNode {
  const statement: StatementNode = {
    type: "Statement",
    pipelines: [{ type: "Pipeline", commands: [command], negated: false }],
    operators: [],
    background: false,
  };
  return { type: "Group", body: [statement], redirections: [] };
}
