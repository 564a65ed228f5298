// Templates that refuse what most servers take: system messages later on, neighbours of one role, a user right after a tool.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Capabilities } from "../capabilities/capabilities.ts";

/** What the assistant says between the results of tools and a message of the user, where one must not follow the other. */
const BRIDGE = "I have the results.";

/**
 * The messages of a chat request in the order and number that an endpoint takes, the system prompt before them. What stands
 * before a message depends on nothing behind it but for the message right after, so a growing conversation keeps its start.
 */
export function arranged(
  system: string,
  messages: readonly JsonObject[],
  { systemMessages, developerRole, userAfterTool, alternation }: Capabilities,
): JsonObject[] {
  const role = developerRole ? "developer" : "system";
  let list = system === "" ? [...messages] : [{ role, content: system }, ...messages];
  if (systemMessages !== "anywhere") list = withOneSystem(list, role, systemMessages === "first");
  if (!userAfterTool) {
    const bridge = { role: "assistant", content: BRIDGE };
    const isAfterTool = (at: number): boolean => list[at]?.role === "user" && list[at - 1]?.role === "tool";
    list = list.flatMap((message, at) => isAfterTool(at) ? [bridge, message] : [message]);
  }
  return alternation ? withTurns(list) : list;
}

function withOneSystem(list: readonly JsonObject[], role: string, isFirst: boolean): JsonObject[] {
  const isSystem = (message: JsonObject): boolean => message.role === "system" || message.role === "developer";
  const said = list.filter(isSystem).map(({ content }) => content).join("\n\n");
  const others = list.filter((message) => !isSystem(message));
  if (said === "") return others;
  if (isFirst) return [{ role, content: said }, ...others];
  const [first, ...rest] = others;
  return first?.role === "user"
    ? [{ ...first, content: joined(said, first.content) }, ...rest]
    : [{ role: "user", content: said }, ...others];
}

/** Neighbours of one role as one message; what calls tools stays alone. */
function withTurns(list: readonly JsonObject[]): JsonObject[] {
  const turns: JsonObject[] = [];
  for (const message of list) {
    const before = turns.at(-1);
    const isNeighbour = before?.role === message.role && (message.role === "user" || message.role === "assistant") &&
      before?.tool_calls === undefined;
    if (before && isNeighbour) {
      turns[turns.length - 1] = { ...before, ...message, content: joined(before.content, message.content) };
    } else turns.push(message);
  }
  return turns;
}

function joined(first: JsonValue | undefined, second: JsonValue | undefined): JsonValue {
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}
