import type * as z from "zod/mini";
import { ToolError } from "../src/core/error.ts";
import { isObject, type JsonObject, type JsonValue } from "../src/core/json.ts";
import { textResult, type Tool, type Zod } from "../src/core/tool.ts";
import type { ToolResult } from "../src/core/tool_result.ts";

const args = (z: Zod) =>
  z.object({
    items: z.array(
      z.object({
        text: z.string(),
        state: z.optional(z.string().check(z.describe("pending (default), in_progress or completed"))),
      }),
    ),
  });

const STATES = ["pending", "in_progress", "completed"] as const;
type State = typeof STATES[number];

/** Items of a list, and UTF-16 units of one: it is for a glance, and is sent again with every change. */
const MOST_ITEMS = 30;
const MOST_UNITS = 200;

/**
 * The list of what a task needs, for the model itself and for whoever looks on: the whole list each time (R389, R392).
 *
 * Touches nothing; the list is in the result's `details.plan`, from which screens, editors and a resumed session have it.
 */
export const todo: Tool<z.infer<ReturnType<typeof args>>> = {
  name: "todo",
  description: `Keep the list of steps of a task: all of them each time, at most ${MOST_ITEMS}.`,
  args,
  promptSnippet: "Keep the list of steps of a task",
  needs: [],
  readOnly: true,
  place: "host",
  prepare,
  run: ({ items }) => Promise.resolve(kept(items)),
};

function kept(items: z.infer<ReturnType<typeof args>>["items"]): ToolResult {
  if (items.length > MOST_ITEMS) {
    throw new ToolError(`The list has ${items.length} items: at most ${MOST_ITEMS} are kept`);
  }
  const plan = items.map(({ text, state = "pending" }, index): { content: string; status: State } => {
    const content = text.trim().replace(/\s+/g, " ");
    const status = STATES.find((known) => known === state);
    if (status === undefined) {
      throw new ToolError(`Item ${index + 1}: the state is ${STATES.join(", ")}, not "${state}"`);
    }
    if (content === "") throw new ToolError(`Item ${index + 1} has no text`);
    if (content.length > MOST_UNITS) throw new ToolError(`Item ${index + 1} is longer than ${MOST_UNITS} characters`);
    return { content, status };
  });
  const of = (state: State): number => plan.filter(({ status }) => status === state).length;
  if (of("in_progress") > 1) throw new ToolError("More than one item is in_progress: work on one at a time");
  // An unfinished list says what is being done (R390).
  const next = of("in_progress") > 0 ? undefined : plan.find(({ status }) => status === "pending");
  if (next) next.status = "in_progress";
  const begun = next ? `; now in_progress: ${next.content}` : "";
  return textResult(plan.length === 0 ? "The list is empty" : `${of("completed")} of ${plan.length} done${begun}`, {
    plan,
  });
}

/** Words that other programs use for the same, and items that are their text alone. */
function prepare(given: JsonObject): JsonObject {
  const items = given["items"] ?? given["todos"];
  return Array.isArray(items) ? { items: items.map(item) } : given;
}

function item(given: JsonValue): JsonValue {
  if (typeof given === "string") return { text: given };
  if (!isObject(given)) return given;
  const [text, state] = [given["text"] ?? given["content"], given["state"] ?? given["status"]];
  return { ...(text === undefined ? {} : { text }), ...(state === undefined ? {} : { state }) };
}
