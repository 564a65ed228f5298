import { assert, assertEquals, assertNotEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { cassette, events, inWorkspace, PROGRAM, run, start } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { type Answer, callReply, serveAnswers, textReply } from "../helpers/server.ts";
import { type RunningProcess, runningProcesses } from "../helpers/processes.ts";

// Everything that can go wrong, as a person meets it: exit code, one block on stderr, nothing half-written.

const KEY = "sk-test-0123456789abcdef";

interface Case {
  readonly name: string;
  readonly answers: readonly Answer[];
  readonly code: number;
  readonly stdout: string;
  /** Parts of stderr. */
  readonly says: readonly string[];
  readonly requests: number;
}

const error = (message: string): string => JSON.stringify({ error: { message } });
const SOON = { "retry-after-ms": "1" };

const CASES: readonly Case[] = [
  {
    name: "a plain answer",
    answers: [{ events: textReply("Hello.") }],
    code: 0,
    stdout: "Hello.\n",
    says: [],
    requests: 1,
  },
  {
    name: "401 names the variable that was read",
    answers: [{ status: 401, body: error("bad key") }],
    code: 1,
    stdout: "",
    says: ["error:", "why:", "fix:", "OPENAI_API_KEY"],
    requests: 1,
  },
  {
    name: "429 is tried again after the time that the server names R434",
    answers: [{ status: 429, body: error("slow down"), headers: SOON }, { events: textReply("Later.") }],
    code: 0,
    stdout: "Later.\n",
    says: [],
    requests: 2,
  },
  {
    name: "500 is tried again three times and no more",
    answers: [{ status: 500, body: error("broken"), headers: SOON }],
    code: 1,
    stdout: "",
    says: ["error:", "500", "fix:"],
    requests: 4,
  },
  {
    name: "404 is a wrong model or address",
    answers: [{ status: 404, body: error("no such model") }],
    code: 1,
    stdout: "",
    says: ["404", "model name", "--base-url"],
    requests: 1,
  },
  {
    name: "a stream that stops in the middle is never an answer",
    answers: [{ events: textReply("Half an ans").slice(0, 1), done: false }],
    code: 1,
    stdout: "",
    says: ["error:"],
    requests: 4,
  },
  {
    name: "malformed arguments do not run, and the model is told",
    answers: [{ events: callReply({ name: "write", args: '{"path": "half.txt", "content": "aaa' }) }, {
      events: textReply("Sorry."),
    }],
    code: 0,
    stdout: "Sorry.\n",
    says: [],
    requests: 2,
  },
];

for (const { name, answers, code, stdout, says, requests } of CASES) {
  Deno.test(`run: ${name}`, async () => {
    await inWorkspace({ "a.txt": "a" }, async ({ ws, home }) => {
      const server = serveAnswers(answers);
      retrySettings(home, { baseDelayMs: 1, maxDelayMs: 5 });
      try {
        const env = { HOME: home, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl };
        const ran = await run(PROGRAM, ["-q", "-p", "-m", "gpt-5", "hi"], { cwd: ws, env });
        assertEquals([ran.code, ran.stdout, server.requests.length], [code, stdout, requests], ran.stderr);
        for (const part of says) assertStringIncludes(ran.stderr, part);
        if (says.length === 0) assertEquals(ran.stderr, "");
        assert(!ran.stderr.includes(KEY) && !JSON.stringify(server.requests).includes(KEY));
        assertEquals([...Deno.readDirSync(ws)].map((entry) => entry.name), ["a.txt"]);
      } finally {
        await server.close();
      }
    });
  });
}

/** Each would leave a trace if it ran. What an option leaves out the session does not know; what is off it could switch on. */
const OFF = [
  { name: "write", args: { path: "made.txt", content: "made" }, options: ["-t", "read"], active: "read" },
  { name: "bash", args: { command: "echo made > made.txt" }, options: ["-t", "read"], active: "read" },
  {
    name: "edit",
    args: { path: "a.txt", edits: [{ oldText: "a", newText: "b" }] },
    options: ["-t", "read"],
    active: "read",
  },
  { name: "grep", args: { pattern: "NEEDLE" }, options: ["-t", "read"], active: "read" },
  { name: "grep", args: { pattern: "NEEDLE" }, options: [], active: "read, bash, edit, write" },
] as const;

for (const { options, active, ...call } of OFF) {
  const why = options.length === 0 ? "is off" : "is left out";
  Deno.test(`run: ${call.name} that ${why} does not run, whatever the prompt says of it R68 R69 R70`, async () => {
    await inWorkspace({ "a.txt": "a NEEDLE", "AGENTS.md": `Use the tool ${call.name}.` }, async ({ ws, home }) => {
      const server = serveAnswers([{ events: callReply(call) }, { events: textReply("I see.") }]);
      try {
        const env = { HOME: home, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl };
        const ran = await run(PROGRAM, ["-q", "-p", ...options, "-m", "gpt-5", "hi"], { cwd: ws, env });
        assertEquals([ran.code, ran.stdout, server.requests.length], [0, "I see.\n", 2], ran.stderr);
        const [system] = server.requests[1].messages;
        assertStringIncludes(system.content, `Use the tool ${call.name}.`);
        const result = server.requests[1].messages.at(-1);
        assertEquals(result.role, "tool");
        assertStringIncludes(result.content, `There is no active tool "${call.name}". Active tools: ${active}`);
        const offered = server.requests[0].tools.map((tool: { function: { name: string } }) => tool.function.name);
        assertEquals(offered.join(", "), active);
        assert(!result.content.includes("NEEDLE"), result.content);
        assertEquals([...Deno.readDirSync(ws)].map((entry) => entry.name).sort(), ["AGENTS.md", "a.txt"]);
        assertEquals(Deno.readTextFileSync(`${ws}/a.txt`), "a NEEDLE");
      } finally {
        await server.close();
      }
    });
  });
}

Deno.test("run: a refused tool call is answered with the active tools R240", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const server = serveAnswers([{ events: callReply({ name: "fetch", args: {} }) }, { events: textReply("ok") }]);
    try {
      await run(PROGRAM, ["-q", "-p", "-m", "gpt-5", "hi"], {
        cwd: ws,
        env: { HOME: home, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl },
      });
      const result = server.requests[1].messages.at(-1);
      assertEquals([result.role, /read, bash, edit, write/.test(result.content)], ["tool", true]);
    } finally {
      await server.close();
    }
  });
});

