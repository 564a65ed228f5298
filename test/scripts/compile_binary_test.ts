import { assertEquals } from "@std/assert";
import { otherRoute } from "../../scripts/build/compile_binary.ts";

Deno.test("otherRoute() says what is taken instead, and nothing that reads like a failed build", () => {
  const reason = "\x1b[0m\x1b[1m\x1b[31merror\x1b[0m: Failed fetching the runtime.";
  assertEquals(
    otherRoute(reason),
    "The official base runtime is not at hand (Failed fetching the runtime): the npm registry's is taken",
  );
});
