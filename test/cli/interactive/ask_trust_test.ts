import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { type Config, configure } from "../../../src/config/config.ts";
import { type AskTrust, askTrust } from "../../../src/cli/interactive/ask_trust.ts";
import { parseCommandLine } from "../../../src/config/options/parse.ts";
import { readWorld } from "../../../src/config/host_environment.ts";

type Question = Parameters<AskTrust>[0];

interface Place {
  readonly ws: string;
  readonly home: string;
  readonly open: (...args: readonly string[]) => Config;
}

async function inProject(
  files: Readonly<Record<string, string>>,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "trust-" }));
  const [ws, home] = [join(top, "ws"), join(top, "home")];
  for (const folder of [ws, home]) Deno.mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) write(join(ws, name), text);
  const world = { ...readWorld(), cwd: ws, home, env: { HOME: home } };
  try {
    await work({ ws, home, open: (...args) => configure(parseCommandLine(args), world) });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

function write(path: string, text: string): void {
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeTextFileSync(path, text);
}

const FILES = {
  ".sandpiper/skills/a/SKILL.md": "a",
  ".sandpiper/SYSTEM.md": "You are",
  ".sandpiper/extensions/x.ts": "export default () => {}",
  ".sandpiper/settings.json": `{"thinking": "high"}`,
  ".sandpiper/sessions.txt": "not loaded",
};
const trustFile = (home: string): string => join(home, ".sandpiper/agent/trust.json");
const recordsIn = (home: string): unknown => JSON.parse(Deno.readTextFileSync(trustFile(home))).records;

Deno.test("askTrust() shows what would load, the most powerful first; yes records it and reads the configuration", async () => {
  await inProject(FILES, async ({ ws, home, open }) => {
    const asked: Question[] = [];
    const config = open();
    const next = await askTrust(config, (question) => {
      asked.push(question);
      return Promise.resolve("yes");
    });
    assertEquals(asked.map(({ folder, hasChanged, files }) => ({ folder, hasChanged, files })), [{
      folder: ws,
      hasChanged: false,
      files: [
        { name: ".sandpiper/settings.json", bytes: 20 },
        { name: ".sandpiper/extensions/x.ts", bytes: 23 },
        { name: ".sandpiper/SYSTEM.md", bytes: 7 },
        { name: ".sandpiper/skills/a/SKILL.md", bytes: 1 },
      ],
    }]);
    assertEquals([config.trusted, config.settings.thinking], [false, undefined]);
    assertEquals(typeof next === "number" ? next : [next.trusted, next.settings.thinking, next.warnings], [
      true,
      "high",
      [],
    ]);
    assertEquals(recordsIn(home), [{ folder: ws, digest: config.trustQuestion?.digest, trusted: true }]);
    assertEquals([open().trusted, open().trustQuestion], [true, undefined]);
  });
});

for (
  const { answer, recorded } of [{ answer: "no", recorded: undefined }, { answer: "never", recorded: false }] as const
) {
  Deno.test(`askTrust() leaves it out for "${answer}" and ${recorded === undefined ? "records nothing" : "records that"}`, async () => {
    await inProject(FILES, async ({ ws, home, open }) => {
      const config = open();
      const next = await askTrust(config, () => Promise.resolve(answer));
      assertEquals(typeof next === "number" ? next : [next.trusted, next.settings.thinking], [false, undefined]);
      const { digest } = config.trustQuestion ?? {};
      if (recorded === undefined) assertEquals(open().trustQuestion?.digest, digest);
      else {assertEquals([recordsIn(home), open().trustQuestion], [
          [{ folder: ws, digest, trusted: recorded }],
          undefined,
        ]);}
    });
  });
}

Deno.test("askTrust() asks again for what changes while the person looks, and trusts nothing unseen", async () => {
  await inProject(FILES, async ({ ws, open }) => {
    const seen: boolean[] = [];
    const next = await askTrust(open(), ({ hasChanged }) => {
      if (seen.push(hasChanged) === 1) write(join(ws, ".sandpiper/extensions/x.ts"), "throw 1");
      return Promise.resolve(seen.length === 1 ? "yes" : "no");
    });
    assertEquals([seen, typeof next !== "number" && next.trusted], [[false, true], false]);
  });
});

Deno.test("askTrust() trusts for this start alone where the answer cannot be kept, and only what was shown", async () => {
  for (const changes of [false, true]) {
    await inProject(FILES, async ({ ws, home, open }) => {
      write(join(home, ".pi/agent/settings.json"), "{}"); // another program's folder is never written
      const next = await askTrust(open(), () => {
        if (changes) write(join(ws, ".sandpiper/SYSTEM.md"), "You were");
        return Promise.resolve("yes");
      });
      assertEquals(typeof next !== "number" && [next.trusted, next.warnings.at(-1)?.split(":")[0]], [
        !changes,
        "the answer about this project is not kept",
      ]);
      assertEquals(open().trusted, false);
    });
  }
});

Deno.test("nobody is asked with --trust, --no-trust, without a configuration, and for what cannot be digested", async () => {
  await inProject(FILES, ({ ws, open }) => {
    assertEquals([open("--trust").trustQuestion, open("--no-trust").trustQuestion], [undefined, undefined]);
    new Deno.Command("mkfifo", { args: [join(ws, ".sandpiper/skills/pipe")] }).outputSync();
    assertEquals([open().trustQuestion, open().trusted, open().warnings.length], [undefined, false, 1]);
    return Promise.resolve();
  });
  await inProject({ "AGENTS.md": "data" }, ({ open }) => {
    assertEquals([open().trustQuestion, open().warnings], [undefined, []]);
    return Promise.resolve();
  });
});