Deno.test("run: the request is system prompt, messages and active tools, without the marker R58 R236 R426 R428 R437", async () => {
  await inWorkspace({ "AGENTS.md": "Be kind." }, async ({ ws, home }) => {
    const server = serveAnswers([{ events: textReply("ok") }]);
    const env = { HOME: home, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl };
    try {
      await run(PROGRAM, ["-q", "-p", "-m", "gpt-5", "hello there"], { cwd: ws, env });
      const [request] = server.requests;
      const prompt = await run(PROGRAM, ["prompt"], { cwd: ws, env });
      const clock = (text: string): string => text.replace(/Current date and time: .*/, "");
      assertEquals(clock(request.messages[0].content), clock(prompt.stdout.slice(0, -1)));
      assertEquals(request.messages.slice(1), [{ role: "user", content: "hello there" }]);
      assertEquals(request.tools.map((tool: { function: { name: string } }) => tool.function.name), [
        "read",
        "bash",
        "edit",
        "write",
      ]);
      assertEquals(server.headers[0]?.get("authorization"), `Bearer ${KEY}`);
    } finally {
      await server.close();
    }
  });
});

Deno.test("run: a refused connection says what to check", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    retrySettings(home, { maxRetries: 0 });
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr; // a TCP listener has no other address
    listener.close();
    const ran = await run(PROGRAM, ["-q", "-p", "-m", "gpt-5", "--base-url", `http://127.0.0.1:${port}/v1`, "hi"], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals([ran.code, ran.stdout], [1, ""]);
    for (const part of [`127.0.0.1:${port}`, "--base-url"]) assertStringIncludes(ran.stderr, part);
  });
});

