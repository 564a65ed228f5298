import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inWorkspace, PROGRAM, run } from "../../helpers/program.ts";

// A repository or an earlier command has put a link to a directory outside where a scope of the user names a directory.

const PRIVATE = "PRIVATETEXT";
const COMMAND = "echo evil > build/tool; cat data/p; cat p; echo x > w; true";

interface Case {
  readonly name: string;
  readonly args?: readonly string[];
  readonly settings?: object;
  readonly project?: object;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  { name: "--allow-write=build", args: ["--allow-write=build"] },
  { name: "--allow-write=build/", args: ["--allow-write=build/"] },
  { name: "--allow-write=./build", args: ["--allow-write=./build"] },
  { name: "--allow-write=+build", args: ["--allow-write=+build"] },
  { name: "--allow-write=a.txt,build", args: ["--allow-write=a.txt,build"] },
  { name: "--allow-write=build/tool", args: ["--allow-write=build/tool"] },
  { name: "--allow-write=build/new", args: ["--allow-write=build/new"] },
  { name: "--allow-write with an absolute name", args: ["--allow-write=WS/build"] },
  { name: "--allow-write by a chain of links", args: ["--allow-write=chain"] },
  { name: "--allow-write by a link in the middle", args: ["--allow-write=up/home/bin"] },
  { name: "--allow-write and dots inside", args: ["--allow-write=sub/../build"] },
  { name: "--allow-read=data", args: ["--allow-read=data"] },
  { name: "--allow-read=+data", args: ["--allow-read=+data"] },
  { name: "--allow-read of a relative link", args: ["--allow-read=up/home/private"] },
  { name: "-C data", args: ["-C", "data"] },
  { name: "-C ./data/", args: ["-C", "./data/"] },
  { name: "-C with an absolute name", args: ["-C", "WS/data"] },
  { name: "-C by a chain of links", args: ["-C", "up/home/private"] },
  { name: "-C and a scope in it", args: ["-C", "sub", "--allow-write=out"] },
  { name: "-C above a repository's directory", args: ["-C", "../data"], cwd: "sub" },
  { name: "--session-dir", args: ["--session-dir", "data/sessions"] },
  { name: "SANDPIPER_HOME", env: { SANDPIPER_HOME: "data" } },
  { name: "the user's settings, write", settings: { permissions: { write: ["build"] } } },
  { name: "the user's settings, read", settings: { permissions: { read: ["data"] } } },
  { name: "the project's settings", args: ["--trust"], project: { permissions: { write: ["build"] } } },
];
for (const { name, args = [], settings, project, cwd = ".", env = {} } of CASES) {
  Deno.test(`a scope does not lead out of the workspace by a link: ${name}`, async () => {
    await inWorkspace({ "a.txt": "one\n", "sub/b": "" }, async ({ ws, home }) => {
      for (const folder of ["bin", "private", ".sandpiper/agent"]) {
        Deno.mkdirSync(`${home}/${folder}`, { recursive: true });
      }
      Deno.mkdirSync(`${ws}/.git`);
      Deno.writeTextFileSync(`${ws}/.git/HEAD`, "ref: refs/heads/main\n");
      Deno.writeTextFileSync(`${home}/bin/tool`, "victim\n");
      Deno.writeTextFileSync(`${home}/private/p`, PRIVATE);
      if (settings) Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(settings));
      if (project) {
        Deno.mkdirSync(`${ws}/.sandpiper`);
        Deno.writeTextFileSync(`${ws}/.sandpiper/settings.json`, JSON.stringify(project));
      }
      Deno.symlinkSync(`${home}/bin`, `${ws}/build`);
      Deno.symlinkSync(`${home}/private`, `${ws}/data`);
      Deno.symlinkSync("one", `${ws}/chain`);
      Deno.symlinkSync("build", `${ws}/one`);
      Deno.symlinkSync("..", `${ws}/up`);
      Deno.symlinkSync(`${home}/bin`, `${ws}/sub/out`);
      const named = args.map((arg) => arg.replace("WS", ws));
      const { code, stdout, stderr } = await run(PROGRAM, ["tool", ...named, "bash", "--", COMMAND], {
        cwd: `${ws}/${cwd}`,
        env: { HOME: home, ...env },
      });
      assertEquals(code, 2, stdout + stderr);
      assertStringIncludes(stderr, "which is outside of");
      assert(!`${stdout}${stderr}`.includes(PRIVATE));
      assertEquals(Deno.readTextFileSync(`${home}/bin/tool`), "victim\n");
      assertEquals([...Deno.readDirSync(`${home}/private`)].map((entry) => entry.name), ["p"]);
    });
  });
}

for (
  const [variable, path] of [
    ["SANDPIPER_HOME", "WS/own"],
    ["SANDPIPER_HOME", "own"],
    ["SANDPIPER_HOME", "OUTSIDE/in/own"],
    ["SANDPIPER_HOME", "WS/sub/.."],
    ["XDG_CACHE_HOME", "WS/own"],
    ["TMPDIR", "WS/own"],
  ] as const
) {
  Deno.test(`the program's own files are not in the workspace: ${variable}=${path}`, async () => {
    await inWorkspace({ "own/SYSTEM.md": "PLANTED", "sub/b": "" }, async ({ ws, home, outside }) => {
      Deno.mkdirSync(`${ws}/.git`);
      Deno.symlinkSync(ws, `${outside}/in`);
      const env = { HOME: home, [variable]: path.replace("WS", ws).replace("OUTSIDE", outside) };
      for (const [cwd, args] of [[ws, []], [`${ws}/sub`, []], [home, ["-C", ws]]] as const) {
        // A relative path of SANDPIPER_HOME is below the workspace.
        const { code, stdout, stderr } = await run(PROGRAM, ["prompt", ...args], { cwd, env });
        assertEquals([code, stdout], [2, ""], stderr);
        assertStringIncludes(stderr, `Cannot use the directory of ${variable}`);
        assertStringIncludes(stderr, "where tools of another session can write");
      }
    });
  });
}

Deno.test("a workspace that holds the home may hold the program's own files, and a temporary directory may be one", async () => {
  await inWorkspace({}, async ({ home, outside }) => {
    const env = { HOME: home, SANDPIPER_HOME: `${home}/own`, XDG_CACHE_HOME: `${home}/cache` };
    assertEquals((await run(PROGRAM, ["prompt"], { cwd: home, env })).code, 0);
    const { code, stderr } = await run(PROGRAM, ["prompt"], { cwd: outside, env: { HOME: home, TMPDIR: outside } });
    assertEquals(code, 0, stderr);
  });
});

Deno.test("a scope follows a link inside the workspace, and the target that the user names", async () => {
  await inWorkspace({ "real/x": "" }, async ({ ws, home, outside }) => {
    Deno.symlinkSync("real", `${ws}/link`);
    Deno.symlinkSync(outside, `${ws}/out`);
    for (const [scope, path] of [["link", "link/new"], [outside, `${outside}/new`], ["../outside", "../outside/new"]]) {
      const args = ["tool", `--allow-write=${scope}`, "bash", "--", `echo ok > ${path}`];
      const { code, stdout, stderr } = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
      assertEquals(code, 0, stdout + stderr);
    }
    assertEquals(Deno.readTextFileSync(`${ws}/real/new`), "ok\n");
    const { code } = await run(PROGRAM, ["tool", "-C", outside, "bash", "--", "cat new"], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals(code, 0);
  });
});
