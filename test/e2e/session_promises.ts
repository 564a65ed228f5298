import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { cassette, inWorkspace, type Program, run, start } from "../helpers/program.ts";
import { callReply, serveAnswers, textReply } from "../helpers/server.ts";

/** What is promised of sessions, for the program from source and for the binary alike. */
export function sessionPromises(program: Program): void {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`${program.name}: ${name}`, work);

  test("every request of a session begins with the bytes of the one before, also after it is resumed R26 R302 R324 R428", () =>
    inWorkspace({ "a.txt": "a\n".repeat(100), "AGENTS.md": "Be kind." }, async ({ ws, home }) => {
      const reads = (from: number) =>
        Array.from({ length: 24 }, (_, i) => ({
          events: callReply({ name: "read", args: { path: "a.txt", offset: from + i, limit: 1 } }),
        }));
      const answers = [...reads(1), { events: textReply("first") }, ...reads(30), { events: textReply("second") }];
      const server = serveAnswers(answers);
      try {
        const args = ["-p", "-m", "m", "--base-url", server.baseUrl];
        const env = { HOME: home, OPENAI_API_KEY: "k" };
        assertEquals((await run(program, [...args, "one"], { cwd: ws, env })).stdout, "first\n");
        const next = await run(program, [...args, "--continue", "two"], { cwd: ws, env });
        assertEquals(next.stdout, "second\n", next.stderr);
        assertEquals(server.requests.length, 50);
        for (const [i, request] of server.requests.slice(1).entries()) {
          const before = server.requests[i];
          assertEquals(JSON.stringify(request.tools), JSON.stringify(before.tools));
          const prefix = JSON.stringify(request.messages.slice(0, before.messages.length));
          assertEquals(prefix, JSON.stringify(before.messages), `request ${i + 2}`);
        }
      } finally {
        await server.close();
      }
    }));

  test("a host that is killed loses nothing that it was told of, and is continued R323 R324 R332", () =>
    inWorkspace({ "a.txt": "a" }, async ({ ws, home }) => {
      const file = cassette(home, [
        { text: "One.", calls: [{ name: "read", args: { path: "a.txt" } }] },
        { text: "Two.", calls: [{ name: "bash", args: { command: "sleep 30" } }] },
      ]);
      const env = { HOME: home };
      const child = start(program, ["--mode", "json", "-m", `replay:${file}`, "go"], { cwd: ws, env });
      let seen = "";
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      while (!seen.includes('"toolName":"bash"') || !seen.includes("tool_execution_start")) {
        const { value, done } = await reader.read();
        if (done) break;
        seen += value;
        if (/tool_execution_start[^\n]*"bash"/.test(seen)) break;
      }
      child.kill("SIGKILL");
      await reader.cancel();
      await child.stderr.cancel();
      await child.status;
      const answer = cassette(home, [{ text: "Going on.", expect: ["One.", "Two.", "interrupted before or during"] }]);
      const ran = await run(program, ["-p", "-c", "-m", `replay:${answer}`, "and now?"], { cwd: ws, env });
      assertEquals([ran.code, ran.stdout], [0, "Going on.\n"], ran.stderr);
      assertStringIncludes(ran.stderr, "It was repaired");
    }));

  test("a fork leaves its original alone, and --no-session leaves nothing R326 R334", () =>
    inWorkspace({}, async ({ ws, home }) => {
      const file = cassette(home, [{ text: "hello" }]);
      const folder = join(home, "kept");
      const args = ["-p", "-m", `replay:${file}`];
      const env = { HOME: home };
      await run(program, [...args, "--session-dir", folder, "first"], { cwd: ws, env });
      const [name = ""] = sessions(folder);
      const original = Deno.readTextFileSync(join(folder, name));
      const { id } = JSON.parse(original.split("\n")[0] ?? "");
      const forked = await run(program, [...args, "--session-dir", folder, "--fork", id, "again"], { cwd: ws, env });
      assertEquals([forked.code, forked.stdout], [0, "hello\n"], forked.stderr);
      assertEquals(Deno.readTextFileSync(join(folder, name)), original);
      const other = sessions(folder).find((one) => one !== name) ?? "";
      const copy = Deno.readTextFileSync(join(folder, other)).split("\n").filter(Boolean).map((line) =>
        JSON.parse(line)
      );
      assertEquals(copy[0].parentSession, join(folder, name));
      const said = copy.filter((entry) => entry.message?.role === "user").map((entry) => entry.message.content);
      assertEquals(said, ["first", "again"]);
      const bare = await run(program, [...args, "--no-session", "--session-dir", join(home, "none"), "x"], {
        cwd: ws,
        env,
      });
      assertEquals([bare.code, sessions(join(home, "none"))], [0, []]);
    }));

  test("options for sessions that cannot be had are told and change nothing", () =>
    inWorkspace({}, async ({ ws, home }) => {
      const file = cassette(home, [{ text: "hello" }]);
      const args = ["-p", "-m", `replay:${file}`];
      const env = { HOME: home };
      for (
        const [options, what] of [
          [["-r", "nope"], /Cannot find session "nope"/],
          [["-c", "--no-session"], /do not go together/],
          [["-c", "-r", "x"], /do not go together/],
          [["--fork", join(ws, "a.jsonl")], /a\.jsonl/],
        ] as const
      ) {
        const ran = await run(program, [...args, ...options, "x"], { cwd: ws, env });
        assertEquals([ran.code, ran.stdout], [2, ""], options.join(" "));
        assertMatch(ran.stderr, what);
      }
      const ran = await run(program, [...args, "-c", "x"], { cwd: ws, env });
      assertEquals([ran.code, ran.stdout], [0, "hello\n"]);
      assertStringIncludes(ran.stderr, "no session of this workspace to continue");
    }));

  test("a folder that cannot be written costs the session and not the run R333", () =>
    inWorkspace({}, async ({ ws, home }) => {
      const file = cassette(home, [{ text: "hello" }]);
      Deno.writeTextFileSync(join(home, "taken"), "");
      const folder = join(home, "taken", "sessions");
      const args = ["-p", "-m", `replay:${file}`, "--session-dir", folder, "x"];
      const ran = await run(program, args, { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout], [0, "hello\n"]);
      assert(ran.stderr.startsWith("warning: "), ran.stderr);
    }));

  test("history is shortened when it has grown, and the summary takes its place R275 R279 R296 R300", () =>
    inWorkspace({}, async ({ ws, home }) => {
      Deno.mkdirSync(join(home, ".sandpiper/agent"), { recursive: true });
      const settings = {
        models: { replay: { contextWindow: 4000 } },
        compaction: { reserveTokens: 1000, keepRecentTokens: 200 },
      };
      Deno.writeTextFileSync(join(home, ".sandpiper/agent/settings.json"), JSON.stringify(settings));
      const env = { HOME: home };
      const say = async (replies: readonly unknown[], ...args: readonly string[]) =>
        await run(program, ["-m", `replay:${cassette(home, replies)}`, ...args], { cwd: ws, env });
      const long = "the quick brown fox jumps over the lazy dog. ".repeat(250);
      assertEquals((await say([{ text: "Noted." }], "-p", "remember the word heron")).code, 0);
      assertEquals((await say([{ text: long }], "-p", "-c", "and this one: stork")).code, 0);
      // The cut goes through the last turn: what came before it and its beginning are summarised on their own.
      const ran = await say(
        [
          { text: "## Goal\nheron", expect: ["Critical Context", "word heron"] },
          { text: "stork too", expect: ["Original Request", "stork"] },
          { text: "It was heron.", expect: ["<summary>", "heron", "Turn Context (split turn)", "which word?"] },
        ],
        "--mode",
        "json",
        "-c",
        "which word?",
      );
      assertEquals(ran.code, 0, ran.stderr + ran.stdout.slice(-1500));
      const types = ran.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line).type);
      assertEquals(types.filter((type) => type.startsWith("compaction")), ["compaction_start", "compaction_end"]);
      assertStringIncludes(ran.stdout, "It was heron.");
      const [folder = ""] = sessions(join(home, ".sandpiper/agent/sessions"));
      const [name = ""] = sessions(join(home, ".sandpiper/agent/sessions", folder));
      const kept = Deno.readTextFileSync(join(home, ".sandpiper/agent/sessions", folder, name));
      assertStringIncludes(kept, "remember the word heron");
      assertStringIncludes(kept, '"type":"compaction"');
    }));
}

function sessions(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => !name.endsWith(".lock")).sort();
  } catch {
    return [];
  }
}
