import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { AuditEntry } from "../../../src/session/audit.ts";
import { auditText } from "../../../src/session/export/audit_text.ts";
import { type AuditView, ofTurn, viewAudit } from "../../../src/session/export/audit_view.ts";
import { diffText } from "../../../src/session/export/diff_text.ts";
import { auditedSessions, readAudit } from "../../../src/session/export/read_audit.ts";
import { loadSession } from "../../../src/session/load.ts";
import { createSession } from "../../../src/session/store.ts";
import { inWorld, reply, said, START, user, type World, writeLines } from "../world.ts";
import { keeper, manifest, section } from "./manifests.ts";

const call = (callId: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  time: "2026-03-07T08:00:01.000Z",
  session: "s1",
  callId,
  tool: "read",
  arguments: "0123456789abcdef".repeat(4),
  decision: "allowed",
  outcome: "ok",
  durationMs: 1.5,
  ...more,
});

const calling = (id: string) =>
  reply("", {
    content: [{ type: "toolCall", id, name: "read", arguments: { secret: "SECRET" } }],
    stopReason: "toolUse",
  });

const listed = section("skills_listing", "4".repeat(64), {
  sources: [{ kind: "skill", ref: "commit", status: "loaded", chars: 9, kept: 9 }],
});
const runtime = section("skills_runtime", "5".repeat(64), {
  stability: "dynamic",
  sources: [{ kind: "skill", ref: "debug", status: "loaded", chars: 9, kept: 9, reason: "path" }],
});

const missing = { code: "missing_file", message: "There is no a", file: "/w/a" } as const;

/** Two prompts: a round with a call, one that is steered and shortened; then one with other tools. */
function session(world: World): string {
  const session = createSession({ cwd: "/w", folder: world.folder, id: "s1" }, {
    ...world,
    now: () => START,
    random: () => 0,
  });
  const keep = keeper(session);
  const sections = [...manifest().sections, listed];
  session.append(said(user("PROMPT one")));
  keep(manifest({ sections, diagnostics: [missing] }));
  session.append(said(calling("call_1")));
  session.append(said(user("steered")));
  keep(manifest({
    sections: [...sections, runtime],
    trigger: "round",
    round: 2,
    diagnostics: [missing],
    fingerprints: { stable: "a".repeat(64), dynamic: "e".repeat(64), full: "f".repeat(64) },
    history: { decision: "compressed", owner: "checkpoint", messages: 3, tokensBefore: 90000, tokensAfter: 1000 },
  }));
  const usage = { input: 1200, output: 8, cacheRead: 100, cacheWrite: 0, totalTokens: 1308 };
  session.append(said(reply("Done.", { usage })));
  session.append(said(user("PROMPT two")));
  keep(manifest({ sections, diagnostics: [missing], tools: { names: ["read"], fingerprint: "9".repeat(64) } }));
  session.append(said(calling("call_1")));
  session.close();
  return session.path!;
}

function view(world: World, calls: readonly AuditEntry[] = []): AuditView {
  return viewAudit(loadSession(session(world)).entries, calls);
}

Deno.test("viewAudit() reads back each round's manifest with its turn and its reply R352 R355", () => {
  inWorld((world) => {
    const { rounds, calls } = view(world, [call("call_1"), call("call_1", { tool: "bash" }), call("unknown")]);
    assertEquals(rounds.map(({ number, turn, manifest }) => [number, turn, manifest.round]), [[1, 1, 1], [2, 1, 2], [
      3,
      2,
      1,
    ]]);
    assertEquals(rounds.map(({ reply }) => reply?.stopReason), ["toolUse", "stop", "toolUse"]);
    assertEquals(
      rounds[2]?.manifest,
      manifest({
        sections: [...manifest().sections, listed],
        diagnostics: [missing],
        tools: { names: ["read"], fingerprint: "9".repeat(64) },
      }),
    );
    assertEquals(calls.map(({ tool, turn }) => [tool, turn]), [["read", 1], ["bash", 2], ["read", undefined]]);
  });
});

Deno.test("ofTurn() leaves what belongs to one prompt", () => {
  inWorld((world) => {
    const audit = view(world, [call("call_1"), call("call_1", { tool: "bash" })]);
    const second = ofTurn(audit, 2);
    assertEquals([second?.rounds.map(({ number }) => number), second?.calls.map(({ tool }) => tool)], [[3], ["bash"]]);
    assertEquals(ofTurn(audit, 3), undefined);
  });
});

