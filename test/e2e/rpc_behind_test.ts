import { assertEquals, assertMatch } from "@std/assert";
import { cassette, inWorkspace, PROGRAM, start } from "../helpers/program.ts";

/** Characters of the message that is asked for again and again, and how often: more than a reader may be behind. */
const MESSAGE = 8 * 1024 * 1024;
const TIMES = 40;

Deno.test("rpc: a client that reads nothing is told on standard error why the session ends", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Yes." }]);
    const args = ["--mode", "rpc", "-m", `replay:${file}`];
    const child = start(PROGRAM, args, { cwd: ws, env: { HOME: home }, stdin: "" });
    const stderr = new Response(child.stderr).text();
    const writer = child.stdin.getWriter();
    const send = (command: object) => writer.write(new TextEncoder().encode(JSON.stringify(command) + "\n"));
    await send({ type: "prompt", message: "x".repeat(MESSAGE) });
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let tail = "";
    while (!tail.includes("agent_settled")) tail = tail.slice(-100) + ((await reader.read()).value ?? "");
    // The session may end before all are sent.
    for (let i = 0; i < TIMES; i++) await send({ type: "get_messages" }).catch(() => {});
    const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
    assertEquals((await child.status).code, 1);
    clearTimeout(timer);
    assertMatch(await stderr, /^error: The session was ended\n {2}why: its reader .* 256\.0MB .*\n {2}fix: .*\n$/);
    await writer.close().catch(() => {});
    await reader.cancel();
  });
});
