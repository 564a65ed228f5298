import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { UserError } from "../../../src/core/error.ts";
import { sourceFiles } from "../../../scripts/check_layers.ts";
import { editOutside } from "../../../src/tui/input/external_editor.ts";
import { isThere } from "../../../src/core/support/on_disk.ts";
import type { Terminal } from "../../../src/tui/screen/terminal.ts";
import { inWorkspace, PROGRAM, run } from "../../helpers/program.ts";

// Programs that the host starts by name run unconfined. An earlier command can have put a program under any name into a directory
// of PATH that tools can write.

/** Every file of the sources that starts programs, and why no tool can have chosen which one. */
const STARTS: Readonly<Record<string, string>> = {
  "src/cli/batch/checkout.ts": "git, in programPath()",
  "src/cli/batch/run_attempt.ts": "this program itself",
  "src/cli/check/recording.ts": "this program itself",
  "src/cli/commands/mcp_login.ts": "hostProgram()",
  "src/cli/interactive/pictures.ts": "hostProgram()",
  "src/provider/endpoint/key_command.ts": "what the user's settings name, in programPath()",
  "src/tui/input/external_editor.ts": "what the user names, in programPath()",
  "src/sandbox/confine/probe.ts": "absolute paths",
  "src/sandbox/confine/seatbelt_exec.ts": "an absolute path",
  "src/sandbox/git_layer/host_git.ts": "git in a fixed list of directories",
  "src/sandbox/launcher/executable.ts": "the launcher, by an absolute path",
  "src/sandbox/pool/unconfined.ts": "this program itself",
  "src/sandbox/process/warden.ts": "an absolute path",
  "src/sandbox/proxy/bridge.ts": "inside the sandbox",
};

Deno.test("a new place that starts programs says why no tool chose the program", () => {
  const root = fromFileUrl(new URL("../../../", import.meta.url));
  const starting = sourceFiles(root).filter((path) => {
    const code = Deno.readTextFileSync(join(root, path)).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return /^(?:src|tools)\//.test(path) && /new Deno\.Command\(|child_process/.test(code);
  });
  assertEquals(starting.sort(), Object.keys(STARTS).sort());
  const byName = Object.entries(STARTS).filter(([, why]) => /Program\(\)|programPath\(\)/.test(why)).map(([path]) =>
    path
  );
  for (const path of byName) {
    const code = Deno.readTextFileSync(join(root, path));
    assert(/PATH|hostProgram\(/.test(code), `${path} gives no PATH`);
  }
});

/** Writes a program that leaves a trace. */
function plant(folder: string, name: string, trace: string): void {
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(join(folder, name), `#!/bin/sh\necho ran >> ${trace}\necho two words\n`, { mode: 0o755 });
}

for (
  const [name, cwd, args] of [
    ["the current directory", "WS", []],
    ["another directory's workspace", "OUTSIDE", ["-C", "WS"]],
    ["a write scope", "WS", ["--allow-write=+OUTSIDE/scope"]],
    ["a write scope of the settings", "WS", []],
  ] as const
) {
  Deno.test(`the key command is not taken from where tools write: ${name}`, async () => {
    await inWorkspace({ "a.txt": "" }, async ({ ws, home, outside }) => {
      const trace = `${home}/trace`;
      const place = (text: string): string => text.replace("WS", ws).replace("OUTSIDE", outside);
      const planted = name.includes("scope") ? `${outside}/scope/bin` : `${ws}/node_modules/.bin`;
      plant(planted, "give-key", trace);
      plant(`${home}/bin`, "give-key", `${home}/own`);
      Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
      Deno.writeTextFileSync(
        `${home}/.sandpiper/agent/settings.json`,
        JSON.stringify({
          providers: { x: { baseUrl: "http://127.0.0.1:9/v1", apiKeyCommand: ["give-key"] } },
          ...(name.endsWith("settings") ? { permissions: { write: [ws, `${outside}/scope`] } } : {}),
        }),
      );
      const { stdout, stderr } = await run(
        PROGRAM,
        ["-p", "-m", "x/y", ...args.map(place), "go"],
        {
          cwd: place(cwd),
          env: { HOME: home, PATH: `${planted}:${home}/bin:/usr/bin:/bin` },
        },
      );
      assert(isThere(`${home}/own`), `${stdout}${stderr}`);
      assertEquals(isThere(trace), false);
    });
  });
}

Deno.test("the editor is found in the given PATH alone, and never by a relative path", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    const trace = `${home}/trace`;
    plant(`${ws}/bin`, "my-editor", trace);
    Deno.mkdirSync(`${outside}/bin`);
    Deno.writeTextFileSync(`${outside}/bin/my-editor`, '#!/bin/sh\nprintf edited > "$1"\n', { mode: 0o755 });
    const terminal = { lend: (work: () => unknown) => work() } as unknown as Terminal;
    const edit = (command: string, path: string): Promise<string> =>
      editOutside("text", { command, path: () => Promise.resolve(path) }, terminal);
    assertEquals(await edit("my-editor", `${outside}/bin:/usr/bin:/bin`), "edited");
    await assertRejects(() => edit("my-editor", "/usr/bin:/bin"), UserError);
    for (const command of ["./bin/my-editor", "bin/my-editor x"]) {
      const error = await assertRejects(() => edit(command, `${ws}:/usr/bin:/bin`), UserError);
      assertStringIncludes(error.why, "is a relative path");
    }
    assertEquals([...Deno.readDirSync(home)].map((entry) => entry.name), []);
  });
});
