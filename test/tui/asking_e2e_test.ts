// What a person is asked before anything of the project's or of an extension's counts, in a real terminal.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { hasTmux, type Pty } from "./pty.ts";
import { inTerminal, type Places, type WorldOptions } from "./world.ts";

function test(title: string, options: WorldOptions, work: (pty: Pty, places: Places) => Promise<void>): void {
  Deno.test({ name: title, ignore: !hasTmux, fn: () => inTerminal(options, work) });
}

/** Longer than a question takes to believe that a key is meant for it. */
const quiet = (): Promise<void> => new Promise((later) => setTimeout(later, 700));

/** A letter chooses, Enter confirms. */
async function answer(pty: Pty, letter: string): Promise<void> {
  await quiet();
  await pty.keys(letter);
  await pty.see(`❯ ${letter}`);
  await pty.keys("Enter");
}

async function leave(pty: Pty): Promise<void> {
  await pty.keys("C-c");
  await pty.see("Ctrl+C again quits");
  await pty.keys("C-c");
  await pty.see("[ended 0] terminal as before");
}

async function say(pty: Pty, text: string): Promise<void> {
  await pty.type(text);
  await pty.keys("Enter");
}

/** How often everything was read again. */
const readAnew = (pty: Pty, times: number): Promise<string> =>
  pty.see(new RegExp(`(?:read anew[^]*){${times}}`), { history: true });

const RULES = `import { defineExtension } from "sandpiper";
export const permissions = { read: ["rules.md"] };
export default defineExtension((sp) => {
  sp.registerCommand("rules", { handler: async (_args, ctx) => {
    try { await ctx.ui.notify("rules: " + await Deno.readTextFile(ctx.cwd + "/rules.md")); }
    catch { await ctx.ui.notify("rules cannot be read"); }
  } });
});
`;
const GRANT = { files: { "rules.md": "tabs", "rules.ts": RULES }, replies: [], args: ["-e", "rules.ts"] };
const QUESTION = "Extension rules asks for more than it has";

const settingsOf = ({ home }: Places): string => join(home, ".sandpiper/agent/settings.json");

test(
  "an extension asks for what its manifest says; always keeps it by the hash of its files",
  GRANT,
  async (pty, places) => {
    const screen = await pty.see(QUESTION);
    assertStringIncludes(screen, "  read rules.md");
    assertStringIncludes(screen, "❯ n  No, it runs without");
    await answer(pty, "a");
    await pty.see("write: .");
    await say(pty, "/rules");
    await pty.see("rules: tabs");
    const { extensions: { grants } } = JSON.parse(Deno.readTextFileSync(settingsOf(places)));
    assertEquals(Object.values(grants), [{ read: ["rules.md"] }]);
    assertEquals((Deno.statSync(settingsOf(places)).mode ?? 0) & 0o777, 0o600);
    await say(pty, "/reload");
    await readAnew(pty, 1);
    assert(!(await pty.screen()).includes(QUESTION));
    Deno.writeTextFileSync(join(places.ws, "rules.ts"), `${RULES}// changed\n`);
    await say(pty, "/reload");
    await pty.see(QUESTION);
    await pty.keys("Escape");
    await pty.see("runs without what it asks for");
    await pty.see("put this into your own settings.json");
    await readAnew(pty, 2);
    await say(pty, "/rules");
    await pty.see("rules cannot be read");
    await leave(pty);
  },
);

test(
  "an answer for the session outlives a reload and writes nothing; one for once does not outlive it",
  GRANT,
  async (pty, places) => {
    await pty.see(QUESTION);
    await answer(pty, "o");
    await pty.see("write: .");
    await say(pty, "/rules");
    await pty.see("rules: tabs");
    await say(pty, "/reload");
    await pty.see(QUESTION);
    await answer(pty, "s");
    await readAnew(pty, 1);
    await say(pty, "/reload");
    await readAnew(pty, 2);
    assert(!(await pty.screen()).includes(QUESTION));
    assertEquals(exists(settingsOf(places)), false);
    await leave(pty);
  },
);

test(
  "what is typed before a question was read answers nothing",
  { ...GRANT, args: [...GRANT.args, "--no-session"] },
  async (pty) => {
    await pty.see(QUESTION);
    await pty.type("also");
    await pty.see("also");
    assertStringIncludes(await pty.screen(), QUESTION);
    await quiet();
    await pty.type("s");
    await pty.see(/^alsos$/m);
    await quiet();
    await pty.keys("Enter"); // at the end of a message it is nobody's
    await pty.keys("Up");
    await pty.see("❯ a");
    await pty.keys("Down");
    await pty.see("❯ n");
    await quiet();
    await pty.keys("Enter");
    await pty.see("runs without what it asks for");
    await leave(pty);
  },
);

test("leaving while an extension asks is a no", GRANT, async (pty, places) => {
  await pty.see(QUESTION);
  await pty.keys("C-c");
  await pty.see("runs without what it asks for");
  assertEquals(exists(settingsOf(places)), false);
  await pty.gone("Ctrl+C again quits");
  await leave(pty);
});

