// What a person allowed is there afterwards, at the place that was named, at each level.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { basename, dirname, join } from "@std/path";
import { PROGRAM, run } from "../helpers/program.ts";
import { canMakeMachines, onMachine, withoutNamespaces } from "../sandbox/machine.ts";
import { CONFINED, exists } from "../sandbox/shell_fixture.ts";
import { bash, denialOf, inPlace, type Place, play, reading } from "./permission_place.ts";

const LEVELS = [["kernel+", []], ["kernel", [withoutNamespaces]]] as const;
type Lacks = (typeof LEVELS)[number][1];

/** A test at each level, with a folder in the machine's shared `/tmp` that is there and one that is not. */
function test(
  name: string,
  work: (place: Place & { readonly shared: string; readonly lacks: Lacks }) => Promise<void>,
): void {
  for (const [level, lacks] of LEVELS) {
    Deno.test({
      name: `at ${level} ${name}`,
      ignore: !CONFINED.includes(level) || (lacks.length > 0 && !canMakeMachines()),
      fn: inPlace(async (place) => {
        const shared = Deno.realPathSync(Deno.makeTempDirSync({ dir: "/tmp", prefix: "sp-shared-" }));
        try {
          await work({ ...place, shared, lacks });
        } finally {
          await Deno.remove(shared, { recursive: true });
        }
      }),
    });
  }
}

const write = (path: string, ...answers: readonly ("session" | "once")[]) =>
  ({ tool: "write", args: { path, content: "text\n" }, answers }) as const;

for (const answer of ["once", "session"] as const) {
  test(`a write that is allowed (${answer}) in a folder that is missing makes it, also below /tmp R453`, async (place) => {
    const paths = [`${place.shared}/new/deep/y.md`, `${place.outside}/new/deep/y.md`];
    const steps = paths.map((path) => write(path, answer));
    const all = await play(place, { args: [], steps }, place.lacks);
    for (const [at, path] of paths.entries()) {
      const seen = all[at];
      assertEquals([seen?.isError, seen?.asked], [false, [denialOf("write", path, dirname(path))]], seen?.text);
      assertStringIncludes(seen?.text ?? "", "Successfully wrote");
      assertEquals(Deno.readTextFileSync(path), "text\n");
      // Exactly what was named: nothing beside it.
      assertEquals([...Deno.readDirSync(dirname(dirname(path)))].map(({ name }) => name), ["deep"]);
    }
  });
}

test("bash writes below /tmp where that is allowed, for the machine and not for itself R453", async (place) => {
  const path = `${place.shared}/y.md`;
  const [seen, again] = await play(place, {
    args: [],
    steps: [bash(`echo text > ${path}`, "session"), bash(`cat ${path}; echo more >> ${path}`)],
  }, place.lacks);
  assertEquals([seen?.isError, seen?.asked], [false, [denialOf("write", path, place.shared)]], seen?.text);
  assertEquals([again?.asked, again?.text.trim()], [[], "text"]);
  assertEquals(Deno.readTextFileSync(path), "text\nmore\n");
});

test("nothing that is refused says that it was written", async (place) => {
  const paths = [`${place.shared}/y.md`, `${place.shared}/new/y.md`];
  const all = await play(place, { args: [], steps: paths.map((path) => write(path)) }, place.lacks);
  for (const [at, path] of paths.entries()) {
    assertEquals([all[at]?.isError, exists(path)], [true, false], all[at]?.text);
  }
});

test("a file in a folder of a grant that is missing is neither written nor said to be", async (place) => {
  for (
    const [path, grant] of [["new.md", "new.md"], ["made/y.md", "made"]].map((names) =>
      names.map((name) => join(place.shared, name))
    )
  ) {
    assert(path !== undefined && grant !== undefined);
    const args = [`--allow-write=+${grant}`];
    const [seen, viaBash] = await play(
      place,
      { args, steps: [write(path), bash(`echo x > ${path} && echo written`)] },
      place.lacks,
    );
    assertEquals([seen?.isError, exists(path)], [true, false], seen?.text);
    assert(
      exists(path) || !viaBash?.text.startsWith("written") || viaBash.text.includes("/tmp is private"),
      viaBash?.text,
    );
  }
});

