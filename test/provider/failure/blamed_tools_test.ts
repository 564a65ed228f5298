import { assertEquals } from "@std/assert";
import { blamedTools } from "../../../src/provider/failure/blamed_tools.ts";

const NAMES = ["read", "bash", "search", "mcp__s__refs", "mcp__s__refs_2", "my-tool"];

const CASES: readonly { readonly said: string; readonly blamed: readonly string[] }[] = [
  { said: "Invalid schema for function 'mcp__s__refs': no items", blamed: ["mcp__s__refs"] },
  { said: "functions.mcp__s__refs_2: bad", blamed: ["mcp__s__refs_2"] },
  { said: "mcp__s__refs and mcp__s__refs_2 clash", blamed: ["mcp__s__refs", "mcp__s__refs_2"] },
  { said: "tools.3.custom.input_schema: JSON schema is invalid", blamed: ["mcp__s__refs"] },
  { said: "GenerateContentRequest.tools[0].function_declarations[3].parameters: bad", blamed: ["mcp__s__refs"] },
  { said: "tools[0].functionDeclarations[4].name: bad", blamed: ["mcp__s__refs_2"] },
  { said: "Invalid 'tools[3].function.name'", blamed: ["mcp__s__refs"] },
  { said: "[{'loc': ('body', 'tools', 3, 'function'), 'msg': 'x'}]", blamed: ["mcp__s__refs"] },
  { said: "body -> tools -> 4 -> function", blamed: ["mcp__s__refs_2"] },
  { said: "/tools/5/function", blamed: ["my-tool"] },
  { said: "functions[3].parameters", blamed: ["mcp__s__refs"] },
  { said: "Tool 3 function has invalid 'parameters' schema", blamed: ["mcp__s__refs"] },
  { said: "tool at index 4 is bad", blamed: ["mcp__s__refs_2"] },
  { said: "Tool #4: bad", blamed: ["mcp__s__refs_2"] },
  { said: "the 4th tool is bad", blamed: ["mcp__s__refs"] },
  { said: "error in tool my-tool", blamed: ["my-tool"] },
  { said: "`search`: bad", blamed: ["search"] },
  { said: "cannot read the body, nor search in it", blamed: [] },
  { said: "tools: 200 given, at most 3 are allowed", blamed: [] },
  { said: "tools.99.x", blamed: [] },
  { said: "Request contains an invalid argument.", blamed: [] },
];

for (const { said, blamed } of CASES) {
  Deno.test(`blamedTools() of ${said}`, () => assertEquals(blamedTools(said, NAMES), blamed));
}