test("plain mode asks about an extension in lines, once the session is open", {
  ...GRANT,
  args: [...GRANT.args, "--plain"],
}, async (pty) => {
  await pty.see("question: extension rules");
  await pty.see("  read rules.md");
  await say(pty, "s");
  await pty.see("extension rules: was loaded again, with what it asked for");
  await say(pty, "/rules");
  await pty.see("rules: tabs");
  await say(pty, "/quit");
  await pty.see("[ended 0]");
});

const PROJECT = {
  files: {
    ".sandpiper/settings.json": "{}",
    ".sandpiper/APPEND_SYSTEM.md": "Speak in rhymes",
    ".sandpiper/extensions/hello.ts":
      `import { defineExtension } from "sandpiper";\nexport default defineExtension((sp) => { sp.registerCommand("hello", { handler: (_a, ctx) => ctx.ui.notify("hello you") }); });\n`,
  },
  replies: [{ text: "Done.", expect: ["Speak in rhymes"] }],
};
const TRUST = "▣ This project";
const trustOf = ({ home }: Places): string => join(home, ".sandpiper/agent/trust.json");
const again = (places: Places, options: WorldOptions, work: (pty: Pty) => Promise<void>): Promise<void> =>
  inTerminal({
    ...options,
    files: Object.fromEntries(
      Object.keys(PROJECT.files).map((name) => [name, Deno.readTextFileSync(join(places.ws, name))]),
    ),
    args: ["-C", places.ws],
    env: { SANDPIPER_HOME: join(places.home, ".sandpiper/agent") },
  }, work);

test(
  "a project with configuration of its own is asked about once; yes loads it and is recorded with its content",
  PROJECT,
  async (pty, places) => {
    const screen = await pty.see("Yes, load it");
    assertStringIncludes(screen, "▣ This project brings configuration of its own");
    const at = (name: string): number => screen.indexOf(name);
    assert(
      0 < at(".sandpiper/settings.json") &&
        at(".sandpiper/settings.json") < at(".sandpiper/extensions/hello.ts") &&
        at(".sandpiper/extensions/hello.ts") < at(".sandpiper/APPEND_SYSTEM.md"),
      screen,
    );
    await answer(pty, "y");
    await pty.see("write: .");
    await say(pty, "/hello");
    await pty.see("hello you");
    await say(pty, "go");
    await pty.see("Done.");
    await leave(pty);
    const [record] = JSON.parse(Deno.readTextFileSync(trustOf(places))).records;
    assertEquals([record.folder, record.trusted, record.digest.length], [places.ws, true, 64]);
    await again(places, { replies: PROJECT.replies }, async (next) => {
      await next.see("write: .");
      assert(!(await next.screen()).includes(TRUST));
      await say(next, "/hello");
      await next.see("hello you");
      await leave(next);
    });
    Deno.writeTextFileSync(join(places.ws, ".sandpiper/APPEND_SYSTEM.md"), "Speak in prose");
    await again(places, { replies: [] }, async (next) => {
      await next.see("This project has changed since you answered");
      await answer(next, "x");
      await next.see("write: .");
      await leave(next);
    });
    assertEquals(
      JSON.parse(Deno.readTextFileSync(trustOf(places))).records.map((one: { trusted: boolean }) => one.trusted),
      [
        false,
      ],
    );
    await again(places, { replies: [] }, async (next) => {
      await next.see("write: .");
      const screen = await next.screen();
      assert(!screen.includes(TRUST) && !screen.includes("nobody has trusted it"), screen);
      await leave(next);
    });
  },
);

test("Escape leaves a project's configuration out, says so, and records nothing", PROJECT, async (pty, places) => {
  await pty.see(TRUST);
  await pty.keys("Escape");
  await pty.see("this project's own configuration is left out");
  await say(pty, "/hello");
  await pty.see("There is no command /hello");
  assertEquals(exists(trustOf(places)), false);
  await leave(pty);
});

test("plain mode asks about a project in lines", { ...PROJECT, args: ["--plain"] }, async (pty, places) => {
  await pty.see("Load it?");
  await say(pty, "y");
  await pty.see("/help shows commands");
  await say(pty, "/hello");
  await pty.see("hello you");
  assertEquals(JSON.parse(Deno.readTextFileSync(trustOf(places))).records[0].trusted, true);
  await say(pty, "/quit");
  await pty.see("[ended 0]");
});

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

const SAID = "Sandbox: cannot read /etc/shadow: it may hold secrets, and no grant opens it.";

test("each denial of a call has one line with a count, and what a command writes itself hides none R480", {
  columns: 100,
  replies: [
    { calls: [{ name: "bash", args: { command: `echo '${SAID}'; cat /etc/shadow; cat /etc/shadow; false` } }] },
    { text: "Done." },
  ],
}, async (pty) => {
  await pty.see("write: .");
  await say(pty, "go");
  await pty.see("Done.");
  const screen = await pty.screen(true);
  const count = (text: string): number => screen.replaceAll(/\s+/g, " ").split(text).length - 1;
  // In the command and in what it printed; the program's own sentence stands below the call, once.
  assertEquals(count(SAID), 2, screen);
  assertEquals(count("Denied: read /etc/shadow"), 1, screen);
  assertEquals(count("! Denied: read /etc/shadow (2 times): it may hold secrets, and no grant opens it"), 1, screen);
});
