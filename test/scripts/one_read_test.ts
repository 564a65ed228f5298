import { assert, assertEquals } from "@std/assert";
import { dirname, join, normalize } from "@std/path";
import { loadedBy, sourceFiles } from "../../scripts/check_layers.ts";
import { run, SOURCE } from "../helpers/program.ts";
import { serveAnswers, textReply } from "../helpers/server.ts";

// What a reader of one call of `read` meets, and what every start pays for. Raise a number only with a reason: more is
// loaded in every session from then on. What an option, a setting or a later event asks for is loaded by that (decision 0066).
const MOST_IN_HOST = 272; // names inside directories that tools can write are opened by one module, used from the start
const MOST_IN_RUNNER = 86; // the table of tools names those that run in the host, too
/** Modules that lead from main.ts to the one that posts a request, each loading the next. */
const MOST_HOPS = 9;

const root = new URL("../..", import.meta.url).pathname;
const files = sourceFiles(root);
const loads = new Map(
  files.map((path) => [
    path,
    loadedBy(Deno.readTextFileSync(join(root, path))).map((specifier) => normalize(join(dirname(path), specifier))),
  ]),
);

/** The modules of the product that a run loads, by Deno's own log. */
async function loadedByRun(): Promise<readonly string[]> {
  const cwd = Deno.makeTempDirSync();
  try {
    const lines = [{ calls: [{ name: "read", args: { path: "a.ts" } }] }, { text: "It exports a.", expect: ["a = 1"] }];
    Deno.writeTextFileSync(join(cwd, "a.ts"), "export const a = 1;\n");
    Deno.writeTextFileSync(join(cwd, "cassette"), lines.map((line) => JSON.stringify(line)).join("\n"));
    const [executable = "", ...before] = SOURCE.command.filter((word) => word !== "--quiet");
    const logged = { name: "logged", command: [executable, ...before.toSpliced(1, 0, "--log-level=debug")] };
    const args = ["-p", "--no-session", "--model", `replay:${join(cwd, "cassette")}`, "what is in a.ts?"];
    const { code, stdout, stderr } = await run(logged, args, { cwd, env: { HOME: cwd } });
    assertEquals([code, stdout], [0, "It exports a.\n"]);
    const seen = [...stderr.matchAll(/code cache .*?file:\/\/([^,\s]+\.ts)/g)].map((match) => match[1] ?? "");
    return [...new Set(seen)].filter((path) => path.startsWith(root)).map((path) => path.slice(root.length));
  } finally {
    Deno.removeSync(cwd, { recursive: true });
  }
}

/** What modules load by static imports, themselves included. */
function closure(starts: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    const dynamic = new Set(
      [...Deno.readTextFileSync(join(root, path)).matchAll(/\bimport\(\s*"(\.[^"]+)"/g)].map((match) => match[1]),
    );
    for (const specifier of loadedBy(Deno.readTextFileSync(join(root, path)))) {
      if (!dynamic.has(specifier)) add(normalize(join(dirname(path), specifier)));
    }
  };
  starts.forEach(add);
  return found;
}

Deno.test(`one call of read loads at most ${MOST_IN_HOST} modules in the host, and those that ARCHITECTURE.md tells of`, async () => {
  const loaded = new Set(await loadedByRun());
  assert(loaded.has("main.ts") && loaded.has("src/agent/run.ts"), "the log does not name modules as it did");
  assert(loaded.size <= MOST_IN_HOST, `${loaded.size} modules`);
  const runner = closure([
    "src/boot/confined_main.ts",
    "src/runner/process.ts",
    "src/runner/worker.ts",
    "src/runner/files/bulk_reader.ts",
  ]);
  assert(runner.size <= MOST_IN_RUNNER, `${runner.size} modules in the runner`);
  const page = Deno.readTextFileSync(join(root, "ARCHITECTURE.md"));
  const walk = page.slice(page.indexOf("## One call of `read`"), page.indexOf("## The boundary"));
  const linked = [...walk.matchAll(/\]\(([^)]+\.ts)\)/g)].map((match) => match[1] ?? "");
  assert(linked.length > 25, `${linked.length} links`);
  // The cassette answers in the place of a server, and of the screen only the text is needed.
  const absent = linked.filter((path) => !loaded.has(path) && !runner.has(path) && !path.startsWith("src/provider/"));
  assertEquals(absent, []);
});

Deno.test("the first request of a session loads no tokenizer", async () => {
  const server = serveAnswers([{ events: textReply("ok") }]);
  const cwd = Deno.makeTempDirSync();
  try {
    const [executable = "", ...before] = SOURCE.command.filter((word) => word !== "--quiet");
    const logged = { name: "logged", command: [executable, ...before.toSpliced(1, 0, "--log-level=debug")] };
    const env = { HOME: cwd, OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.baseUrl };
    const { stdout, stderr } = await run(logged, ["-p", "--no-session", "--model", "openai/m", "hi"], { cwd, env });
    assertEquals([stdout, server.requests.length], ["ok\n", 1]);
    assert(stderr.includes("src/history/tokens.ts"), "the log does not name modules as it did");
    assert(!stderr.includes("cl100k_base"));
  } finally {
    await server.close();
    Deno.removeSync(cwd, { recursive: true });
  }
});

Deno.test(`${MOST_HOPS} modules at most lead from main.ts to the one that posts a request`, () => {
  const [post = ""] = files.filter((path) => /^src\/provider\/.*\/post\.ts$/.test(path));
  const before = new Map<string, string | undefined>([["main.ts", undefined]]);
  // Maps keep their order: this is a search by breadth.
  for (const path of before.keys()) {
    for (const next of loads.get(path) ?? []) if (!before.has(next)) before.set(next, path);
  }
  const way: string[] = [];
  for (let at: string | undefined = post; at !== undefined; at = before.get(at)) way.unshift(at);
  assertEquals(way[0], "main.ts");
  assert(way.length - 1 <= MOST_HOPS, way.join(" → "));
});