const USAGE = [
  { name: "no key", args: ["-p", "-m", "gpt-5", "hi"], says: "OPENAI_API_KEY" },
  { name: "no model", args: ["-p", "hi"], says: "--model" },
  { name: "a wrong URL", args: ["-p", "-m", "x", "--base-url", "localhost", "hi"], says: "http://" },
  { name: "an unknown option", args: ["--modell", "x"], says: "Did you mean --model?" },
  { name: "a workspace that is a file", args: ["-C", "a.txt", "-m", "replay:x", "hi"], says: "not a folder" },
  { name: "a workspace that does not exist", args: ["-C", "gone", "-m", "replay:x", "hi"], says: "does not exist" },
  { name: "an unreadable @file", args: ["-m", "replay:x", "look", "@gone.txt"], says: "there is no file" },
  { name: "a missing cassette", args: ["-m", "replay:gone.jsonl", "hi"], says: "gone.jsonl" },
  { name: "an unknown tool", args: ["-m", "replay:x", "-t", "raed", "hi"], says: "Did you mean read?" },
  { name: "an unknown profile R43", args: ["-m", "replay:x", "--profile", "big", "hi"], says: "full, minimal, none" },
];

for (const { name, args, says } of USAGE) {
  Deno.test(`run: ${name} is a usage error before any request R503`, async () => {
    await inWorkspace({ "a.txt": "a" }, async ({ ws, home }) => {
      const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout], [2, ""], ran.stderr);
      assertStringIncludes(ran.stderr, says);
      assert(/^error: .*\n {2}why: .*\n {2}fix: .*\n(?: {4}.*\n)*$/.test(ran.stderr), ran.stderr);
    });
  });
}

Deno.test("run: empty stdin without a task is a usage error R501", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "x" }]);
    const ran = await run(PROGRAM, ["-p", "-m", `replay:${file}`], { cwd: ws, env: { HOME: home }, stdin: " \n" });
    assertEquals([ran.code, ran.stdout], [2, ""]);
    assertStringIncludes(ran.stderr, "There is no task");
  });
});

Deno.test("run: a limit ends the run with 4 and an answer R245 R246 R503", async () => {
  await inWorkspace({ "a.txt": "a" }, async ({ ws, home }) => {
    const look = { calls: [{ name: "read", args: { path: "a.txt" } }] };
    const file = cassette(home, [look, { text: "As far as I got: a." }]);
    const ran = await run(PROGRAM, ["-p", "--max-turns", "1", "-m", `replay:${file}`, "hi"], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals([ran.code, ran.stdout], [4, "As far as I got: a.\n"], ran.stderr);
  });
});

for (const { signal, code } of [{ signal: "SIGINT", code: 130 }, { signal: "SIGTERM", code: 143 }] as const) {
  Deno.test(`run: ${signal} in a command ends everything and exits with ${code} R243 R244 R503`, async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const command = "echo started > mark; setsid sleep 371 & sleep 372";
      const file = cassette(home, [{ calls: [{ name: "bash", args: { command } }] }, { text: "x" }]);
      const child = start(PROGRAM, ["--mode", "json", "-m", `replay:${file}`, "hi"], {
        cwd: ws,
        env: { HOME: home },
      });
      // Read from the start: the program waits while nobody reads what it prints and the pipe is full.
      const output = child.output();
      await until(() => exists(`${ws}/mark`));
      child.kill(signal);
      const ran = await output;
      const list = events(new TextDecoder().decode(ran.stdout));
      assertEquals(ran.code, code);
      assertEquals(list.findLast((event) => event.type === "agent_end")?.ending, "aborted");
      assertEquals(sleepers(), []);
    });
  });
}