test("the flag that a denial advises works as it stands, beside all that was granted R480", async (place) => {
  const targets = [`${place.shared}/new folder/y.md`, `${place.outside}/new/y.md`, `${place.outside}/z.md`];
  for (const path of targets) {
    const content = JSON.stringify({ path, content: "text\n" });
    const denied = await onMachine(place.lacks, ["tool", "write", content], { cwd: place.ws, home: place.home });
    assertEquals(denied.code, 1);
    const [, advice = ""] = /with (--allow-write=.*)$/m.exec(denied.stdout) ?? [];
    // As a shell takes it apart.
    const typed = new TextDecoder().decode(
      new Deno.Command("/bin/bash", { args: ["-c", `printf %s ${advice}`] }).outputSync().stdout,
    );
    // Reading comes along, and the workspace is what it was, for bash as well.
    const script = `cat '${path}' && echo more >> '${path}' && cat a.txt && echo x > b.txt && cat b.txt`;
    const steps = [write(path), bash(script), reading(path)];
    const [wrote, viaBash, read] = await play(place, { args: [typed], steps }, place.lacks);
    assertEquals([wrote?.isError, wrote?.asked], [false, []], wrote?.text);
    assertEquals([viaBash?.text.trim(), viaBash?.asked], ["text\ninside\nx", []]);
    assertEquals([read?.isError, read?.text.trim(), read?.asked], [false, "text\nmore", []]);
    assertEquals(Deno.readTextFileSync(path), "text\nmore\n");
  }
});

test("the advised flag for reading adds, and settings' lists mean the same", async (place) => {
  const path = `${place.outside}/x.txt`;
  const call = (flags: readonly string[], ...words: readonly string[]) =>
    onMachine(place.lacks, ["tool", ...flags, ...words], { cwd: place.ws, home: place.home });
  const denied = await call([], "read", JSON.stringify({ path }));
  const [, advice = ""] = /with (--allow-read=\S+)$/m.exec(denied.stdout) ?? [];
  const steps = [reading(path), reading("a.txt"), bash(`cat ${path} a.txt`)];
  const all = await play(place, { args: [advice], steps }, place.lacks);
  assertEquals(all.map(({ asked, isError, text }) => [asked, isError, text.trim()]), [
    [[], false, "from outside"],
    [[], false, "inside"],
    [[], false, "from outside\ninside"],
  ]);
  Deno.mkdirSync(`${place.home}/.sandpiper/agent`, { recursive: true });
  const settings = `${place.home}/.sandpiper/agent/settings.json`;
  Deno.writeTextFileSync(settings, JSON.stringify({ permissions: { write: [`+${place.outside}/made/`] } }));
  const script = `cat a.txt && echo x > ${place.outside}/made/f && cat ${place.outside}/made/f`;
  assertEquals((await call([], "bash", "--", script)).stdout, "inside\nx\n");
  // A flag's list is exact.
  const exact = await call(["--allow-write=."], "bash", "--", `echo y > ${place.outside}/made/f`);
  assertEquals([exact.code, Deno.readTextFileSync(`${place.outside}/made/f`)], [1, "x\n"]);
});

test("--allow-read=sub holds for bash and read alike in a workspace below /tmp R452", async (place) => {
  const ws = `${place.shared}/ws`;
  for (const name of ["sub", "other"]) Deno.mkdirSync(`${ws}/${name}`, { recursive: true });
  for (const name of ["sub/a", "other/b", "c"]) Deno.writeTextFileSync(`${ws}/${name}`, `${basename(name)}\n`);
  for (
    const flags of [["--allow-read=sub"], ["--allow-read=sub", "--allow-write=other"], [
      "--allow-read=sub",
      "--read-only",
    ]]
  ) {
    const mayReadOther = flags.includes("--allow-write=other");
    const files = [["sub/a", true], ["other/b", mayReadOther], ["c", false]] as const;
    const hasBash = !flags.includes("--read-only");
    const steps = files.flatMap(([name]) => {
      const path = join(ws, name);
      const viaBash = bash(`cat ${path}; cat ${name}; cd ${ws} && cat ${name}; tail -n 1 ${path}`);
      return [reading(path), ...(hasBash ? [viaBash] : [])];
    });
    const all = [...await play({ ...place, ws }, { args: flags, steps }, place.lacks)];
    for (const [name, may] of files) {
      const read = all.shift();
      assertEquals(read?.isError, !may, `read ${name} ${flags}: ${read?.text}`);
      if (!hasBash) continue;
      const text = all.shift()?.text ?? "";
      assertEquals(text.includes(`${basename(name)}\n`) && !/^\w*: /.test(text), may, `${name} ${flags}: ${text}`);
    }
  }
});

