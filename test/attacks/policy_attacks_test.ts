// What a repository could try through its own files before any tool runs: settings, links, names, the environment.
import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { cassette, events, inWorkspace, LAZY_SOURCE, type Ran, run } from "../helpers/program.ts";

const SECRET = "outside-secret-7f3a";

/** Names that tell nothing of a secret behind them. */
const UNSUSPICIOUS = new Set(["HARMLESS", "X", "LC_\u00c4", "PS4"]);

interface Place {
  readonly ws: string;
  readonly home: string;
  readonly outside: string;
}

/** A workspace whose own settings are trusted, which is the most that a repository can hope for. */
function withSettings(settings: unknown, work: (place: Place, tool: Tool) => Promise<void>): Promise<void> {
  return inWorkspace({ ".sandpiper/settings.json": JSON.stringify(settings) }, async (place) => {
    Deno.writeTextFileSync(`${place.outside}/secret`, SECRET);
    Deno.mkdirSync(`${place.home}/.ssh`);
    Deno.writeTextFileSync(`${place.home}/.ssh/id`, SECRET);
    await work(
      place,
      (args, env) =>
        run(LAZY_SOURCE, ["tool", "--trust", ...args], { cwd: place.ws, env: { HOME: place.home, ...env } }),
    );
  });
}

type Tool = (args: readonly string[], env?: Record<string, string>) => Promise<Ran>;

function read(path: string): string[] {
  return ["read", JSON.stringify({ path })];
}

const WIDE = {
  everything: { permissions: { read: true, write: true, run: true, net: true, env: true } },
  "a folder by ..": { permissions: { read: ["../outside", "."], write: ["../outside"] } },
  "the root": { permissions: { read: ["/"], write: ["/"] } },
  "the home": { permissions: { read: ["~", "~/.ssh", "."] } },
  "an empty denial": { permissions: { deny: { read: [], write: [] }, read: true } },
};
for (const [name, settings] of Object.entries(WIDE)) {
  Deno.test(`a trusted project's settings that grant ${name} widen nothing`, () =>
    withSettings(settings, async ({ ws, home, outside }) => {
      Deno.symlinkSync(outside, `${ws}/door`);
      Deno.writeTextFileSync(`${ws}/own`, "inside");
      const paths = [`${outside}/secret`, "door/secret", `${home}/.ssh/id`];
      const command = `cat '${outside}/secret' door/secret ~/.ssh/id; echo x > '${outside}/new'; env`;
      const calls = [
        ...["own", ...paths].map((path) => ({ name: "read", args: { path } })),
        { name: "bash", args: { command } },
      ];
      const model = `replay:${cassette(home, [{ calls }, { text: "done" }])}`;
      const { stdout, stderr } = await run(LAZY_SOURCE, ["--mode", "json", "--trust", "-m", model, "go"], {
        cwd: ws,
        env: { HOME: home, MY_TOKEN: SECRET },
      });
      const ended = events(stdout).filter(({ type }) => type === "tool_execution_end");
      // Without the first a program that refuses to start at all would pass; the shell's own failures are its own.
      assertEquals(ended.slice(0, -1).map(({ isError }) => isError), [false, ...paths.map(() => true)], stderr);
      assertEquals(ended.length, calls.length);
      assertMatch(JSON.stringify(ended[0]), /inside/);
      assertMatch(JSON.stringify(ended.at(-1)), /HOME=/);
      assertNotMatch(stdout + stderr, new RegExp(SECRET));
      assertEquals([...Deno.readDirSync(outside)].map((entry) => entry.name), ["secret"]);
    }));
}

Deno.test("a trusted project's settings that grant a link out of the workspace are an error, and nothing runs", async () => {
  for (const permissions of [{ read: ["door", "."] }, { write: ["door"] }, { read: ["in/door"] }]) {
    await withSettings({ permissions }, async ({ ws, outside }, tool) => {
      Deno.mkdirSync(`${ws}/in`);
      for (const link of ["door", "in/door"]) Deno.symlinkSync(outside, `${ws}/${link}`);
      const { code, stdout, stderr } = await tool(["bash", "--", "cat door/secret; echo x > door/new; : > ran"]);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, /a link in it leads to ".*outside", which is outside of/);
      assertEquals([...Deno.readDirSync(outside)].map((entry) => entry.name), ["secret"]);
      assertEquals([...Deno.readDirSync(ws)].some((entry) => entry.name === "ran"), false);
    });
  }
});

