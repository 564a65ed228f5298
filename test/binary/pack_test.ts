import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { dirname, join } from "@std/path";
import { BINARY, cassette, inWorkspace, type Program, type Ran, run, type RunOptions } from "../helpers/program.ts";

const EXTENSION = `import type { ExtensionAPI } from "sandpiper";
import { WORD } from "./word.ts";
export default (api: ExtensionAPI): void => {
  api.registerTool({
    name: "house_word",
    description: "The word of the house",
    parameters: { type: "object", properties: {} },
    execute: () => {
      let read = "none";
      try {
        read = Deno.readTextFileSync("/etc/hostname");
      } catch (error) {
        read = (error as Error).name;
      }
      return Promise.resolve({ content: [{ type: "text", text: WORD + " " + read }] });
    },
  });
};
`;

/** What a team has, below a folder of its own. */
const HOUSE: Readonly<Record<string, string>> = {
  "skills/house-review/SKILL.md":
    "---\nname: house-review\ndescription: Reviews as this house does\n---\nPACKED-SKILL\n",
  "skills/house-review/scripts/count.sh": "#!/bin/sh\necho PACKED-SCRIPT\n",
  "templates/look.md": "PACKED-TEMPLATE $1\n",
  "agents/looker.md": "---\ndescription: PACKED-AGENT looks\nwrite: none\n---\nLook.\n",
  "guard.ts": EXTENSION,
  "word.ts": 'export const WORD = "PACKED-WORD";\n',
  "prompt.md": "PACKED-PROMPT\n",
  "settings.json": '{"thinking": "low", "limits": {"maxTurns": 9}}\n',
};

const EVERYTHING = [
  ...["--skills", "skills", "--templates", "templates", "--agents", "agents", "--extension", "guard.ts"],
  ...["--append-system-prompt", "prompt.md", "--settings", "settings.json"],
];

/** What somebody else has under the same names, in a project's or the user's folder. */
const FOREIGN: Readonly<Record<string, string>> = {
  "skills/house-review/SKILL.md": "---\nname: house-review\ndescription: FOREIGN skill\n---\nFOREIGN-SKILL\n",
  "prompts/look.md": "FOREIGN-TEMPLATE\n",
  "agents/looker.md": "---\ndescription: FOREIGN-AGENT\n---\nAnything.\n",
  "extensions/guard.ts": "export default () => { throw new Error('FOREIGN-EXTENSION ran'); };\n",
  "SYSTEM.md": "FOREIGN-SYSTEM\n",
};

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    Deno.mkdirSync(dirname(join(folder, name)), { recursive: true });
    Deno.writeTextFileSync(join(folder, name), text, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
  }
}

interface Packed {
  readonly ws: string;
  readonly home: string;
  readonly acme: string;
  readonly house: string;
  readonly ask: (args: readonly string[], more?: Partial<RunOptions>) => Promise<Ran>;
}

/** Packs a house that is gone afterwards, and hands over what came of it. */
async function withPack(options: readonly string[], work: (packed: Packed) => Promise<void>): Promise<void> {
  await inWorkspace({ "a.txt": "here" }, async ({ ws, home, outside }) => {
    const house = join(outside, "house");
    write(house, HOUSE);
    const acme = join(outside, "acme");
    const made = await run(BINARY, ["pack", "-o", acme, ...options], { cwd: house, env: { HOME: home } });
    assertEquals([made.code, made.stderr], [0, ""]);
    await Deno.remove(house, { recursive: true });
    const program: Program = { name: "packed", command: [acme] };
    const ask: Packed["ask"] = (args, more = {}) =>
      run(program, args, { cwd: ws, ...more, env: { HOME: home, ...more.env } });
    await work({ ws, home, acme, house, ask });
  });
}

