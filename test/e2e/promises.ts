import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { cassette, events, inWorkspace, type Program, run } from "../helpers/program.ts";
import { callReply, serveAnswers, textReply } from "../helpers/server.ts";

/** The README's promises, for the program from source and for the binary alike. */
export function promises(program: Program): void {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`${program.name}: ${name}`, work);

  test("a cassette run edits a file and prints only the answer R233 R260 R453 R481 R494 R505", async () => {
    await inWorkspace({ "src/add.ts": "export const add = (a, b) => a - b;\n" }, async ({ ws, home }) => {
      const file = cassette(home, [
        { text: "Looking.", calls: [{ name: "read", args: { path: "src/add.ts" } }] },
        {
          calls: [{ name: "edit", args: { path: "src/add.ts", edits: [{ oldText: "a - b", newText: "a + b" }] } }],
          expect: ["export const add = (a, b) => a - b;"],
        },
        { calls: [{ name: "bash", args: { command: "cat src/add.ts | tr a-z A-Z" } }] },
        { text: "It adds now.", expect: ["ADD = (A, B) => A + B"] },
      ]);
      const ran = await run(program, ["-p", "-m", `replay:${file}`, "fix add"], { cwd: ws, env: { HOME: home } });
      assertEquals(ran, { code: 0, stdout: "It adds now.\n", stderr: "" });
      assertEquals(Deno.readTextFileSync(`${ws}/src/add.ts`), "export const add = (a, b) => a + b;\n");
      const audit = `${home}/.sandpiper/agent/audit`;
      const [name = ""] = [...Deno.readDirSync(audit)].map((entry) => entry.name);
      const lines = Deno.readTextFileSync(`${audit}/${name}`).trim().split("\n").map((line) => JSON.parse(line));
      assertEquals(lines.map((line) => [line.tool, line.decision, line.outcome]), [
        ["read", "allowed", "ok"],
        ["edit", "allowed", "ok"],
        ["bash", "allowed", "ok"],
      ]);
    });
  });

  test("a read outside the workspace is denied, and the model is told how it could be allowed R459 R480 R507", async () => {
    await inWorkspace({ "a.txt": "a" }, async ({ ws, home, outside }) => {
      Deno.writeTextFileSync(`${outside}/secret.txt`, "TOPSECRET");
      Deno.symlinkSync(`${outside}/secret.txt`, `${ws}/link.txt`);
      const file = cassette(home, [
        { calls: [{ name: "read", args: { path: `${outside}/secret.txt` } }] },
        { calls: [{ name: "read", args: { path: "link.txt" } }] },
        { calls: [{ name: "read", args: { path: "../outside/secret.txt" } }] },
        { calls: [{ name: "bash", args: { command: `cat ${outside}/secret.txt link.txt; true` } }] },
        { text: "Denied." },
      ]);
      const ran = await run(program, ["--mode", "json", "-m", `replay:${file}`, "read it"], {
        cwd: ws,
        env: { HOME: home },
      });
      assertEquals(ran.code, 0);
      const results = events(ran.stdout).filter((event) => event.type === "tool_execution_end");
      assertEquals(results.map((event) => event.isError), [true, true, true, false]);
      assert(!ran.stdout.includes("TOPSECRET"));
      assertStringIncludes(JSON.stringify(results[0].result), "--allow-read");
    });
  });

  test("the key is in no tool's environment, in no output and in no file R360 R438 R466 R467", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const own = join(home, ".sandpiper");
      const store = join(home, ".config", "tracker");
      for (const folder of [join(own, "agent", "skills", "tracker"), store]) {
        Deno.mkdirSync(folder, { recursive: true });
      }
      Deno.writeTextFileSync(
        join(own, "agent", "skills", "tracker", "SKILL.md"),
        "---\nname: tracker\ndescription: Files issues\nauth_profiles: tracker\n---\nAsk first.\n",
      );
      Deno.writeTextFileSync(join(store, "credentials"), "crd-0123456789");
      const look = `env; tr '\\0' '\\n' < /proc/$PPID/environ; cat /proc/*/environ ${store}/credentials; true`;
      const server = serveAnswers([
        { events: callReply({ name: "bash", args: { command: look } }) },
        { events: callReply({ name: "read", args: { path: join(store, "credentials") } }) },
        { events: textReply("Looked, with $tracker.") },
      ]);
      try {
        const env = { HOME: home, OPENAI_API_KEY: "sk-very-secret-0123456789", TRACKER_TOKEN: "tok-0123456789" };
        const args = ["--mode", "json", "-m", "m", "--base-url", server.baseUrl, "look with $tracker"];
        const ran = await run(program, args, { cwd: ws, env });
        const files = filesBelow(own);
        const texts = [["stdout", ran.stdout], ["stderr", ran.stderr], ["requests", JSON.stringify(server.requests)]];
        for (const path of files) texts.push([path, Deno.readTextFileSync(path)]);
        const leaks = texts.filter(([, text = ""]) => /sk-very-secret|tok-0123456789|crd-0123456789/.test(text));
        assertEquals([ran.code, leaks.map(([name]) => name)], [0, []], ran.stderr);
        assertStringIncludes(ran.stdout, "PATH=");
        // What was looked through is what there is to look through: each call in the audit, the manifests in the session.
        const textBelow = (folder: string): string =>
          files.filter((path) => path.startsWith(join(own, "agent", folder))).map((path) => Deno.readTextFileSync(path))
            .join("");
        assertEquals(textBelow("audit").match(/"tool":"(bash|read)"/g), ['"tool":"bash"', '"tool":"read"']);
        assertMatch(textBelow("sessions"), /"customType":"manifest"[^\n]*"skills_listing"/);
      } finally {
        await server.close();
      }
    });
  });

  test("--version and --help need no configuration R506", async () => {
    await inWorkspace({}, async ({ ws }) => {
      const version = await run(program, ["--version"], { cwd: ws });
      assertMatch(version.stdout, /^sandpiper \d+\.\d+\.\d+\n$/);
      const help = await run(program, ["--help"], { cwd: ws });
      assertEquals([version.code, help.code], [0, 0]);
      assertStringIncludes(help.stdout, "--allow-read");
    });
  });

  test("the bundled skills are listed and the read tool opens them, from any folder R106 R117 R119 R509", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const prompt = await run(program, ["prompt"], { cwd: ws, env: { HOME: home } });
      const location = /<name>review<\/name>[\s\S]*?<location>(.*?)<\/location>/.exec(prompt.stdout)?.[1] ?? "";
      assertStringIncludes(location, "review/SKILL.md");
      const file = cassette(home, [
        {
          calls: [{ name: "read", args: { path: location } }, {
            name: "bash",
            args: { command: `head -2 ${location}` },
          }],
        },
        { text: "Read.", expect: ["Report one line of verdict first", "name: review"] },
      ]);
      const ran = await run(program, ["-p", "-m", `replay:${file}`, "review"], { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout], [0, "Read.\n"], ran.stderr);
    });
  });

  test("-C works in another folder, and stdin is the task R499", async () => {
    await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home }) => {
      const file = cassette(home, [
        { calls: [{ name: "read", args: { path: "a.txt" } }], expect: ["what is in a.txt?"] },
        { text: "alpha", expect: [`Current working directory: ${ws}`] },
      ]);
      const options = { cwd: home, env: { HOME: home }, stdin: "what is in a.txt?\n" };
      const ran = await run(program, ["-C", ws, "-m", `replay:${file}`], options);
      assertEquals(ran, { code: 0, stdout: "alpha\n", stderr: "" });
    });
  });

  test("sandpiper prompt prints what its fingerprints say R56 R336 R342 R343", async () => {
    await inWorkspace({ "AGENTS.md": "Use tabs.\n" }, async ({ ws, home }) => {
      const options = { cwd: ws, env: { HOME: home } };
      const json = JSON.parse((await run(program, ["prompt", "--json"], options)).stdout);
      const stable = (await run(program, ["prompt", "--stable"], options)).stdout;
      const digest = new Uint8Array(
        await crypto.subtle.digest("SHA-256", new TextEncoder().encode(stable.slice(0, -1))),
      );
      const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      assertEquals([json.stable + "\n", json.manifest.fingerprints.stable], [stable, hex]);
      assertStringIncludes(json.full, `## ${ws}/AGENTS.md`);
      assert(!JSON.stringify(json.manifest).includes("Use tabs"));
    });
  });

  test("a project file widens nothing, and an untrusted one is left out with a notice", async () => {
    const settings = JSON.stringify({ permissions: { read: ["/"], write: ["/"] }, sandbox: "off" });
    await inWorkspace({ ".sandpiper/settings.json": settings }, async ({ ws, home }) => {
      const plain = await run(program, ["policy", "--json"], { cwd: ws, env: { HOME: home } });
      const trusted = await run(program, ["policy", "--json", "--trust"], { cwd: ws, env: { HOME: home } });
      const scopes = [plain, trusted].map((ran) => JSON.parse(ran.stdout));
      const own = (list: string[]): string[] => list.filter((path) => !path.includes("/sandpiper-"));
      assertEquals(own(scopes[1].write.list), own(scopes[0].write.list));
      assertEquals(scopes[1].read.list.includes("/"), false);
      assertEquals(scopes[1].sandbox, scopes[0].sandbox);
      const run2 = await run(program, ["prompt"], { cwd: ws, env: { HOME: home } });
      assertStringIncludes(run2.stderr, "--trust");
    });
  });
}

/** Every file below a folder; links are not followed. */
function filesBelow(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory, isFile }) => {
    const path = join(folder, name);
    return isDirectory ? filesBelow(path) : isFile ? [path] : [];
  });
}
