import { assertEquals } from "@std/assert";
import { takeCall } from "../../../src/provider/repair/tool_arguments.ts";

const TEXT = { type: "string" };
const tool = {
  name: "t",
  description: "",
  parameters: {
    type: "object",
    properties: {
      must: TEXT,
      may: TEXT,
      many: { anyOf: [TEXT, { type: "number" }] },
      none: { anyOf: [TEXT, { type: "null" }] },
      any: {},
    },
    required: ["must"],
  },
};

Deno.test("takeCall() leaves null out of optional arguments that do not allow it", () => {
  const { args, repairs } = takeCall("t", '{"must": "x", "may": null, "many": null, "none": null, "any": null}', [
    tool,
  ]);
  assertEquals(args, { must: "x", none: null, any: null });
  assertEquals(repairs, ['"may": null left out', '"many": null left out']);
});

Deno.test("takeCall() refuses null for a required argument", () => {
  assertEquals(takeCall("t", '{"must": null}', [tool]).refusal?.code, "missing_required");
});