Deno.test({
  name: "at kernel+ what a command puts beside a workspace below /tmp is called private, too",
  ignore: !CONFINED.includes("kernel+"),
  fn: inPlace(async (place) => {
    const beside = Deno.realPathSync(Deno.makeTempDirSync({ dir: "/tmp", prefix: "sp-beside-" }));
    try {
      const ws = join(beside, "ws");
      Deno.mkdirSync(ws);
      const [seen, again] = await play({ ...place, ws }, {
        args: [],
        steps: [bash("echo x > ../result.txt && echo done"), bash("cat ../result.txt")],
      });
      assertEquals(exists(join(beside, "result.txt")), false);
      assertStringIncludes(seen?.text ?? "", `private to this session's commands: ${beside}/result.txt is `);
      assertEquals(again?.text.includes("private"), false);
    } finally {
      await Deno.remove(beside, { recursive: true });
    }
  }),
});

Deno.test({
  name: "at kernel+ what a command puts into its own /tmp is called private, with the place where it lies",
  ignore: !CONFINED.includes("kernel+"),
  fn: inPlace(async (place) => {
    const name = `sp-${crypto.randomUUID()}`;
    Deno.writeTextFileSync(`${place.ws}/report.sh`, "echo x > /t''mp/by-script; mktemp -d > /dev/null");
    const [seen, again, other, script, silent] = await play(place, {
      args: [],
      steps: [
        bash(`mkdir -p /tmp/${name} && echo report > /tmp/${name}/y.md && echo done`),
        bash(`cat /tmp/${name}/y.md`),
        bash("echo x > $TMPDIR/plain"),
        bash("sh report.sh"),
        bash("f=$(mktemp); echo x > $f; rm $f; cat $TMPDIR/plain"),
      ],
    });
    assertEquals([seen?.isError, exists(`/tmp/${name}`)], [false, false]);
    assertMatch(
      seen?.text ?? "",
      new RegExp(`^done\\n.*/tmp is private to this session's commands: /tmp/${name} is (/\\S+)/${name}\\.`, "s"),
    );
    assertEquals(again?.text.trim(), "report");
    assertMatch(other?.text ?? "", /commands: \/tmp\/plain is \/\S+\/plain\. It ends with the session/);
    assertMatch(script?.text ?? "", /commands: \/tmp\/(?:by-script|tmp\.\w+) is .*, \/tmp\/(?:by-script|tmp\.\w+) is /);
    // What a command leaves is told, and once.
    assertEquals(silent?.text.trim(), "x");
  }),
});

Deno.test(
  "a grant that ends with a slash makes its folder, one without does not, and it is said",
  inPlace(async (place) => {
    const { outside, ws: cwd, home } = place;
    const call = (flag: string) => run(PROGRAM, ["tool", flag, "ls", "{}"], { cwd, env: { HOME: home } });
    assertEquals((await call(`--allow-write=+${outside}/a/b/`)).code, 0);
    assert(exists(`${outside}/a/b`));
    const without = await call(`--allow-write=+${outside}/c`);
    assertStringIncludes(without.stderr, `Nothing is at ${outside}/c`);
    assert(!exists(`${outside}/c`));
    const impossible = await call("--allow-write=+/proc/nothing/");
    assertStringIncludes(impossible.stderr, "cannot be made");
    // To look at a policy makes nothing.
    await run(PROGRAM, ["policy", `--allow-write=+${outside}/d/`], { cwd, env: { HOME: home } });
    assert(!exists(`${outside}/d`));
  }),
);

test("with everything readable, what others keep in /tmp is readable, too, and is not written", async (place) => {
  const path = `${place.shared}/theirs.txt`;
  Deno.writeTextFileSync(path, "theirs\n");
  const [read, viaBash, written, own] = await play(place, {
    args: ["--allow-read"],
    steps: [
      { tool: "read", args: { path } },
      bash(`cat ${path}`),
      bash(`echo mine > ${path}`),
      bash('echo mine > "$TMPDIR/x" && cat "$TMPDIR/x"'),
    ],
  }, place.lacks);
  assertEquals([read?.text.trim(), viaBash?.text.trim()], ["theirs", "theirs"], read?.text);
  assertEquals([written?.isError, Deno.readTextFileSync(path)], [true, "theirs\n"]);
  assertEquals([own?.isError, own?.text.trim()], [false, "mine"]);
});
