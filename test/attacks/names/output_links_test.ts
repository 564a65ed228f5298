import { assertEquals, assertStringIncludes } from "@std/assert";
import { dirname } from "@std/path";
import { cassette, inWorkspace, PROGRAM, type Ran, run } from "../../helpers/program.ts";

// A repository or an earlier command has put a link where the user's command line writes.

const VICTIM = "victim\n";

/** One way in which the user names a file to write. */
interface Output {
  readonly name: string;
  readonly args: (path: string) => readonly string[];
  /** Runs before it. */
  readonly before?: readonly string[];
}

const answer = ["-p", "--model", "replay:../outside/cassette.jsonl", "--session-dir", "../outside/sessions"];
const OUTPUTS: readonly Output[] = [
  { name: "-o", args: (path) => [...answer, "-o", path, "go"] },
  { name: "--report json", args: (path) => [...answer, "--report", path, "go"] },
  { name: "--report twice", args: (path) => [...answer, "--report", "fine.json", "--report", path, "go"] },
  { name: "--record", args: (path) => [...answer, "--record", path, "go"] },
  { name: "--patch", args: (path) => [...answer, "--trial", "--patch", path, "go"] },
  {
    name: "sessions export",
    before: [...answer, "go"],
    args: (path) => ["sessions", "export", "latest", "--session-dir", "../outside/sessions", "-o", path],
  },
  { name: "batch report", args: (path) => ["batch", "report", "../outside/batch", "-o", path] },
  { name: "pack", args: (path) => ["pack", "--target", "../outside/no-binary", "-o", path] },
];

async function attack(
  { args, before }: Output,
  links: Readonly<Record<string, string>>,
  path: string,
): Promise<Ran & { readonly made: string[] }> {
  let ran: Ran & { made: string[] } = { code: -1, stdout: "", stderr: "", made: [] };
  await inWorkspace({ "a.txt": "one\n" }, async ({ ws, home, outside }) => {
    cassette(outside, [{ text: "touch PWNED" }]);
    Deno.mkdirSync(`${outside}/batch/results`, { recursive: true });
    Deno.mkdirSync(`${home}/bin`);
    Deno.mkdirSync(`${ws}/sub`);
    for (const file of [".bashrc", "bin/tool"]) Deno.writeTextFileSync(`${home}/${file}`, VICTIM);
    const env = { HOME: home };
    if (before) assertEquals((await run(PROGRAM, before, { cwd: ws, env })).code, 0);
    for (const [name, target] of Object.entries(links)) {
      Deno.symlinkSync(target.replace("HOME", home).replace("WS", ws), `${ws}/${name}`);
    }
    const named = path.replace("WS", ws).replace("HOME", home);
    const result = await run(PROGRAM, args(named), { cwd: ws, env });
    for (const file of [".bashrc", "bin/tool"]) assertEquals(Deno.readTextFileSync(`${home}/${file}`), VICTIM, file);
    const made = [...Deno.readDirSync(home), ...Deno.readDirSync(`${home}/bin`)].map(({ name }) => name)
      .filter((name) => ![".bashrc", "bin", "tool", ".sandpiper", ".cache"].includes(name));
    ran = { ...result, made };
  });
  return ran;
}

for (const output of OUTPUTS) {
  Deno.test(`${output.name} writes through no link that leads out of the workspace, and names its target`, async () => {
    const { code, stderr, made } = await attack(output, { out: "HOME/.bashrc" }, "out");
    assertEquals([code, made], [2, []], stderr);
    assertStringIncludes(stderr, "/home/.bashrc");
  });
}

const KINDS: readonly (readonly [kind: string, links: Readonly<Record<string, string>>, path: string])[] = [
  ["a relative link", { out: "../home/.bashrc" }, "./out"],
  ["a chain of links", { out: "one", one: "sub/../two", two: "HOME/.bashrc" }, "out"],
  ["a link to a directory", { dir: "HOME/bin" }, "dir/tool"],
  ["a link to a directory, and a new file", { dir: "HOME/bin" }, "dir/new"],
  ["a link in the middle", { "sub/home": "../../home" }, "sub/home/bin/tool"],
  ["a dangling link", { out: "HOME/.profile" }, "out"],
  ["a link to the root", { top: "/" }, "topHOME/.bashrc"],
  ["a magic link", { root: "/proc/self/root" }, "rootHOME/.bashrc"],
  ["another magic link", { cwd: "/proc/self/cwd" }, "cwd/new"],
  ["a link to a standard stream", { out: "/proc/self/fd/1" }, "out"],
  ["a link to a device", { out: "/dev/null" }, "out"],
  ["an absolute name of the workspace", { out: "HOME/.bashrc" }, "WS/sub/../out"],
  ["a name with a slash at its end", { dir: "HOME/bin" }, "dir/"],
];
const [first, report] = OUTPUTS as [Output, Output];
for (const [kind, links, path] of KINDS) {
  Deno.test(`-o and --report reject ${kind}`, async () => {
    for (const output of [first, report]) {
      const { code, stderr, made } = await attack(output, links, path);
      assertEquals([code, made], [2, []], stderr);
    }
  });
}

