import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Denial } from "../../src/core/event.ts";
import { PROGRAM, run } from "../helpers/program.ts";
import { processesWith } from "../sandbox/shell_fixture.ts";
import { bash, denialOf, kernelTest, play, reading, test } from "./permission_place.ts";

for (const tool of ["read", "bash"] as const) {
  kernelTest(`a grant that ${tool} was denied holds for file tools and bash alike R477 R480`, async (place) => {
    const path = `${place.outside}/x.txt`;
    const first = tool === "read" ? reading(path, "session") : bash(`cat ${path}`, "session");
    const seen = await play(place, { args: [], steps: [{ ...first, answers: ["no"] }, first] });
    // Refused once, it is not asked again: so the grant comes in a session of its own.
    assertEquals(seen.map(({ asked, isError }) => [asked, isError]), [[[denialOf("read", path)], true], [[], true]]);
    assert(!seen.some(({ text }) => text.includes("from outside")));
    assertMatch(seen[0]?.text ?? "", /\nThe user was asked and did not allow it\.$/);

    const [granted, viaRead, viaBash, wrote] = await play(place, {
      args: [],
      steps: [first, reading(path), bash(`cat ${path}`), bash(`echo x >> ${path}`)],
    });
    for (const result of [granted, viaRead, viaBash]) assertStringIncludes(result?.text ?? "", "from outside");
    assertEquals([granted?.asked, viaRead?.asked, viaBash?.asked], [[denialOf("read", path)], [], []]);
    assert(granted?.read.includes(path));
    // Reading is not writing.
    assertEquals([wrote?.isError, wrote?.asked], [true, [denialOf("write", path, place.outside)]]);
    assertEquals(Deno.readTextFileSync(path), "from outside\n");
  });
}

kernelTest("a denial in a command that succeeds is not asked about, and can be allowed later R480", async (place) => {
  const path = `${place.outside}/x.txt`;
  const denial = denialOf("read", path);
  const [piped, closed, allowed, again, other] = await play(place, {
    args: [],
    steps: [
      bash(`cat ${path} | sort; true`, "session"),
      { allow: denialOf("read", "/etc/shadow"), duration: "session" },
      { allow: denial, duration: "session" },
      bash(`cat ${path} | sort`),
      { allow: denial, duration: "session" },
    ],
  });
  assertEquals([piped?.isError, piped?.asked, piped?.open], [false, [], [denial]]);
  // Only what was denied in this session: not whatever is named.
  assertMatch(closed?.text ?? "", /Cannot allow read for "\/etc\/shadow"/);
  assertEquals([allowed?.isError, allowed?.open], [false, []]);
  assertStringIncludes(again?.text ?? "", "from outside");
  assertEquals(other?.isError, true);
});

kernelTest("what was allowed for the project after a run is kept in the settings R480", async (place) => {
  const path = `${place.outside}/x.txt`;
  const denial = denialOf("read", path);
  await play(place, { args: [], steps: [bash(`cat ${path} | sort`), { allow: denial, duration: "project" }] });
  const settings = JSON.parse(Deno.readTextFileSync(`${place.home}/.sandpiper/agent/settings.json`));
  assertEquals(settings.projects[place.ws].permissions.read, [path]);
});

kernelTest("once is for one call: the next is asked about again, and the policy never changed R477", async (place) => {
  const path = `${place.outside}/x.txt`;
  const seen = await play(place, {
    args: [],
    steps: [reading(path, "once"), reading(path), bash(`cat ${path}`, "once"), reading("a.txt")],
  });
  assertEquals(seen.map(({ asked }) => asked.length), [1, 1, 0, 0]);
  assertEquals(seen.map(({ isError }) => isError), [false, true, true, false]);
  assertEquals(new Set(seen.map(({ read }) => JSON.stringify(read))).size, 1);
  const again = await play(place, { args: [], steps: [bash(`cat ${path}`, "once"), bash(`cat ${path}`, "once")] });
  assertEquals(again.map(({ asked, text }) => [asked.length, text.trim()]), [[1, "from outside"], [1, "from outside"]]);
});

kernelTest("a write is granted for the folder, and write and bash both use it R477", async (place) => {
  const folder = `${place.outside}/sub`;
  Deno.mkdirSync(folder);
  const seen = await play(place, {
    args: [],
    steps: [
      { tool: "write", args: { path: `${folder}/new.txt`, content: "one" }, answers: ["session"] },
      bash(`echo two > ${folder}/second.txt`),
      bash(`echo three > ${place.outside}/third.txt`),
    ],
  });
  assertEquals(seen.map(({ isError }) => isError), [false, false, true]);
  assertEquals(seen[0]?.asked, [denialOf("write", `${folder}/new.txt`, folder)]);
  assertEquals([Deno.readTextFileSync(`${folder}/new.txt`), Deno.readTextFileSync(`${folder}/second.txt`)], [
    "one",
    "two\n",
  ]);
  assertEquals(Array.from(Deno.readDirSync(place.outside), ({ name }) => name).sort(), ["sub", "x.txt"]);
});

