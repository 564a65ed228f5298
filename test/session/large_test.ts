import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { buildContext } from "../../src/session/context.ts";
import { createSession } from "../../src/session/store.ts";
import { openSession } from "../../src/session/reopen.ts";
import { inWorld, reply, said, user, worldIn } from "./world.ts";

Deno.test("openSession() of 100,000 entries takes at most a second of work and three times the file", () => {
  inWorld((world) => {
    const path = join(world.folder, "a.jsonl");
    using file = Deno.openSync(path, { append: true, createNew: true });
    const encoder = new TextEncoder();
    const at = { timestamp: "2026-01-01T00:00:01.000Z" };
    file.writeSync(encoder.encode(JSON.stringify({ type: "session", version: 3, id: "s", ...at, cwd: "/w" }) + "\n"));
    const id = (i: number) => i.toString(16).padStart(8, "0");
    for (let start = 0; start < 100_000; start += 10_000) {
      let text = "";
      for (let i = start; i < start + 10_000; i++) {
        const message = i % 2 === 0
          ? user("a line of a question\n".repeat(10))
          : reply("a line of an answer\n".repeat(10));
        text += JSON.stringify({ type: "message", id: id(i), parentId: i === 0 ? null : id(i - 1), ...at, message }) +
          "\n";
      }
      file.writeSync(encoder.encode(text));
    }
    const size = file.statSync().size;
    // In a process of its own: the memory of this one has seen other things.
    const script = join(world.folder, "script.ts");
    Deno.writeTextFileSync(
      script,
      `
      import process from "node:process";
      import { untouchedFiles } from ${
        JSON.stringify(new URL("../../src/sandbox/names/named_files.ts", import.meta.url).href)
      };
      import { openSession } from ${JSON.stringify(new URL("../../src/session/reopen.ts", import.meta.url).href)};
      const rss = Deno.memoryUsage().rss, cpu = process.cpuUsage(), start = performance.now();
      const onFailure = (failure) => { throw failure; };
      const session = openSession(Deno.args[0], { now: Date.now, random: Math.random, files: untouchedFiles, onFailure });
      const wallMs = performance.now() - start, { user } = process.cpuUsage(cpu);
      const grown = Deno.memoryUsage().rss - rss;
      const plain = process.cpuUsage();
      for (const line of Deno.readTextFileSync(Deno.args[0]).trimEnd().split("\\n")) JSON.parse(line);
      const plainMs = process.cpuUsage(plain).user / 1000;
      console.log(JSON.stringify({ entries: session.entries().length, wallMs, cpuMs: user / 1000, plainMs, grown }));
      session.close();
    `,
    );
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const { stdout } = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-prompt", "--no-check", "--config", config, script, path],
    }).outputSync();
    const measured = JSON.parse(new TextDecoder().decode(stdout));
    assertEquals(measured.entries, 100_000);
    // Others may be at work on the machine: the least of both clocks is what the work itself took. A slow machine is known
    // by how long it takes to parse the lines alone.
    assert(
      Math.min(measured.wallMs, measured.cpuMs) <= Math.max(1000, 5 * measured.plainMs),
      `${measured.wallMs} ms, ${measured.cpuMs} ms of the processor; ${measured.plainMs} ms for the lines alone`,
    );
    assert(measured.grown <= 3 * size, `${measured.grown} bytes for a file of ${size}`);
  });
});

Deno.test("a line of 50 MB is kept, read and followed by others", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    const text = "0123456789".repeat(5_000_000);
    session.append(said(user(text)));
    session.append(said(reply("short")));
    session.close();
    const again = openSession(session.path!, worldIn(world.folder));
    const messages = buildContext(again).messages;
    assert(messages[0]?.role === "user" && messages[0].content === text);
    assertEquals(messages[1], reply("short"));
    again.close();
    assertEquals(world.failures, []);
  });
});
