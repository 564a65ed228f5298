import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { serveAnswers, textReply } from "../helpers/server.ts";
import { rpcClient } from "./rpc_client.ts";

// A conversation does not go to another server than before without a word.

Deno.test("a session that is gone on with says when another server is asked than before, unless an option says so", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const answers = Array.from({ length: 9 }, () => ({ events: textReply("Hi.") }));
    const [first, other] = [serveAnswers(answers), serveAnswers(answers)];
    try {
      const origin = (server: typeof first): string => new URL(server.baseUrl).origin;
      const settings = (baseUrl: string): void => {
        Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
        const path = `${home}/.sandpiper/agent/settings.json`;
        Deno.writeTextFileSync(path, JSON.stringify({ baseUrl, models: { m: { contextWindow: 32_000 } } }));
      };
      const ask = async (...args: readonly string[]): Promise<string> => {
        const ran = await run(PROGRAM, ["-p", "-m", "m", ...args, "hi"], { cwd: ws, env: { HOME: home } });
        assertEquals([ran.code, ran.stdout], [0, "Hi.\n"], ran.stderr);
        return ran.stderr.split("\n").filter((line) => line.includes("server")).join("\n");
      };
      const warning = (from: typeof first, to: typeof first): string =>
        `warning: This session was with the server ${origin(from)}; from now on ${origin(to)} gets its conversation. ` +
        "To go back to the former, start again with its --base-url";
      // A path may be a key.
      settings(`${first.baseUrl}/key-in-path`);
      assertEquals(await ask(), "");
      assertEquals(await ask("-c"), "");
      settings(other.baseUrl);
      assertEquals(await ask("-c"), warning(first, other));
      assertEquals(await ask("-c"), "");
      settings(first.baseUrl);
      assertEquals(await ask("-c", "--base-url", first.baseUrl), "");
      assertEquals(await ask("-r", "latest", "--base-url", other.baseUrl), "");
      assertEquals(await ask("-r", "latest"), warning(other, first));
      const [folder] = [...Deno.readDirSync(`${home}/.sandpiper/agent/sessions`)].map(({ name }) => name);
      const [file] = [...Deno.readDirSync(`${home}/.sandpiper/agent/sessions/${folder}`)]
        .filter(({ name }) => name.endsWith(".jsonl")).map(({ name }) => name);
      const path = `${home}/.sandpiper/agent/sessions/${folder}/${file}`;
      const text = Deno.readTextFileSync(path);
      assertStringIncludes(text, origin(first));
      assert(!text.includes("key-in-path"));
      // The same in a program that runs.
      await using client = rpcClient(PROGRAM, [
        "-m",
        "m",
        "--base-url",
        other.baseUrl,
        "--session-dir",
        `${home}/s`,
      ], {
        cwd: ws,
        env: { HOME: home },
      });
      await client.ask({ type: "switch_session", sessionPath: path });
      const told = await client.wait(({ type, message }) => type === "notice" && message.includes("server"));
      assertEquals(`warning: ${told.message}`, warning(first, other));
    } finally {
      await Promise.all([first.close(), other.close()]);
    }
  });
});