Deno.test("auditText() shows mode, history, sections, skill states, tools and who was asked, and no text R355 R481", () => {
  inWorld((world) => {
    const audit = view(world, [call("call_1"), call("call_1", { tool: "bash", decision: "denied", outcome: "error" })]);
    const text = [...auditText(audit, audit.rounds)].join("");
    assertEquals(
      text,
      `
turn 1
  round 1  00000001  2026-03-07 08:00:00Z  first
    mode     profile full, trigger startup, sandbox kernel, c/1
    prompt   stable aaaaaaaaaaaa, dynamic bbbbbbbbbbbb, full cccccccccccc
    history  full
    tools    read, bash (dddddddddddd)
    skills   commit loaded
    section  identity_base stable 100 111111111111
    section  tools_list stable 100 222222222222
    section  skills_listing stable 100 444444444444
    notice   missing_file: /w/a: There is no a
    sent to  openai/m: toolUse
  round 2  00000004  2026-03-07 08:00:00Z  changed: dynamic, history
    mode     profile full, trigger round, sandbox kernel, c/1
    prompt   stable aaaaaaaaaaaa, dynamic eeeeeeeeeeee, full ffffffffffff
    history  compressed, checkpoint, 3 messages, 90,000 tokens before, 1,000 after
    tools    read, bash (dddddddddddd)
    skills   commit loaded, debug path
    section  + skills_runtime dynamic 100 555555555555
    section  3 as before
    notice   1 as before
    sent to  openai/m: stop, 1,200 in, 100 cached, 8 out

turn 2
  round 3  00000007  2026-03-07 08:00:00Z  changed: dynamic, tools, history
    mode     profile full, trigger startup, sandbox kernel, c/1
    prompt   stable aaaaaaaaaaaa, dynamic bbbbbbbbbbbb, full cccccccccccc
    history  full
    tools    read (999999999999)
    skills   commit loaded
    section  - skills_runtime dynamic 100 555555555555
    section  3 as before
    notice   1 as before
    sent to  openai/m: toolUse

tool calls
  turn 1  2026-03-07 08:00:01Z  read      0123456789ab  allowed  ok     1.5 ms
  turn 2  2026-03-07 08:00:01Z  bash      0123456789ab  denied   error  1.5 ms
`,
    );
    const all = text + JSON.stringify(audit);
    for (const word of ["SECRET", "PROMPT", "steered", "Done."]) assert(!all.includes(word), word);
  });
});

Deno.test("auditText() names every skill, also those that are not listed, and cuts none off R355", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder, id: "s1" }, {
      ...world,
      now: () => START,
      random: () => 0,
    });
    const names = Array.from({ length: 60 }, (_, at) => `skill-number-${at}`);
    const sources = names.map((ref) => ({ kind: "skill", ref, status: "loaded", chars: 9, kept: 9 } as const));
    session.append(said(user("one")));
    keeper(session)(manifest({
      sections: [section("skills_listing", "4".repeat(64), { sources })],
      unlistedSkills: [
        { name: "hid", path: "/w/hid/SKILL.md", reason: "non_implicit" },
        { name: "out", path: "/w/out/SKILL.md", reason: "disabled" },
      ],
    }));
    session.append(said(reply("Done.")));
    session.close();
    const audit = viewAudit(loadSession(session.path!).entries, []);
    const lines = [...auditText(audit, audit.rounds)].join("").split("\n").filter((line) => /^ {4}skills/.test(line));
    const shown = lines.flatMap((line) => line.slice(13).split(", "));
    assertEquals(shown, [
      ...names.map((name) => `${name} loaded`),
      "hid not listed (non_implicit)",
      "out not listed (disabled)",
    ]);
  });
});

Deno.test("diffText() names the sections, tools and fields that differ between two rounds R354", () => {
  inWorld((world) => {
    const { rounds: [first, second, third] } = view(world);
    assertEquals(
      [...diffText(first!, second!)].join(""),
      `from round 1 (turn 1, 00000001, 2026-03-07 08:00:00Z, startup)
to   round 2 (turn 1, 00000004, 2026-03-07 08:00:00Z, round)

stable    same (aaaaaaaaaaaa)
dynamic   bbbbbbbbbbbb -> eeeeeeeeeeee
full      cccccccccccc -> ffffffffffff
tools     same (dddddddddddd)
sections
          + skills_runtime dynamic 100 555555555555
history.decision "full" -> "compressed"
history.owner (none) -> "checkpoint"
history.messages (none) -> 3
history.tokensBefore (none) -> 90000
history.tokensAfter (none) -> 1000
`,
    );
    const lines = [...diffText(second!, third!)];
    assert(
      lines.includes("          - bash\n") && lines.includes("          - skills_runtime dynamic 100 555555555555\n"),
    );
  });
});

Deno.test("viewAudit() of a session of which nothing was kept is empty", () => {
  assertEquals(viewAudit([], [call("a")]), { rounds: [], calls: [call("a")] });
});

Deno.test("readAudit() leaves out what is no call, and fields that are none of its own", () => {
  inWorld(({ folder }) => {
    const path = join(folder, "s1.jsonl");
    writeLines(path, [
      call("a"),
      { ...call("b"), arguments: undefined },
      { ...call("c"), decision: "maybe" },
      "no json",
      { ...call("d"), prompt: "SECRET" },
    ]);
    Deno.writeTextFileSync(path, '{"time":"2026', { append: true });
    assertEquals(readAudit(folder, "s1"), { calls: [call("a"), call("d")], damaged: 4 });
    assertEquals(readAudit(folder, "s2"), { calls: [], damaged: 0 });
    assertEquals(auditedSessions(folder, "s"), ["s1"]);
    assertEquals([auditedSessions(folder, "t"), auditedSessions(join(folder, "none"), "s")], [[], []]);
  });
});

Deno.test("readAudit() does not leave its folder for the id of a foreign session", () => {
  inWorld(({ folder }) => {
    Deno.mkdirSync(join(folder, "audit"));
    writeLines(join(folder, "outside.jsonl"), [call("a")]);
    assertEquals(readAudit(join(folder, "audit"), "../outside"), { calls: [], damaged: 0 });
  });
});
