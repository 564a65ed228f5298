import { assertEquals } from "@std/assert";
import { createMailbox } from "../../src/agent/mailbox.ts";

Deno.test("createMailbox() waits for the first item and hands over all that is there, in order, once", async () => {
  const mailbox = createMailbox<number>();
  const first = mailbox.take();
  queueMicrotask(() => [1, 2].forEach((item) => mailbox.put(item)));
  assertEquals(await first, [1, 2]);
  mailbox.put(3);
  mailbox.put(4);
  assertEquals(await mailbox.take(), [3, 4]);
  const state = await Promise.race([mailbox.take(), new Promise((resolve) => setTimeout(resolve, 5, "waits"))]);
  assertEquals(state, "waits");
});