test("the answer for the project is in the user's settings and holds in the next session R477", async (place) => {
  const path = `${place.outside}/x.txt`;
  const file = `${place.home}/.sandpiper/agent/settings.json`;
  const args = ["--sandbox", "permissions"];
  const [first] = await play(place, { args, steps: [reading(path, "project")] });
  assertStringIncludes(first?.text ?? "", "from outside");
  const settings = JSON.parse(Deno.readTextFileSync(file));
  assertEquals(settings, { projects: { [place.ws]: { permissions: { read: [path] } } } });
  assertEquals((Deno.statSync(file).mode ?? 0) & 0o777, 0o600);

  const [next] = await play(place, { args, projects: settings.projects, steps: [reading(path)] });
  assertEquals([next?.asked, next?.text.includes("from outside")], [[], true]);
  // A flag goes before the user's settings, these included.
  const [flagged] = await play(place, {
    args: [...args, "--allow-read=."],
    projects: settings.projects,
    steps: [reading(path)],
  });
  assertEquals([flagged?.asked.length, flagged?.isError], [1, true]);
});

test("settings that cannot be kept leave the grant to the session, and say so", async (place) => {
  const file = `${place.home}/.sandpiper/agent/settings.json`;
  Deno.mkdirSync(`${place.home}/.sandpiper/agent`, { recursive: true });
  Deno.writeTextFileSync(file, '{"projects": {}}');
  const [seen] = await play(place, {
    args: ["--sandbox", "permissions"],
    steps: [{ ...reading(`${place.outside}/x.txt`, "project"), swap: [file, "/dev/full"] }],
  });
  assertStringIncludes(seen?.text ?? "", "from outside");
  assertMatch(seen?.trouble.join() ?? "", /Cannot keep the answer/);
});

test("where nobody can be asked a denial is what it was, with its facts in the details R480", async (place) => {
  const path = `${place.outside}/x.txt`;
  const [seen] = await play(place, { args: ["--sandbox", "permissions"], mute: true, steps: [reading(path)] });
  assertEquals([seen?.isError, seen?.details], [true, { denial: { ...denialOf("read", path) }, toldLines: 1 }]);
  assertEquals(
    seen?.text,
    `Denied: read ${path}: outside the read scope. Only the user can allow it, with --allow-read=+${path}`,
  );
  // The whole program, in a mode that cannot ask.
  const plain = await run(PROGRAM, ["tool", "read", JSON.stringify({ path })], {
    cwd: place.ws,
    env: { HOME: place.home },
  });
  assertEquals([plain.code, plain.stdout.startsWith(`Denied: read ${path}`)], [1, true]);
});

test("an abort at the question is a no that nobody remembers, and nothing was granted", async (place) => {
  const path = `${place.outside}/x.txt`;
  const seen = await play(place, {
    args: ["--sandbox", "permissions"],
    steps: [{ ...reading(path, "session"), abort: true }, reading(path, "session")],
  });
  assertEquals(seen.map(({ asked, isError }) => [asked.length, isError]), [[1, true], [1, false]]);
});

test("of two calls at once the second needs no question when the first was allowed", async (place) => {
  const path = `${place.outside}/x.txt`;
  const seen = await play(place, {
    args: ["--sandbox", "permissions"],
    steps: [{ ...reading(path, "session"), beside: true }, reading(path, "session")],
  });
  assertEquals(seen.map(({ isError }) => isError), [false, false]);
  assertEquals(seen.flatMap(({ asked }) => asked).length, 1);
});

kernelTest(
  "a background command goes on under the policy that started it, through a grant R477",
  async (place) => {
    const path = `${place.outside}/x.txt`;
    const command = `while :; do cat ${path} >> got 2> /dev/null; echo t >> ticks; sleep 0.0409613; done`;
    const seen = await play(place, {
      args: [],
      steps: [
        { tool: "bash", args: { command, background: true } },
        reading(path, "session"),
        bash(
          "while [ ! -s ticks ]; do sleep 0.1; done; before=$(wc -l < ticks); for i in $(seq 200); do sleep 0.1; [ $(wc -l < ticks) -gt $before ] && echo goes on && break; done",
        ),
        { tool: "bash_stop", args: { id: "b1" } },
      ],
    });
    assertEquals([seen[1]?.isError, seen[2]?.text], [false, "goes on"]);
    assertEquals(Deno.readTextFileSync(`${place.ws}/got`), "");
    assertMatch(seen[3]?.text ?? "", /Background command b1 has ended/);
    assertEquals(processesWith("0.0409613"), []);
  },
);

kernelTest("a program may be allowed where only listed ones run, and is then confined R457 R468", async (place) => {
  const seen = await play(place, {
    args: ["--allow-run=true"],
    steps: [bash("env | grep -c PATH", "no"), bash("uname -s", "session"), bash("uname -s")],
  });
  const uname: Denial = { kind: "run", target: "uname", grant: "uname" };
  assertEquals(seen.slice(1).map(({ asked, text }) => [asked, text.trim()]), [[[uname], "Linux"], [[], "Linux"]]);
});
