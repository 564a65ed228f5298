import { assert, assertEquals, assertMatch } from "@std/assert";
import { formatDateTime } from "../../src/context/date_time.ts";
import type { Manifest } from "../../src/core/compiled_prompt.ts";
import type { SessionEntry } from "../../src/core/session.ts";
import { sessionsFolder } from "../../src/session/folder.ts";
import { manifestsOf } from "../../src/session/manifests.ts";
import { commitAll, git } from "../context/git_repository.ts";
import { callReply, textReply } from "../helpers/server.ts";
import { withServer } from "./wire.ts";

// deno-lint-ignore no-explicit-any -- bodies of the wire format
type Body = any;

/** Whether a request begins with the very bytes of the one before: what a server's cache goes by. */
function extendsBytes(before: Body, after: Body): boolean {
  const [earlier, later] = [before, after].map(({ messages }) => JSON.stringify(messages).slice(0, -1));
  return JSON.stringify(before.tools) === JSON.stringify(after.tools) && (later ?? "").startsWith(earlier ?? "?");
}

Deno.test("over 50 turns, an end and a resume every request begins with the bytes of the one before R324 R430 R431 X28", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-prefix-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  const call = { events: callReply({ name: "read", args: { path: "AGENTS.md" } }) };
  const answers = [call, ...Array.from({ length: 60 }, (_, turn) => ({ events: textReply(`reply ${turn}`) }))];
  const bodies: Body[] = [];
  try {
    for (const args of [[], ["-c"]]) {
      await withServer(answers, { at, args, files: { "AGENTS.md": "RULES" } }, async ({ say, server, engine }) => {
        for (let turn = 0; turn < 25; turn++) await say(`words ${turn} of ${args}`);
        bodies.push(...server.requests);
        const { cacheRead, input } = engine.state().totals;
        assert(cacheRead >= 8 * 25 && input > 0);
      });
    }
    assertEquals(bodies.length, 52);
    const broken = bodies.flatMap((body, index) => index > 0 && !extendsBytes(bodies[index - 1], body) ? [index] : []);
    assertEquals(broken, []);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

const TWO_DAYS_MS = 2 * 24 * 60 * 60 * 1000;

Deno.test("over days, commits and three resumes the bytes hold, or the manifest names what is other R324 R420 R431 K7", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-days-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  const write = (name: string, text: string): void => Deno.writeTextFileSync(`${at.ws}/${name}`, text);
  const days: readonly { readonly meanwhile: () => void; readonly other: readonly string[] }[] = [
    { meanwhile: () => write("a.txt", "changed, not committed"), other: [] },
    { meanwhile: () => commitAll(at.ws), other: [] },
    { meanwhile: () => (write("AGENTS.md", "OTHER RULES"), commitAll(at.ws)), other: ["project_context"] },
    { meanwhile: () => git(at.ws, "switch", "--quiet", "--create", "another"), other: [] },
  ];
  const answers = [{ events: callReply({ name: "read", args: { path: "a.txt" } }) }, { events: textReply("done") }];
  let last: { readonly body: Body; readonly manifest: Manifest } | undefined;
  try {
    Deno.mkdirSync(at.ws);
    write("AGENTS.md", "RULES");
    write("a.txt", "a");
    git(at.ws, "init", "--quiet");
    commitAll(at.ws);
    for (const [day, { meanwhile, other }] of days.entries()) {
      meanwhile();
      const past = last && { ...last, body: age(at, last.body) };
      const bodies: Body[] = [];
      await withServer(answers, { at, args: last ? ["-c"] : [] }, async ({ say, server }) => {
        for (const words of ["one", "two"]) await say(`${words} of day ${day}`);
        bodies.push(...server.requests);
      });
      const manifest = lastManifest(at);
      const [first] = bodies;
      assertMatch(first.messages[0].content, /^Git branch: main\b/m); // also when another one is checked out
      assertEquals(bodies.slice(1).map((body, index) => extendsBytes(bodies[index], body)), [true, true]);
      // The system prompt keeps the clock of the first day, so each message of a later one brings its own.
      assertEquals(JSON.stringify(bodies.at(-1).messages.slice(1)).match(/sandpiper_runtime/g)?.length ?? 0, 2 * day);
      if (past) {
        assertEquals(extendsBytes(past.body, first), other.length === 0, `day ${day}`);
        assert(extendsBytes(withoutSystem(past.body), withoutSystem(first)), `day ${day}`);
        assertEquals(othersOf(past.manifest, manifest), [...other, "runtime_facts"]);
      }
      last = { body: bodies.at(-1), manifest };
    }
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("profile minimal sends no time, however old the prompt's clock is R413 K7", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-minimal-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  const sent = async (...args: string[]): Promise<Body[]> => {
    let requests: Body[] = [];
    await withServer([{ events: textReply("done") }], { at, args }, async ({ say, server }) => {
      await say("words");
      requests = server.requests;
    });
    return requests;
  };
  try {
    const [first] = await sent();
    age(at, first);
    assertEquals(JSON.stringify(await sent("-c", "--profile", "minimal")).includes("sandpiper_runtime"), false);
    assertEquals(JSON.stringify(await sent("-c")).match(/"role":"user","content":"\{\\"sandpiper_runtime/g)?.length, 1);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

type Place = { readonly ws: string; readonly home: string };

function sessionFile({ ws, home }: Place): { readonly path: string; readonly lines: readonly string[] } {
  const folder = sessionsFolder(`${home}/.sandpiper/agent`, ws);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".jsonl"));
  assertEquals(names.length, 1); // every opening went on with the one session
  const path = `${folder}/${names[0]}`;
  return { path, lines: Deno.readTextFileSync(path).trimEnd().split("\n") };
}

/** Makes the clock that a session keeps two days older; gives a request as it would have been at that time. */
function age(at: Place, body: Body): Body {
  const { path, lines } = sessionFile(at);
  const entries = lines.map((line) => JSON.parse(line));
  const readings = entries.filter(({ customType }) => customType === "runtime");
  assertEquals(readings.length, 1); // no resume read the clock anew
  const { data } = readings[0];
  const earlier = formatDateTime(data.at -= TWO_DAYS_MS);
  const [system, ...messages] = body.messages;
  assert(system.content.includes(data.runtime.dateTime));
  const aged = { ...system, content: system.content.replace(data.runtime.dateTime, earlier) };
  data.runtime.dateTime = earlier;
  Deno.writeTextFileSync(path, entries.map((entry) => JSON.stringify(entry) + "\n").join(""));
  return { ...body, messages: [aged, ...messages] };
}

function withoutSystem(body: Body): Body {
  return { ...body, messages: body.messages.slice(1) };
}

function lastManifest(at: Place): Manifest {
  const kept = manifestsOf(sessionFile(at).lines.slice(1).map((line): SessionEntry => JSON.parse(line))).at(-1);
  assert(kept);
  return kept.manifest;
}

/** Ids of the sections that are not what they were, in the order of the prompt. */
function othersOf(before: Manifest, after: Manifest): readonly string[] {
  const known = new Map(before.sections.map(({ id, sha256 }) => [id, sha256]));
  return after.sections.filter(({ id, sha256 }) => known.get(id) !== sha256).map(({ id }) => id);
}
