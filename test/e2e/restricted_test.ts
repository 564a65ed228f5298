import { assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { cassette, events, inWorkspace, type Program, run } from "../helpers/program.ts";
import { serveAnswers, textReply } from "../helpers/server.ts";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));

/** The program under `deno run` with nothing but the given permissions; npm code comes from Deno's own cache. */
function restricted(...flags: readonly string[]): Program {
  const config = ["--config", join(root, "deno.json"), "--cached-only"];
  return {
    name: "restricted",
    command: [Deno.execPath(), "run", "--no-prompt", ...flags, ...config, join(root, "main.ts")],
  };
}

Deno.test("run: with scoped read and no write and no run permission a read-only task is done R465 R472 R477 R502", async () => {
  await inWorkspace({ "a.txt": "alpha\n" }, async ({ ws }) => {
    const file = cassette(ws, [
      { calls: [{ name: "read", args: { path: "a.txt" } }, { name: "write", args: { path: "b.txt", content: "b" } }] },
      { calls: [{ name: "read", args: { path: "/etc/hostname" } }] },
      { text: "It says alpha.", expect: ["alpha"] },
    ]);
    const ran = await run(
      restricted(`--allow-read=${ws},${root}`),
      ["--mode", "json", "-m", `replay:${file}`, "look"],
      { cwd: ws },
    );
    const list = events(ran.stdout);
    const results = list.filter((event) => event.type === "message_end" && event.message.role === "toolResult")
      .map((event) => event.message.isError);
    assertEquals([ran.code, results], [0, [false, true, true]], ran.stderr);
    const manifest = list.find((event) => event.type === "prompt_compiled").manifest;
    assertEquals(manifest.tools.names.includes("write"), false);
    assertEquals([...Deno.readDirSync(ws)].map((entry) => entry.name).sort(), ["a.txt", "cassette.jsonl"]);
  });
});

Deno.test("run: one variable and one host are enough for a model R437", async () => {
  await inWorkspace({}, async ({ ws }) => {
    const server = serveAnswers([{ events: textReply("Hello.") }]);
    try {
      const program = restricted(`--allow-read=${ws},${root}`, "--allow-env=OPENAI_API_KEY", "--allow-net=127.0.0.1");
      const args = ["-q", "-p", "-m", "gpt-5", "--base-url", server.baseUrl, "hi"];
      const ran = await run(program, args, { cwd: ws, env: { OPENAI_API_KEY: "sk-test" } });
      assertEquals([ran.code, ran.stdout], [0, "Hello.\n"], ran.stderr);
      assertEquals(server.headers[0]?.get("authorization"), "Bearer sk-test");
    } finally {
      await server.close();
    }
  });
});

Deno.test("run: --help and --version need no permission R506", async () => {
  await inWorkspace({}, async ({ ws }) => {
    const help = await run(restricted(), ["--help"], { cwd: ws });
    assertEquals(help.code, 0, help.stderr);
    assertStringIncludes(help.stdout, "--allow-read");
  });
});

Deno.test("run: a process that may not read its own source says so at the start, with exit code 3 R465", () =>
  inWorkspace({ "a.txt": "alpha\n" }, async ({ ws }) => {
    const file = cassette(ws, [{ calls: [{ name: "read", args: { path: "a.txt" } }] }, { text: "done" }]);
    const program = restricted(`--allow-read=${ws}`);
    const ran = await run(program, ["-p", "-m", `replay:${file}`, "go"], { cwd: ws });
    assertEquals([ran.code, ran.stdout], [3, ""], ran.stderr);
    assertStringIncludes(ran.stderr, "no permission to read its own source");
    assertEquals(ran.stderr.includes("Uncaught"), false);
    const without = await run(program, ["-p", "--no-tools", "-m", `replay:${cassette(ws, [{ text: "done" }])}`, "go"], {
      cwd: ws,
    });
    assertEquals([without.code, without.stdout], [0, "done\n"], without.stderr);
  }));

Deno.test("run: a scope that is wider than the process's own is refused, and the reason of a denial names Deno R465", () =>
  inWorkspace({ "a.txt": "alpha\n" }, async ({ ws }) => {
    const program = restricted(`--allow-read=${ws},${root}`);
    for (const option of ["--allow-write=.", "--allow-write", "--allow-read=/etc", "--allow-read"]) {
      const { code, stderr } = await run(program, ["policy", option], { cwd: ws });
      assertEquals(code, 3, `${option} ${stderr}`);
      assertStringIncludes(stderr, "Deno gave this program itself no");
    }
    const policy = await run(program, ["policy"], { cwd: ws });
    assertStringIncludes(policy.stdout, "so its tools cannot write either");
    assertEquals(/^Read:.*system/m.test(policy.stdout), false, policy.stdout);
    const file = cassette(ws, [{ calls: [{ name: "read", args: { path: "/etc/hostname" } }] }, { text: "done" }]);
    const ran = await run(program, ["-p", "-m", `replay:${file}`, "go"], { cwd: ws });
    assertStringIncludes(ran.stderr, "Deno gave this program itself no read permission there");
    const doctor = await run(program, ["doctor"], { cwd: ws });
    assertEquals(
      /sandpiper failed|SANDPIPER_DEBUG/.test(doctor.stdout + doctor.stderr),
      false,
      doctor.stdout + doctor.stderr,
    );
  }));
