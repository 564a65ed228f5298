// What nobody is ever asked about, and what no answer opens.
import { assert, assertEquals } from "@std/assert";
import { isObject } from "../../src/core/json.ts";
import { bash, denialOf, kernelTest, type Place, play, reading, test } from "./permission_place.ts";
import type { Step } from "./permission_session.ts";

/** What must never be asked about, as flags and a call on it. */
const CLOSED: readonly (readonly [claim: string, flags: readonly string[], step: (place: Place) => Step])[] = [
  ["a secret", [], ({ home }) => reading(`${home}/.ssh/id`, "session")],
  ["a secret behind a link", [], ({ ws }) => reading(`${ws}/link/id`, "session")],
  ["a secret behind dots", [], ({ ws, home }) => reading(`${ws}/../outside/../${home.split("/").pop()}/.ssh/id`)],
  ["a denied path", ["--deny-read=../outside"], ({ outside }) => reading(`${outside}/x.txt`, "session")],
  ["a path denied for writing", ["--deny-write=../outside"], ({ outside }) => ({
    tool: "write",
    args: { path: `${outside}/new`, content: "" },
    answers: ["session"],
  })],
  ["what is protected", [], ({ ws }) => ({
    tool: "write",
    args: { path: `${ws}/.envrc`, content: "x" },
    answers: ["session"],
  })],
  ["a start-up file of the home", [], ({ home }) => ({
    tool: "write",
    args: { path: `${home}/.bashrc`, content: "x" },
    answers: ["session"],
  })],
  ["a name with an escape sequence", [], ({ outside }) => reading(`${outside}/\u001b[2Jx`, "session")],
];

for (const [claim, flags, step] of CLOSED) {
  test(`${claim} is denied and never asked about R471 R480`, async (place) => {
    Deno.mkdirSync(`${place.home}/.ssh`);
    Deno.writeTextFileSync(`${place.home}/.ssh/id`, "SECRET");
    Deno.symlinkSync(`${place.home}/.ssh`, `${place.ws}/link`);
    const [seen] = await play(place, { args: ["--sandbox", "permissions", ...flags], steps: [step(place)] });
    // It is told with why nobody is asked, and with nothing that anyone could be asked about.
    const { denials, toldLines, ...rest } = isObject(seen?.details) ? seen.details : {};
    assertEquals([seen?.isError, seen?.asked, rest, toldLines], [true, [], {}, 1]);
    assert(Array.isArray(denials) && denials.length === 1);
    for (const one of denials) assert(isObject(one) && !("grant" in one) && typeof one["why"] === "string");
    assert(!seen?.text.includes("SECRET"));
  });
}

kernelTest("no grant around them opens a secret or a denied path to file tools or bash R471", async (place) => {
  Deno.mkdirSync(`${place.home}/.ssh`);
  Deno.writeTextFileSync(`${place.home}/.ssh/id`, "SECRET");
  Deno.writeTextFileSync(`${place.home}/notes`, "mine\n");
  Deno.mkdirSync(`${place.outside}/closed`);
  Deno.writeTextFileSync(`${place.outside}/closed/y`, "SECRET");
  const seen = await play(place, {
    args: [`--deny-read=${place.outside}/closed`],
    steps: [
      { grant: denialOf("read", place.home) },
      { grant: denialOf("read", place.outside) },
      bash(`cat ${place.home}/notes ${place.outside}/x.txt`),
      bash(`cat ${place.home}/.ssh/id; cat ${place.outside}/closed/y`, "session"),
      reading(`${place.home}/.ssh/id`, "session"),
      reading(`${place.outside}/closed/y`, "session"),
    ],
  });
  assertEquals(seen[2]?.text.trim(), "mine\nfrom outside");
  assertEquals(seen.slice(3).map(({ isError, asked }) => [isError, asked]), [[true, []], [true, []], [true, []]]);
  assert(!seen.some(({ text }) => text.includes("SECRET")));
});

test("a grant is what was shown, or none: another place, another grant and a swapped link are refused", async (place) => {
  const path = `${place.outside}/x.txt`;
  Deno.mkdirSync(`${place.outside}/data`);
  Deno.mkdirSync(`${place.outside}/private`);
  Deno.writeTextFileSync(`${place.outside}/data/f`, "data");
  Deno.writeTextFileSync(`${place.outside}/private/f`, "PRIVATE");
  const seen = await play(place, {
    args: ["--sandbox", "permissions"],
    steps: [
      { grant: denialOf("read", path, place.outside) },
      { grant: denialOf("read", `${place.home}/.ssh`) },
      { grant: denialOf("write", `${place.outside}/new`, "/") },
      {
        ...reading(`${place.outside}/data/f`, "session"),
        swap: [`${place.outside}/data`, `${place.outside}/private`],
      },
    ],
  });
  assertEquals(seen.map(({ isError }) => isError), [true, true, true, true]);
  assertEquals(new Set(seen.map(({ read, write }) => JSON.stringify([read, write]))).size, 1);
  assertEquals(seen[3]?.asked, [denialOf("read", `${place.outside}/data/f`)]);
  assert(!seen[3]?.text.includes("PRIVATE"));
});

test("what a link leads to is what is shown and granted R461", async (place) => {
  Deno.symlinkSync(place.outside, `${place.ws}/innocent`);
  const [seen] = await play(place, {
    args: ["--sandbox", "permissions"],
    steps: [reading("innocent/x.txt")],
  });
  assertEquals(seen?.asked, [denialOf("read", `${place.outside}/x.txt`)]);
});

for (
  const [claim, args, project] of [
    ["a session that only reads", ["--read-only"], undefined],
    ["a project that narrows", ["--trust"], { permissions: { write: ["src"] } }],
    ["a project that answers for the user", ["--trust", "--read-only"], {
      projects: {},
      permissions: { write: ["/"] },
    }],
  ] as const
) {
  test(`no write is asked about in ${claim} R465 R472`, async (place) => {
    Deno.mkdirSync(`${place.ws}/src`);
    if (project) {
      Deno.mkdirSync(`${place.ws}/.sandpiper`);
      const projects = { [place.ws]: { permissions: { write: ["/"] } } };
      Deno.writeTextFileSync(
        `${place.ws}/.sandpiper/settings.json`,
        JSON.stringify({ ...project, ...("projects" in project ? { projects } : {}) }),
      );
    }
    const [seen] = await play(place, {
      args: ["--sandbox", "permissions", "--tools", "read,bash", ...args],
      steps: [bash(`echo x > ${place.outside}/new`, "session")],
    });
    assertEquals([seen?.isError, seen?.asked], [true, []]);
    assertEquals(Array.from(Deno.readDirSync(place.outside), ({ name }) => name), ["x.txt"]);
  });
}
