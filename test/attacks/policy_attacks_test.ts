// What a repository could try through its own files before any tool runs: settings, links, names, the environment.
import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { inWorkspace, type Ran, run, SOURCE } from "../helpers/program.ts";

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
      (args, env) => run(SOURCE, ["tool", "--trust", ...args], { cwd: place.ws, env: { HOME: place.home, ...env } }),
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
  "a link": { permissions: { read: ["door", "."], write: ["door"] } },
  "the home": { permissions: { read: ["~", "~/.ssh", "."] } },
  "an empty denial": { permissions: { deny: { read: [], write: [] }, read: true } },
};
for (const [name, settings] of Object.entries(WIDE)) {
  Deno.test(`a trusted project's settings that grant ${name} widen nothing`, () =>
    withSettings(settings, async ({ ws, home, outside }, tool) => {
      Deno.symlinkSync(outside, `${ws}/door`);
      // Without this a program that refuses to start at all would pass.
      Deno.writeTextFileSync(`${ws}/own`, "inside");
      assertMatch((await tool(read("own"))).stdout, /inside/);
      for (const path of [`${outside}/secret`, "door/secret", `${home}/.ssh/id`]) {
        const ran = await tool(read(path));
        assertNotMatch(ran.stdout + ran.stderr, new RegExp(SECRET));
        assert(ran.code !== 0);
      }
      const command = `cat '${outside}/secret' door/secret ~/.ssh/id; echo x > '${outside}/new'; env`;
      const ran = await tool(["bash", "--", command], { MY_TOKEN: SECRET });
      assertNotMatch(ran.stdout + ran.stderr, new RegExp(SECRET));
      assertEquals([...Deno.readDirSync(outside)].map((entry) => entry.name), ["secret"]);
    }));
}

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