function retrySettings(home: string, retry: Record<string, number>): void {
  Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
  Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ retry }));
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Processes that the commands of these tests started and that are still there. */
function sleepers(): readonly RunningProcess[] {
  return runningProcesses().filter(({ args }) => /sleep 37[12]$/.test(args));
}

Deno.test("run: --model a,b goes over to b when a is refused for its quota, and says so on standard error", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const spent = { status: 429, body: JSON.stringify({ error: { code: "insufficient_quota", message: "spent" } }) };
    const server = serveAnswers([spent, { events: textReply("From b.") }]);
    try {
      const env = { HOME: home, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl };
      const ran = await run(PROGRAM, ["-p", "-m", "a,b", "hi"], { cwd: ws, env });
      assertEquals([ran.code, ran.stdout], [0, "From b.\n"], ran.stderr);
      assertStringIncludes(ran.stderr, "b answers from now on");
      assertEquals(server.requests.map(({ model }) => model), ["a", "b"]);
    } finally {
      await server.close();
    }
  });
});

Deno.test("run: what an endpoint refused is not sent by the next run, and a damaged memory of it is no reason to stop", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const refused = { status: 400, body: JSON.stringify({ error: { message: "Unknown parameter: stream_options" } }) };
    const ok = { events: textReply("ok") };
    const server = serveAnswers([refused, ok, ok, refused, ok]);
    try {
      const env = { HOME: home, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl };
      const once = async (): Promise<string> => {
        const ran = await run(PROGRAM, ["-p", "-m", "gpt-5", "hi"], { cwd: ws, env });
        assertEquals([ran.code, ran.stdout], [0, "ok\n"], ran.stderr);
        assert(!ran.stderr.includes(KEY));
        return ran.stderr;
      };
      assertStringIncludes(await once(), "stream_options is left out");
      assertEquals(await once(), "");
      const path = `${home}/.sandpiper/agent/learned_endpoints.json`;
      const kept = Deno.readTextFileSync(path);
      assert(!kept.includes(KEY));
      Deno.writeTextFileSync(path, kept.slice(0, -9));
      const warnings = await once();
      assertStringIncludes(warnings, "learned_endpoints.json cannot be read");
      assertStringIncludes(warnings, "stream_options is left out");
      assertEquals(server.requests.map((body) => "stream_options" in body), [true, false, false, true, false]);
      assertEquals(Deno.readTextFileSync(path), kept);
    } finally {
      await server.close();
    }
  });
});

const SLIPS: readonly (readonly [words: string, ...said: readonly string[]])[] = [
  ["mcp lsit", 'Cannot do "mcp lsit"', "Did you mean sandpiper mcp list?"],
  ["login", 'There is no command "login"', "sandpiper mcp login NAME. For a message: sandpiper -- login"],
  ["init", "start sandpiper in the project's folder", "For a message: sandpiper -- init"],
  ["mcp add q htp:/x", '"htp:/x" is no address: it begins with https:// or http://'],
  ["mcp add q bin/server", '"bin/server" must be a program\'s name or an absolute path'],
  ["tool fetch {}", "Cannot run the tool fetch\n  why: The tool fetch is off: there is no network\n"],
  ["apply no.patch", "Cannot read the patch", "Name a file, or a session"],
  ["agents validate no.md", "there is no such file"],
];

Deno.test("a slip in the words of a command is named, with what helps, and nothing is written", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    for (const [words, ...said] of SLIPS) {
      const { code, stdout, stderr } = await run(PROGRAM, words.split(" "), { cwd: ws, env: { HOME: home } });
      assertNotEquals(code, 0, words);
      for (const text of said) assertStringIncludes(stdout + stderr, text);
    }
    assertThrows(() => Deno.lstatSync(`${home}/.sandpiper/agent/settings.json`), Deno.errors.NotFound);
  });
});