Deno.test("a project cannot switch the sandbox off, by no spelling of it", async () => {
  for (const key of ["sandbox", "Sandbox", "SANDBOX", "sandbox ", "s\u0430ndbox", "__proto__"]) {
    const text = `{"${key}": ${key === "__proto__" ? '{"sandbox": "off"}' : '"off"'}}`;
    await withSettings(JSON.parse(text), async ({ ws, outside }, tool) => {
      Deno.writeTextFileSync(`${ws}/.sandpiper/settings.json`, text);
      const ran = await tool(["bash", "--", `echo ran; cat '${outside}/secret'`]);
      if (ran.code !== 2) assertMatch(ran.stdout, /ran/);
      assertNotMatch(ran.stdout + ran.stderr, new RegExp(SECRET));
    });
  }
});

Deno.test("secrets in variables stay out of tools, whatever they are called", () =>
  withSettings({}, async (_place, tool) => {
    const names = [
      ...["OPENAI_API_KEY", "openai_api_key", "MyToken", "GITHUB_PAT", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL"],
      ...["NPM_CONFIG__AUTH", "PGPASSWORD", "SSH_AUTH_SOCK", "HARMLESS", "X", "LC_\u00c4", "LD_PRELOAD_", "PS4"],
    ];
    const env = Object.fromEntries(names.map((name) => [name, SECRET]));
    for (const flags of [[], ["--allow-env"]]) {
      const ran = await tool([...flags, "bash", "--", "env; tr '\\0' '\\n' < /proc/self/environ"], env);
      assertEquals({ code: ran.code, home: ran.stdout.includes("HOME=") }, { code: 0, home: true });
      const leaked = names.filter((name) => ran.stdout.includes(`${name}=${SECRET}`));
      // With everything granted what does not look like a secret comes along: that is what the flag says.
      assertEquals(leaked.filter((name) => flags.length === 0 || !UNSUSPICIOUS.has(name)), []);
    }
  }));

Deno.test("a workspace that is a link, or holds the home, opens neither the secrets nor what is beside it", () =>
  withSettings({}, async ({ ws, home, outside }, tool) => {
    Deno.symlinkSync(ws, `${outside}/alias`);
    const beside = await tool(["-C", `${outside}/alias`, ...read("../secret")]);
    assertNotMatch(beside.stdout + beside.stderr, new RegExp(SECRET));
    const above = await tool(["-C", home.slice(0, home.lastIndexOf("/")), ...read("home/.ssh/id")]);
    assertNotMatch(above.stdout + above.stderr, new RegExp(SECRET));
    const shell = await tool([
      "-C",
      home,
      "bash",
      "--",
      "cat .ssh/id .ssh/../.ssh/id; ls -la .ssh; mv .ssh x && cat x/id",
    ]);
    assertMatch(shell.stdout, /\.ssh/);
    assertNotMatch(shell.stdout + shell.stderr, new RegExp(SECRET));
    assertEquals(Deno.readTextFileSync(`${home}/.ssh/id`), SECRET);
  }));

const ODD_SETTINGS: readonly (readonly [name: string, put: (path: string) => void, said: RegExp])[] = [
  ["a pipe", (path) => new Deno.Command("mkfifo", { args: [path] }).outputSync(), /is not a regular file/],
  ["a folder", (path) => Deno.mkdirSync(path), /is a directory/],
  ["a sparse terabyte", (path) => {
    using file = Deno.openSync(path, { write: true, create: true });
    file.truncateSync(2 ** 40);
  }, /at most 1048576 are read/],
  ["two hundred thousand levels deep", (path) => Deno.writeTextFileSync(path, "[".repeat(200_000)), /settings\.json/],
];
for (const [name, put, said] of ODD_SETTINGS) {
  Deno.test(`a trusted project whose settings are ${name} neither hangs the program nor runs anything`, () =>
    withSettings({}, async ({ ws }, tool) => {
      Deno.removeSync(`${ws}/.sandpiper/settings.json`);
      put(`${ws}/.sandpiper/settings.json`);
      const began = performance.now();
      const ran = await tool(["bash", "--", ": > ran"]);
      assertMatch(ran.stderr, said);
      assertEquals({ code: ran.code, ran: [...Deno.readDirSync(ws)].length }, { code: 2, ran: 1 });
      assert(performance.now() - began < 60_000);
    }));
}

Deno.test("a trusted project's settings that are a link out of the repository are left out with a warning, and are never opened", async () => {
  const open = { permissions: { read: true, write: ["/"] } };
  for (const target of ["/dev/zero", "OUTSIDE/pipe", "OUTSIDE/settings.json", "OUTSIDE/missing"]) {
    await withSettings({}, async ({ ws, outside }, tool) => {
      const path = `${ws}/.sandpiper/settings.json`;
      Deno.writeTextFileSync(`${outside}/settings.json`, JSON.stringify({ ...open, marker: SECRET }));
      new Deno.Command("mkfifo", { args: [`${outside}/pipe`] }).outputSync();
      Deno.removeSync(path);
      Deno.symlinkSync(target.replace("OUTSIDE", outside), path);
      const { code, stdout, stderr } = await tool([
        "bash",
        "--",
        `echo ran; cat '${outside}/secret'; echo x > '${outside}/new'`,
      ]);
      assertEquals(stdout.split("\n")[0], "ran", `${target}: ${code} ${stderr}`);
      assertStringIncludes(stderr, `${path} is left out: it is a link to`);
      assertNotMatch(stdout + stderr, new RegExp(SECRET));
      assertEquals([...Deno.readDirSync(outside)].some((entry) => entry.name === "new"), false);
    });
  }
});

Deno.test("names, grants and limits of a trusted project are taken by nothing but their own spelling", () =>
  withSettings({}, async ({ ws, home, outside }, tool) => {
    const texts = [
      `{"permissions": {"read": true}, "permissions": {"read": ["/"], "write": ["/"]}}`,
      `\ufeff{"permissions": {"read": ["/"]}}`,
      `{"Permissions": {"read": true}, "permissions ": {"read": true}, "perm\u0131ssions": {"read": true}}`,
      `{"permissions": {"Read": true, "READ": true, "re\u0430d": true}}`,
      `{"permissions": {"read": ["\u002e\u002e/outside", "./../outside", "x/../../outside", "${outside}/"]}}`,
      `{"permissions": {"env": ["MY_TOKEN", "OPENAI_API_KEY"]}}`,
      `{"permissions": {"__proto__": {"read": true}, "deny": {"__proto__": {"read": []}}}}`,
      `{"__proto__": {"permissions": {"read": true}}, "constructor": {"permissions": {"read": true}}}`,
    ];
    for (const text of texts) {
      Deno.writeTextFileSync(`${ws}/.sandpiper/settings.json`, text);
      const command = `cat '${outside}/secret' ~/.ssh/id; env; echo x > '${outside}/new'`;
      const ran = await tool(["bash", "--", command], { MY_TOKEN: SECRET, OPENAI_API_KEY: SECRET });
      assertNotMatch(ran.stdout + ran.stderr, new RegExp(SECRET), text);
    }
    assertEquals([...Deno.readDirSync(outside)].map((entry) => entry.name), ["secret"]);
    assertEquals(Deno.readTextFileSync(`${home}/.ssh/id`), SECRET);
  }));

Deno.test("scopes that a user gives with odd spellings open what they name and nothing else", () =>
  withSettings({}, async ({ ws, outside }, tool) => {
    Deno.mkdirSync(`${ws}/in`);
    Deno.writeTextFileSync(`${ws}/in/own`, "inside");
    Deno.symlinkSync(outside, `${ws}/in/door`);
    const flags = [
      ...["--allow-read=in", "--allow-read=in/", "--allow-read=./in/../in", `--allow-read=${ws}//in`],
      ...["--allow-read=in,in/../in/.", "--allow-read=in/own/.."],
    ];
    const command = `cat in/own; cat '${outside}/secret' in/door/secret in/../../outside/secret`;
    for (const flag of flags) {
      const ran = await tool([flag, "bash", "--", command]);
      assertMatch(ran.stdout, /inside/, flag);
      assertNotMatch(ran.stdout + ran.stderr, new RegExp(SECRET), flag);
    }
    // A link in the workspace can be a command's: the user must name what it leads to.
    for (const flag of ["--allow-read=in/door", "--allow-read=+./in/door/", `--allow-read=${ws}/in//door`]) {
      const ran = await tool([flag, ...read(`${outside}/secret`)]);
      assertEquals([ran.code, ran.stdout], [2, ""], flag);
      assertStringIncludes(ran.stderr, `fix: Name ${outside} itself if you mean it`);
    }
    assertMatch((await tool([`--allow-read=${outside}`, ...read(`${outside}/secret`)])).stdout, new RegExp(SECRET));
    for (const flag of ["--allow-read=", "--allow-read=,"]) {
      const ran = await tool([flag, ...read(`${outside}/secret`)]);
      assertNotMatch(ran.stdout + ran.stderr, new RegExp(SECRET), flag);
    }
  }));
