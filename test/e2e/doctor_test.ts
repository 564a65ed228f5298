import { assertEquals, assertStringIncludes } from "@std/assert";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";

Deno.test("doctor says what is there and how to mend what is not, without the key", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const env = { HOME: home, OPENAI_API_KEY: "sk-doctor-0123456789" };
    const ran = await run(PROGRAM, ["doctor", "--json"], { cwd: ws, env });
    const checks: { name: string; ok: boolean; fix?: string }[] = JSON.parse(ran.stdout);
    const model = checks.find((check) => check.name === "model");
    assertEquals([ran.code, model?.ok, model?.fix?.includes("--model")], [0, false, true]);
    for (const name of ["program", "sandbox", "Landlock", "namespaces", "host list"]) {
      assertEquals(checks.filter((check) => check.name === name).length, 1, name);
    }
    const named = await run(PROGRAM, ["doctor", "-m", "gpt-5"], { cwd: ws, env });
    assertStringIncludes(named.stdout, "key from OPENAI_API_KEY");
    assertEquals((ran.stdout + named.stdout).includes("sk-doctor"), false);
  });
});

Deno.test("doctor says where no temporary file and no session can be made, and ends with 3 for the first", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const looked = async (env: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
      const { code, stdout } = await run(PROGRAM, ["doctor", "--json"], { cwd: ws, env });
      const checks: { name: string; ok: boolean; found: string }[] = JSON.parse(stdout);
      return [code, ...checks.filter(({ name }) => /^(temporary|sessions)$/.test(name)).map(({ ok }) => ok)];
    };
    assertEquals(await looked({ HOME: home }), [0, true, true]);
    assertEquals([...Deno.readDirSync(home)], []);
    // Nobody makes files in /proc, root neither.
    assertEquals(await looked({ HOME: "/proc" }), [0, true, false]);
    const nowhere = { HOME: home, TMPDIR: "/nonexistent" };
    assertEquals(await looked(nowhere), [3, false, true]);
    const demo = await run(PROGRAM, ["demo"], { cwd: ws, env: nowhere });
    assertEquals([demo.code, /^error: Cannot make a temporary folder\n/.test(demo.stderr)], [2, true], demo.stderr);
  });
});

/** A server that takes no `stream_options` and no two messages of one role. */
function picky(): { readonly bodies: string[]; readonly url: string; readonly close: () => Promise<void> } {
  const bodies: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const text = await request.text();
    bodies.push(text);
    if (text.includes('"stream_options"')) {
      return Response.json({ error: { message: "stream_options: Extra inputs are not permitted" } }, { status: 422 });
    }
    return Response.json({ choices: [{ message: { role: "assistant", content: "ready" }, finish_reason: "stop" }] });
  });
  return { bodies, url: `http://127.0.0.1:${server.addr.port}/v1`, close: () => server.shutdown() };
}

Deno.test("doctor --model sends nothing before somebody agreed, and stores what it found out", async () => {
  const server = picky();
  try {
    await inWorkspace({}, async ({ ws, home }) => {
      const env = { HOME: home, OPENAI_API_KEY: "sk-doctor-0123456789", OPENAI_BASE_URL: server.url };
      const args = ["doctor", "--json", "--model", "openai/unit-1"];
      const silent = await run(PROGRAM, args, { cwd: ws, env });
      assertEquals(server.bodies, []);
      assertStringIncludes(silent.stderr, "At most 8 requests to unit-1 at 127.0.0.1");
      assertStringIncludes(silent.stderr, "Its price is not known");
      assertStringIncludes(silent.stderr, "Nothing was sent; --yes sends them.");
      const asked = await run(PROGRAM, [...args, "--yes"], { cwd: ws, env });
      assertEquals(server.bodies.length, 5);
      assertStringIncludes(asked.stderr, "5 requests were sent.\nStored: alternation, streamOptions.");
      const rows: { name: string; ok: boolean; found: string }[] = JSON.parse(asked.stdout);
      assertEquals(rows.find(({ name }) => name === "tools"), {
        name: "tools",
        ok: false,
        found: "it called none when it was asked to",
      });
      // The next look begins with it.
      const again = await run(PROGRAM, [...args, "--yes"], { cwd: ws, env });
      assertEquals(server.bodies.length, 9);
      assertStringIncludes(again.stderr, "4 requests were sent.\nNothing new was found out");
      assertEquals([silent, asked, again].some(({ stdout, stderr }) => (stdout + stderr).includes("sk-doctor")), false);
    });
  } finally {
    await server.close();
  }
});
