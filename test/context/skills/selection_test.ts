import { assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import {
  chooseSkills,
  MAX_BODIES,
  selectSkills,
  type SkillTurn,
  unlistedSkills,
} from "../../../src/context/skills/selection.ts";
import { sampleSkill } from "../sample_skill.ts";

const commit = sampleSkill("commit");
const review = sampleSkill("review", { paths: ["src/**/*.ts", "*.tsx"] });
const manual = sampleSkill("manual", { modelInvocation: false, paths: ["src/**"], id: "group/manual" });
const ALL = [review, manual, commit];
const TURN: SkillTurn = { words: "", touched: [], root: "/ws" };
const body = ({ name }: { readonly name: string }): string => `Body of ${name}`;

const names = (skills: readonly { readonly name: string }[]): string[] => skills.map(({ name }) => name);

Deno.test("chooseSkills() R140 takes names and ids in any letter case, and * or nothing for all", () => {
  assertEquals(names(chooseSkills(ALL, {})), ["review", "manual", "commit"]);
  assertEquals(names(chooseSkills(ALL, { load: ["*", "nonsense"] })), ["review", "manual", "commit"]);
  assertEquals(names(chooseSkills(ALL, { load: ["Commit ", "commit", "group/manual"] })), ["manual", "commit"]);
  assertEquals(chooseSkills(ALL, { load: [] }), []);
});

Deno.test("chooseSkills() R141 an unknown name ends the start", () => {
  const error = assertThrows(() => chooseSkills(ALL, { load: ["commit", "comit"] }), UserError, "comit");
  assertEquals(error.why, "the skills are review, manual, commit");
});

Deno.test("chooseSkills() R142 off means none, whatever else is said", () => {
  assertEquals(chooseSkills(ALL, { mode: "off", load: ["*"] }), []);
  const { runtime, reports } = selectSkills(ALL, { mode: "off" }, { ...TURN, words: "$commit src/a.ts" }, body);
  assertEquals([runtime, new Set(reports.map((one) => one.status))], [[], new Set(["disabled"] as const)]);
});

const MENTIONS: readonly (readonly [words: string, mentioned: readonly string[]])[] = [
  ["do it with $commit", ["commit"]],
  ["$Commit, then $review.", ["commit", "review"]],
  ["($manual)", ["manual"]],
  ["$group/manual/", ["manual"]],
  ["commit, $commits, US$commit, \\$commit, $$commit, ${commit}, $HOME, $1", []],
];
for (const [words, mentioned] of MENTIONS) {
  Deno.test(`selectSkills() R143 mentions in ${JSON.stringify(words)}`, () => {
    const { runtime } = selectSkills(ALL, {}, { ...TURN, words }, body);
    assertEquals(names(runtime), mentioned);
    assertEquals(new Set(runtime.map((one) => one.state)), new Set(mentioned.length ? ["explicit" as const] : []));
  });
}

Deno.test("selectSkills() R126 R128 R129 R130 gives those that are called for with their bodies, by rank and slug", () => {
  const turn = { ...TURN, words: "$commit and look at src/deep/a.ts" };
  assertEquals(selectSkills(ALL, {}, turn, body), {
    runtime: [
      {
        name: "commit",
        slug: "commit",
        path: "/skills/commit/SKILL.md",
        description: "Does commit",
        state: "explicit",
        reason: "$commit is mentioned",
        body: "Body of commit",
      },
      {
        name: "review",
        slug: "review",
        path: "/skills/review/SKILL.md",
        description: "Does review",
        state: "path",
        reason: "src/**/*.ts matches src/deep/a.ts",
        body: "Body of review",
      },
    ],
    reports: [
      {
        name: "commit",
        slug: "commit",
        path: "/skills/commit/SKILL.md",
        status: "active",
        state: "explicit",
        reason: "$commit is mentioned",
      },
      {
        name: "manual",
        slug: "manual",
        path: "/skills/manual/SKILL.md",
        status: "non-implicit",
        reason: "disable-model-invocation is set",
      },
      {
        name: "review",
        slug: "review",
        path: "/skills/review/SKILL.md",
        status: "active",
        state: "path",
        reason: "src/**/*.ts matches src/deep/a.ts",
      },
    ],
  });
});

Deno.test("selectSkills() R135 K14 a skill that nothing calls for is reported and not in the turn", () => {
  const { runtime, reports } = selectSkills(ALL, { load: ["review", "manual"] }, { ...TURN, words: "hello" }, body);
  assertEquals(runtime, []);
  assertEquals(reports.map(({ name, status, state, reason }) => [name, status, state, reason]), [
    ["commit", "disabled", undefined, "skills.load does not name it"],
    ["manual", "non-implicit", undefined, "disable-model-invocation is set"],
    ["review", "active", "implicit", "the model may choose it"],
  ]);
});

Deno.test("selectSkills() R129 files that were attached count, and those outside the workspace do not", () => {
  const runtime = (...touched: string[]) => names(selectSkills(ALL, {}, { ...TURN, touched }, body).runtime);
  assertEquals(runtime("/ws/web/page.tsx"), ["review"]);
  assertEquals(runtime("src/a.ts"), ["review"]);
  assertEquals(runtime("/other/src/a.ts", "../src/a.ts", "readme"), []);
});

Deno.test("selectSkills() X11 the skill of /skill: is active and its body is not given a second time", () => {
  const { runtime } = selectSkills(ALL, {}, { ...TURN, words: "fix it", expanded: manual }, body);
  assertEquals(runtime, [
    {
      name: "manual",
      slug: "manual",
      path: "/skills/manual/SKILL.md",
      description: "Does manual",
      state: "explicit" as const,
      reason: "/skill:manual",
      isGiven: true,
    },
  ]);
  const before = selectSkills(ALL, {}, { ...TURN, words: "$commit" }, () => ({ given: true })).runtime;
  assertEquals(before.map(({ isGiven, body }) => [isGiven, body]), [[true, undefined]]);
  const unread = selectSkills(ALL, {}, { ...TURN, words: "$commit" }, () => undefined).runtime;
  assertEquals(unread.map((one) => "body" in one), [false]);
});

Deno.test("selectSkills() R131 above the limit no body is given", () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => sampleSkill(`s${i}`, { paths: ["a"] }));
  const withBody = (count: number) =>
    selectSkills(many(count), {}, { ...TURN, touched: ["a"] }, body).runtime.filter((one) => one.body).length;
  assertEquals([withBody(MAX_BODIES), withBody(MAX_BODIES + 1)], [MAX_BODIES, 0]);
});

Deno.test("unlistedSkills() gives the skills that settings or their own file keep out of the listing R355", () => {
  const others = [manual, sampleSkill("other")];
  const reasons = (choice: Parameters<typeof unlistedSkills>[1]) =>
    unlistedSkills(others, choice).map(({ name, reason }) => [name, reason]);
  assertEquals(reasons({}), [["manual", "non_implicit"]]);
  assertEquals(reasons({ load: ["manual"] }), [["manual", "non_implicit"], ["other", "disabled"]]);
  assertEquals(reasons({ mode: "off" }), [["manual", "disabled"], ["other", "disabled"]]);
});