Deno.test("an output file may be a link inside the workspace, but not to a protected path or one that tools cannot write", async () => {
  await inWorkspace({ "a.txt": "one\n", ".vscode/tasks.json": "{}\n", "src/main.ts": "main\n" }, async (place) => {
    const { ws, home, outside } = place;
    cassette(outside, [{ text: "touch PWNED" }]);
    Deno.mkdirSync(`${ws}/build`);
    Deno.symlinkSync("build/real", `${ws}/out`);
    Deno.symlinkSync("build", `${ws}/dir`);
    Deno.symlinkSync(".vscode/tasks.json", `${ws}/tasks`);
    Deno.symlinkSync(".git/hooks/post-checkout", `${ws}/hook`);
    Deno.symlinkSync("../src/main.ts", `${ws}/build/main`);
    Deno.mkdirSync(`${ws}/.git/hooks`, { recursive: true });
    Deno.writeTextFileSync(`${ws}/.git/HEAD`, "ref: refs/heads/main\n");
    const written = (path: string, ...more: string[]): Promise<Ran> =>
      run(PROGRAM, [...answer, ...more, "-o", path, "go"], { cwd: ws, env: { HOME: home } });
    for (const path of ["out", "dir/two", "/dev/../out".replace("/dev/..", ws)]) {
      const { code, stderr } = await written(path);
      assertEquals(code, 0, stderr);
    }
    assertEquals(Deno.readTextFileSync(`${ws}/build/real`), "touch PWNED\n");
    assertEquals(Deno.readTextFileSync(`${ws}/build/two`), "touch PWNED\n");
    for (const path of ["tasks", "hook"]) {
      const { code, stderr } = await written(path);
      assertEquals(code, 2, path);
      assertStringIncludes(stderr, "protected");
    }
    const { code, stderr } = await written("build/main", "--allow-write=build");
    assertEquals(code, 2, stderr);
    assertEquals(Deno.readTextFileSync(`${ws}/src/main.ts`), "main\n");
    assertEquals(Deno.readTextFileSync(`${ws}/.vscode/tasks.json`), "{}\n");
    assertEquals([...Deno.readDirSync(`${ws}/.git/hooks`)], []);
  });
});

Deno.test("a link inside a directory that a scope adds does not lead out of it either", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    cassette(outside, [{ text: "touch PWNED" }]);
    Deno.mkdirSync(`${outside}/shared`);
    Deno.writeTextFileSync(`${home}/.bashrc`, VICTIM);
    Deno.symlinkSync(`${home}/.bashrc`, `${outside}/shared/out`);
    const path = `${outside}/shared/out`;
    const args = [...answer, `--allow-write=+${outside}/shared`, "-o", path, "go"];
    const { code, stderr } = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals(code, 2, stderr);
    assertEquals(Deno.readTextFileSync(`${home}/.bashrc`), VICTIM);
  });
});

Deno.test("a link that the run itself puts in the place of an output file leads nowhere", async () => {
  await inWorkspace({ "a.txt": "one\n" }, async ({ ws, home, outside }) => {
    Deno.writeTextFileSync(`${home}/.bashrc`, VICTIM);
    Deno.mkdirSync(`${ws}/dir`);
    const command = `ln -sf ${home}/.bashrc ans; ln -sf ${home}/.bashrc r.md; mv dir aside; ln -s ${home} dir`;
    cassette(outside, [{ text: "", calls: [{ name: "bash", args: { command } }] }, { text: "touch PWNED" }]);
    const env = { HOME: home };
    const { code } = await run(PROGRAM, [...answer, "-o", "ans", "--report", "r.md", "go"], { cwd: ws, env });
    assertEquals(code, 0);
    assertEquals(Deno.readTextFileSync(`${ws}/ans`), "touch PWNED\n");
    assertEquals(Deno.lstatSync(`${ws}/r.md`).isFile, true);
    Deno.removeSync(`${ws}/dir`);
    Deno.renameSync(`${ws}/aside`, `${ws}/dir`);
    const ran = await run(PROGRAM, [...answer, "-o", "dir/.bashrc", "go"], { cwd: ws, env });
    assertEquals(ran.code, 1, ran.stderr);
    assertEquals(Deno.readTextFileSync(`${home}/.bashrc`), VICTIM);
  });
});

Deno.test("batch -o accepts no link out of the workspace, and none among its results", async () => {
  await inWorkspace(
    { "tasks.jsonl": `{"id":"t","prompt":"go","workspace":"w"}\n`, "w/a.txt": "one\n" },
    async (place) => {
      const { ws, home, outside } = place;
      cassette(outside, [{ text: "ok" }]);
      Deno.symlinkSync(home, `${ws}/out`);
      const inner = ["results/t", "claims/t.1", "checkouts/0123456789abcdef", "owners/x.json"];
      for (const [index, name] of inner.entries()) {
        Deno.mkdirSync(dirname(`${ws}/fine${index}/${name}`), { recursive: true });
        Deno.symlinkSync(home, `${ws}/fine${index}/${name}`);
      }
      for (const output of ["out", "out/new", ...inner.map((_, index) => `fine${index}`)]) {
        const args = ["batch", "tasks.jsonl", "-o", output, "--model", `replay:${outside}/cassette.jsonl`];
        const { code, stderr } = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
        assertEquals(code, 2, stderr);
      }
      assertEquals([...Deno.readDirSync(home)].map(({ name }) => name).filter((name) => !name.startsWith(".")), []);
    },
  );
});
