import { assertMatch } from "@std/assert";
import { endSession } from "../../../src/tui/options/farewell.ts";
import { withSession } from "../../engine/world.ts";

Deno.test("the advice how to go on can be typed as it stands, with the options that reach the same model", () =>
  withSession({ replies: [{ text: "one" }] }, async ({ engine, say }) => {
    await say("first");
    const said = await endSession(engine, () => ["--base-url", "http://127.0.0.1:1/v1?a b", "--model", "m"]);
    assertMatch(
      said ?? "",
      /sandpiper --resume [\w-]+ --base-url 'http:\/\/127\.0\.0\.1:1\/v1\?a b' --model m goes on$/,
    );
  }));