Deno.test("binary: what was packed works where its folders are gone, is read by tools, and is not theirs to write", async () => {
  await withPack([...EVERYTHING, "--policy", "--allow-write"], async ({ home, ask: askIn }) => {
    // The write scope holds all of its cache.
    const env = { XDG_CACHE_HOME: join(home, "other/.cache") };
    const ask: typeof askIn = (args) => askIn(args, { env });
    const prompt = await ask(["prompt", "/look x"]);
    assertStringIncludes(prompt.stdout, "PACKED-PROMPT");
    const path = /<location>(.*house-review.*)<\/location>/.exec(prompt.stdout)?.[1] ?? "";
    assertMatch(path, /\.cache\/sandpiper\/[0-9a-f]{12}\/skills\/house-review\/SKILL\.md$/);
    const file = cassette(home, [
      {
        expect: ["PACKED-TEMPLATE main.ts", "PACKED-PROMPT"],
        calls: [
          { name: "read", args: { path } },
          { name: "bash", args: { command: `${dirname(path)}/scripts/count.sh; cat ${path}` } },
          { name: "house_word", args: {} },
          {
            name: "bash",
            args: { command: `echo EVIL > ${dirname(path)}/more; chmod u+w ${path}; echo EVIL >> ${path}` },
          },
          { name: "write", args: { path, content: "EVIL" } },
        ],
      },
      { expect: ["PACKED-SKILL", "PACKED-SCRIPT", "PACKED-WORD NotCapable"], text: "done" },
    ]);
    const ran = await ask(["-p", "-m", `replay:${file}`, "/look main.ts"]);
    assertEquals([ran.code, ran.stdout], [0, "done\n"], ran.stderr);
    assert(!Deno.readTextFileSync(path).includes("EVIL"));
    assertEquals([...Deno.readDirSync(dirname(path))].map(({ name }) => name).sort(), ["SKILL.md", "scripts"]);
    assertStringIncludes((await ask(["agents"])).stdout, "PACKED-AGENT");
    const audit = JSON.parse((await ask(["audit", "latest", "--json"])).stdout);
    const { fingerprint } = audit.rounds[0].manifest.policy.pack;
    assertStringIncludes((await ask(["audit", "latest"])).stdout, `\npack       acme, fingerprint ${fingerprint}\n`);
    assertEquals((await ask(["--fingerprint"])).stdout, `${fingerprint}\n`);
    assertMatch(
      (await ask(["--version"])).stdout,
      new RegExp(`^acme, packed with sandpiper \\S+\\nfingerprint ${fingerprint}\\n$`),
    );
    // What it tells people to type is its own name.
    for (
      const args of [
        ["--help"],
        ["help", "all"],
        ["help", "batch"],
        ["completions", "bash"],
        ["doctor"],
        ["sessoins"],
        ["undo"],
      ]
    ) {
      const { stdout, stderr } = await ask(args);
      assertStringIncludes(stdout + stderr, "acme ");
      assertEquals((stdout + stderr).match(/(?<![\w./~-])sandpiper (?!\d)[-a-z"<[].*/g), null, args.join(" "));
    }
    for (const command of ["doctor", "policy"]) assertStringIncludes((await ask([command])).stdout, fingerprint);
  });
});

Deno.test("binary: nobody's own files stand in for what is packed, unless it was packed with --open", async () => {
  for (const isOpen of [false, true]) {
    await withPack([...EVERYTHING, ...isOpen ? ["--open"] : []], async ({ ws, home, ask }) => {
      const elsewhere = join(home, "elsewhere");
      for (const folder of [join(ws, ".sandpiper"), join(home, ".sandpiper/agent"), elsewhere]) write(folder, FOREIGN);
      const file = cassette(home, [{ text: "done" }]);
      const env = { SANDPIPER_HOME: elsewhere };
      const told = [
        ...[
          await ask(["prompt", "--trust"]),
          await ask(["skills", "--trust"]),
          await ask(["agents", "--trust"], { env }),
        ],
        await ask(["--mode", "json", "--trust", "-m", `replay:${file}`, "/look x"], { env }),
      ].map(({ stdout, stderr }) => stdout + stderr).join("");
      for (const what of ["skill", "TEMPLATE", "AGENT", "SYSTEM", "EXTENSION ran"]) {
        assertEquals(new RegExp(`FOREIGN[ -]${what}`).test(told), isOpen, `${what}: ${told}`);
      }
      assertStringIncludes(told, "PACKED-PROMPT");
      for (const option of [["--system-prompt", "FOREIGN"], ["-e", "x.ts"]]) {
        const { code } = await ask(["prompt", ...option]);
        assertEquals(code === 3, !isOpen, option.join(" "));
      }
    });
  }
});

/** [what is asked for, exit code, what is said]; the pack has `--allow-net=a.test --sandbox kernel --tools read,bash`. */
const ASKED: readonly (readonly [readonly string[], number, string])[] = [
  [["--allow-write=src"], 0, "/src"],
  [["--read-only"], 0, "Write: nothing"],
  [["--max-turns", "3", "--thinking", "low"], 0, "acme"],
  [["--allow-net=b.test"], 3, "--allow-net asks for more than acme has: b.test"],
  [["--allow-write=/srv"], 3, "--allow-write asks for more than acme has: /srv"],
  [["--allow-read"], 3, "--allow-read asks for more than acme has"],
  [["--allow-env=TOKEN"], 3, "--allow-env asks for more than acme has"],
  [["--max-turns", "10"], 3, "--max-turns with acme: the limit in it is 9"],
  [["--sandbox", "off"], 3, "--sandbox with acme: it demands kernel"],
  [["--tools", "read,write"], 3, "--tools with acme: it has no tool write"],
  [["--thinking", "high"], 3, "--thinking with acme: thinking is settled in it"],
  [["--profile", "none"], 3, "--profile with acme: its prompt would be left out"],
];

Deno.test("binary: whoever runs a pack can narrow what is in it, and widen nothing by options, settings or grants", async () => {
  const flags = "--allow-net=a.test --sandbox kernel --tools read,bash";
  await withPack([...EVERYTHING, "--policy", flags], async ({ ws, home, ask }) => {
    for (const [options, code, said] of ASKED) {
      const ran = await ask(["policy", ...options]);
      const told = (ran.stdout + ran.stderr).replace(/\n +why: /, ": ");
      assertEquals(ran.code, code, options.join(" ") + ran.stderr);
      assertStringIncludes(told, said);
    }
    const elsewhere = join(home, "elsewhere");
    /** The policy without what is the session's own, and the denial of the user's folder. */
    const policy = async (env: Readonly<Record<string, string>> = {}): Promise<unknown> =>
      JSON.parse(
        (await ask(["policy", "--json"], { env })).stdout.replace(/\/tmp\/sandpiper-[\w-]+/g, "TMP"),
        (_, value) => Array.isArray(value) ? value.filter((one) => one !== elsewhere) : value,
      );
    const before = await policy();
    const wide = {
      permissions: { read: true, write: true, net: true, env: ["TOKEN"] },
      projects: { [ws]: { permissions: { read: ["/etc"], write: ["/srv/"], net: true } } },
      ...{ sandbox: "off", tools: ["read", "write"], limits: { maxTurns: 99 }, userBash: "unconfined" },
    };
    for (const folder of [join(home, ".sandpiper/agent"), elsewhere]) {
      write(folder, { "settings.json": JSON.stringify(wide) });
      const env = { TOKEN: "x", ...(folder === elsewhere ? { SANDPIPER_HOME: folder } : {}) };
      assertEquals(await policy(env), before);
    }
    // An embedding program's settings and prompt would stand above all: it gets no session.
    const file = cassette(home, [{ text: "EMBEDDED" }]);
    const line = { type: "open", protocol: 1, options: {}, model: `replay:${file}`, answers: [], extensions: [] };
    const stdin = `${JSON.stringify(line)}\n`;
    const embedded = await ask(["--internal-sdk"], { stdin });
    assertStringIncludes(embedded.stdout, "A packed program cannot be embedded");
    assertEquals(embedded.stdout.includes('"opened"'), false);
    const plain = await run(BINARY, ["--internal-sdk"], { cwd: ws, env: { HOME: home }, stdin });
    assertStringIncludes(plain.stdout, '"type":"opened"');
  });
});

Deno.test("binary: the same inputs make the same bytes, and a file that has changed does not start", async () => {
  await withPack(EVERYTHING, async ({ home, acme, house, ask }) => {
    write(house, HOUSE);
    Deno.utimeSync(join(house, "prompt.md"), 1, 1);
    const again = join(dirname(acme), "again");
    const options = { cwd: house, env: { HOME: home } };
    const made = await run(BINARY, ["pack", "--name", "acme", "-o", again, ...EVERYTHING], options);
    assertEquals(made.code, 0, made.stderr);
    const bytes = Buffer.from(Deno.readFileSync(acme).buffer);
    assertEquals(bytes.compare(Deno.readFileSync(again)), 0);
    const inspect = () => run(BINARY, ["pack", "--inspect", again], options);
    const shown = (await inspect()).stdout;
    for (const path of ["skills/house-review/SKILL.md", "extensions/guard/word.ts"]) assertStringIncludes(shown, path);
    assertStringIncludes(shown, (await ask(["--fingerprint"])).stdout);
    write(house, { "prompt.md": "PACKED-PROMPT.\n" });
    assertEquals((await run(BINARY, ["pack", "--name", "acme", "-o", again, ...EVERYTHING], options)).code, 0);
    assertNotEquals((await inspect()).stdout, shown);

    /** [what is damaged, where: nothing cuts the end off, exit code]. The runtime says the last one. */
    const damages: readonly (readonly [string, string | undefined, number])[] = [
      ["a file inside", "PACKED-SKILL", 2],
      ["the mark", "sandpiper-pack-1", 2],
      ["the end", undefined, 1],
    ];
    for (const [what, text, code] of damages) {
      Deno.copyFileSync(acme, again);
      if (text === undefined) Deno.truncateSync(again, bytes.length - 500);
      else {
        using file = Deno.openSync(again, { write: true });
        file.seekSync(bytes.lastIndexOf(text), Deno.SeekMode.Start);
        file.writeSync(new TextEncoder().encode("Q"));
      }
      const started = await run({ name: "damaged", command: [again] }, ["--version"], options);
      assertEquals([started.code, started.stdout], [code, ""], what);
      const { code: seen, stderr } = await inspect();
      assertEquals(seen, 2, what);
      assertMatch(stderr, /^error: .*\n +why: .*\n +fix: .*\n$/);
    }
  });
});
