// Stands in for main.ts: the runner's process with nothing in it but the probe, whose findings are the result of a call.
import { deframer, frame } from "../../src/core/framing.ts";
import { messageText } from "../../src/core/protocol.ts";
import { probe } from "./probe.ts";

const messages = deframer();
for await (const bytes of Deno.stdin.readable) {
  for (const text of messages(bytes)) {
    const { id, op, args } = JSON.parse(text);
    if (op !== "tool") continue;
    const found = JSON.stringify(await probe(args.outside));
    frame(messageText({ v: 1, id, ok: { content: [{ type: "text", text: found }] } })).forEach((line) => {
      Deno.stdout.writeSync(line);
    });
  }
}
