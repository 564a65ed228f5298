import { assertEquals, assertStringIncludes } from "@std/assert";
import { createExtensionGrants, type ExtensionGrants, type GrantApproval } from "../../src/engine/extension_grants.ts";
import type { GrantAnswer, GrantRequest } from "../../src/core/hook.ts";
import type { GrantVerdict } from "../../src/hooks/load/start_extension.ts";

const WANTS = { read: ["docs"] };
const request = (name: string): GrantRequest => ({ name, path: `/x/${name}.ts`, hash: `hash-${name}`, wants: WANTS });

interface Room {
  readonly grants: ExtensionGrants;
  readonly verdict: (name: string) => Promise<GrantVerdict>;
  readonly asked: string[];
  readonly told: string[];
  readonly folder: string;
}

/** Grants in a session of their own; `answers` by the extension's name, `never` leaves a question open until it is closed. */
async function inSession(
  answers: Readonly<Record<string, GrantAnswer | "never" | "fails">>,
  more: { readonly isLater?: boolean; readonly kept?: Record<string, typeof WANTS> },
  work: (room: Room) => Promise<void>,
): Promise<void> {
  const folder = Deno.makeTempDirSync();
  const asked: string[] = [];
  const told: string[] = [];
  const asking: GrantApproval = {
    ask: ({ name }, signal) => {
      asked.push(name);
      const answer = answers[name] ?? "no";
      if (answer === "fails") return Promise.reject(new Error("the screen is gone"));
      if (answer !== "never") return Promise.resolve(answer);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve("no")));
    },
    ...(more.isLater ? { isLater: true } : {}),
  };
  const grants = createExtensionGrants(
    { user: { extensions: { grants: more.kept ?? {} } }, userFolder: folder, auditFolder: `${folder}/audit` },
    asking,
    ({ extension, level, message }) => told.push(`${extension} ${level} ${message}`),
  );
  const verdict = (name: string): Promise<GrantVerdict> =>
    grants.verdict?.(request(name)) ?? Promise.reject(new Error("nobody can be asked"));
  try {
    await work({ grants, verdict, asked, told, folder });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const ANSWERS: readonly {
  readonly answer: GrantAnswer | "fails";
  readonly verdicts: readonly GrantVerdict[];
  readonly asked: number;
  readonly isKept: boolean;
  readonly isWritten: boolean;
}[] = [
  { answer: "no", verdicts: ["refused", "refused"], asked: 1, isKept: false, isWritten: false },
  { answer: "fails", verdicts: ["refused", "refused"], asked: 1, isKept: false, isWritten: false },
  { answer: "once", verdicts: ["granted", "granted"], asked: 2, isKept: false, isWritten: false },
  { answer: "session", verdicts: ["granted"], asked: 1, isKept: true, isWritten: false },
  { answer: "always", verdicts: ["granted"], asked: 1, isKept: true, isWritten: true },
];
for (const { answer, verdicts, asked, isKept, isWritten } of ANSWERS) {
  Deno.test(`createExtensionGrants() with the answer ${answer}: ${verdicts.join(", ")}`, () =>
    inSession({ a: answer }, {}, async (room) => {
      const got: GrantVerdict[] = [];
      for (const _ of verdicts) got.push(await room.verdict("a"));
      assertEquals([got, room.asked.length, room.told], [verdicts, asked, []]);
      assertEquals(room.grants.kept().get("hash-a"), isKept ? WANTS : undefined);
      const names = [...Deno.readDirSync(room.folder)].map(({ name }) => name);
      assertEquals(names, isWritten ? ["settings.json"] : []);
      if (!isWritten) return;
      const written = JSON.parse(Deno.readTextFileSync(`${room.folder}/settings.json`));
      assertEquals(written, { extensions: { grants: { "hash-a": WANTS } } });
    }));
}

Deno.test("createExtensionGrants() begins with what the user's own settings say, and asks nobody where nobody can be", () => {
  const grants = createExtensionGrants({ user: { extensions: { grants: { "hash-a": WANTS } } } }, undefined, () => {});
  assertEquals([grants.verdict, [...grants.kept()]], [undefined, [["hash-a", WANTS]]]);
});

Deno.test("createExtensionGrants() says why an answer for good could not be kept; it holds for the session", () =>
  inSession({ a: "always" }, {}, async ({ grants, verdict, told, folder }) => {
    Deno.writeTextFileSync(`${folder}/settings.json`, "{ broken");
    assertEquals(await verdict("a"), "granted");
    assertEquals([told.length, grants.kept().has("hash-a")], [1, true]);
    assertStringIncludes(told[0] ?? "", "a warning Cannot keep the answer in");
    assertEquals(Deno.readTextFileSync(`${folder}/settings.json`), "{ broken");
  }));

Deno.test("settle() asks what was put off, loads once more for what was granted, and tells both", () =>
  inSession({ a: "once", b: "no", c: "session" }, { isLater: true }, async ({ grants, verdict, asked, told }) => {
    for (const name of ["a", "b", "c"]) assertEquals(await verdict(name), "open");
    assertEquals(asked, []);
    const reloaded: GrantVerdict[] = [];
    await grants.settle(async () => {
      for (const name of ["a", "b"]) reloaded.push(await verdict(name));
    });
    assertEquals([asked, reloaded], [["a", "b", "c"], ["granted", "refused"]]);
    // An answer for once holds for that one load.
    assertEquals([await verdict("a"), grants.kept().has("hash-c")], ["open", true]);
    assertEquals(told.map((line) => line.slice(0, 40)), [
      "b warning runs without what it asks for ",
      "a info was loaded again, with what it as",
      "c info was loaded again, with what it as",
    ]);
  }));

Deno.test("settle() loads nothing for refusals, and tells of a load that failed", async () => {
  await inSession({}, { isLater: true }, async ({ grants, verdict }) => {
    await verdict("a");
    let loads = 0;
    await grants.settle(() => Promise.resolve(void loads++));
    assertEquals(loads, 0);
  });
  await inSession({ a: "session" }, { isLater: true }, async ({ grants, verdict, told }) => {
    await verdict("a");
    await grants.settle(() => Promise.reject(new Error("it cannot be loaded")));
    assertEquals(told, ["a warning it cannot be loaded"]);
  });
});

Deno.test("close() takes an open question back: no answer, no load, no refusal to remember", () =>
  inSession({ a: "never" }, { isLater: true }, async ({ grants, verdict, told }) => {
    await verdict("a");
    const settling = grants.settle(() => Promise.reject(new Error("it was loaded")));
    grants.close();
    await settling;
    assertEquals([told, await verdict("a")], [[], "open"]);
  }));

Deno.test("take() replaces what the settings said, and keeps what was answered for the session", () =>
  inSession({ a: "session" }, { kept: { "hash-old": WANTS } }, async ({ grants, verdict }) => {
    await verdict("a");
    grants.take({ extensions: { grants: { "hash-new": WANTS } } });
    assertEquals([...grants.kept().keys()], ["hash-new", "hash-a"]);
    grants.take({});
    assertEquals([...grants.kept().keys()], ["hash-a"]);
  }));

Deno.test("beginSession() leaves what was answered for good, and says whether something loaded has too much", () =>
  inSession({ a: "session", b: "always", c: "no", d: "once" }, {}, async ({ grants, verdict, asked }) => {
    assertEquals(grants.beginSession(), false);
    await verdict("b");
    await verdict("c");
    assertEquals([grants.beginSession(), [...grants.kept().keys()]], [false, ["hash-b"]]);
    await verdict("a");
    assertEquals(grants.kept().has("hash-a"), true);
    assertEquals([grants.beginSession(), grants.beginSession()], [true, false]);
    assertEquals([...grants.kept().keys()], ["hash-b"]);
    await verdict("d");
    assertEquals(grants.beginSession(), true);
    // A refusal was one for its session.
    await verdict("c");
    assertEquals(asked, ["b", "c", "a", "d", "c"]);
  }));
