import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import type { PermissionAnswer } from "../../src/core/event.ts";
import { textOf } from "../../src/core/message.ts";
import type { ExtensionFactory } from "../../src/hooks/api/api.ts";
import { until } from "../helpers/until.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { type Session, withSession } from "./world.ts";

const write = { name: "write", args: { path: "new.txt", content: "made" } };
const edit = { name: "edit", args: { path: "a.txt", edits: [{ oldText: "old", newText: "new" }] } };
const bash = (command: string) => ({ name: "bash", args: { command } });

function results({ engine }: Session): readonly string[] {
  return engine.messages().flatMap((one) => one.role === "toolResult" ? [textOf(one.content)] : []);
}

const phases = ({ events }: Session): readonly string[] =>
  events.flatMap((event) => event.type === "plan_update" ? [event.phase] : []);

Deno.test("while a session plans, neither file tools nor commands write; then exactly the policy from before holds", () =>
  withSession({
    replies: [
      {
        calls: [write, edit, bash("echo made > new.txt; rm a.txt; cat a.txt")],
        expect: ["The user wants a plan first"],
      },
      { text: "1. write new.txt" },
      { calls: [write], expect: ["I accept the plan. Carry it out."] },
      { text: "done" },
    ],
    files: { "a.txt": "old\n" },
  }, async (session) => {
    const { engine, ws, say } = session;
    const { policy } = engine.state();
    const stable = engine.compiled().stable;
    const tools = engine.tools();
    await engine.startPlan();
    const { policy: narrow, plan } = engine.state();
    assertEquals([narrow.write, narrow.net, plan], [{ all: false, list: [] }, { all: false, list: [] }, {}]);
    // What a provider has in its cache stays: the stable half, and the tools.
    assertEquals([engine.compiled().stable === stable, engine.tools()], [true, tools]);
    await say("change it");
    const [written, edited, ran = ""] = results(session);
    for (const result of [written, edited]) assertStringIncludes(result ?? "", "until the user accepts the plan");
    assertStringIncludes(ran, "old"); // a command runs, and only its writing fails
    assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name), ["a.txt"]);
    assertEquals(Deno.readTextFileSync(`${ws}/a.txt`), "old\n");
    assertEquals(engine.state().plan, { text: "1. write new.txt" });
    await engine.answerPlan({ kind: "accept" });
    assert(engine.state().policy === policy, "the policy is the very value from before");
    assertEquals([engine.state().plan, engine.compiled().dynamic.includes("## Planning")], [undefined, false]);
    assertEquals(Deno.readTextFileSync(`${ws}/new.txt`), "made");
    assertEquals(phases(session), ["started", "proposed", "accepted"]);
  }));

Deno.test("what is granted while a session plans ends with the plan, and writing is not asked about", async () => {
  const asked: string[] = [];
  const ask = ({ denial }: { denial: { kind: string; target: string } }): Promise<PermissionAnswer> => {
    asked.push(denial.kind);
    return Promise.resolve("session");
  };
  const look = { name: "read", args: { path: "../b.txt" } };
  await withSession({
    replies: [
      { calls: [look, bash("echo x > ../b.txt"), { name: "write", args: { path: "../c.txt", content: "c" } }] },
      { text: "a plan" },
      { calls: [look] },
      { text: "done" },
    ],
    ask,
  }, async (session) => {
    const { engine, ws, say } = session;
    Deno.writeTextFileSync(`${ws}/../b.txt`, "b");
    const { policy } = engine.state();
    await engine.startPlan();
    await say("plan");
    assertEquals([asked, results(session)[0]], [["read"], "b"]);
    assertEquals(Deno.readTextFileSync(`${ws}/../b.txt`), "b");
    await engine.answerPlan({ kind: "leave" });
    assert(engine.state().policy === policy);
    assertEquals(engine.compiled().full.includes("Allowed by the user"), false);
    await say("again");
    assertEquals(asked, ["read", "read"]);
  });
});

Deno.test("a refused plan leaves the session planning, and an edited one goes to the model as it was edited", () =>
  withSession({
    replies: [
      { text: "plan one" },
      { calls: [write] },
      { text: "plan two" },
      { calls: [write], expect: ["plan two, changed"] },
      { text: "done" },
    ],
  }, async (session) => {
    const { engine, ws, say } = session;
    await assertRejects(() => engine.answerPlan({ kind: "leave" }), UserError, "does not plan");
    await engine.startPlan();
    await assertRejects(() => engine.answerPlan({ kind: "accept" }), UserError, "no plan waits");
    await say("plan");
    assertEquals(await engine.answerPlan({ kind: "refuse" }), undefined);
    assertEquals([engine.state().plan, engine.state().policy.write.list], [{}, []]);
    await say("another way");
    await engine.answerPlan({ kind: "accept", text: "plan two, changed" });
    assertEquals(Deno.readTextFileSync(`${ws}/new.txt`), "made");
    assertEquals(phases(session), ["started", "proposed", "refused", "proposed", "accepted"]);
  }));

Deno.test("a resumed session plans on, with the plan that waited; --no-plan ends that, and a new session does not plan", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-plan-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  try {
    await withSession({ replies: [{ text: "the plan" }], args: ["--plan"], at }, async ({ engine, say }) => {
      assertEquals(engine.state().plan, {});
      await say("plan");
    });
    await withSession({ replies: [{ calls: [write] }, { text: "n" }], args: ["-c"], at }, async (session) => {
      const { engine, ws, say } = session;
      assertEquals([engine.state().plan, engine.state().policy.write.list], [{ text: "the plan" }, []]);
      assert(engine.notices.some((line) => line.startsWith("This session plans")));
      await say("go");
      assertEquals([...Deno.readDirSync(ws)], []);
      await engine.newSession();
      assertEquals([engine.state().plan, engine.state().policy.write.list.includes(ws)], [undefined, true]);
    });
    await withSession(
      { replies: [{ calls: [write] }, { text: "n" }], args: ["-c", "--no-plan"], at },
      async (session) => {
        assertEquals(session.engine.state().plan, undefined);
        await session.say("go");
        assertEquals(Deno.readTextFileSync(`${at.ws}/new.txt`), "made");
      },
    );
    await withSession({ replies: [], args: ["-c"], at }, ({ engine }) => {
      assertEquals(engine.state().plan, undefined);
      return Promise.resolve();
    });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("a session that plans is gone to: what another one left in the background is ended, since it could still write", () =>
  withSession({
    replies: [
      { text: "the plan" },
      {
        calls: [{
          name: "bash",
          args: { command: "while sleep 0.05; do echo x >> new.txt; done", background: true },
        }],
      },
      { text: "started" },
    ],
    args: ["--plan"],
  }, async ({ engine, ws, say, events }) => {
    await say("plan");
    const { sessionFile } = engine.state();
    assert(sessionFile);
    await engine.newSession();
    await say("serve");
    await until(() => exists(`${ws}/new.txt`));
    await engine.switchSession(sessionFile);
    assertEquals(engine.state().plan, { text: "the plan" });
    assertEquals(engine.state().background.map(({ exitCode }) => exitCode === undefined), [false]);
    Deno.removeSync(`${ws}/new.txt`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assertEquals(exists(`${ws}/new.txt`), false);
    assert(
      events.some((event) => event.type === "notice" && event.message.startsWith("b1 was ended")),
      "nothing is said",
    );
  }));

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

Deno.test("tools of extensions do not run while a session plans", async () => {
  let ran = 0;
  const extension: ExtensionFactory = (pi) => {
    pi.registerTool({
      name: "deploy",
      description: "deploys",
      parameters: { type: "object", properties: {} },
      execute: () => {
        ran++;
        return Promise.resolve({ content: [{ type: "text", text: "deployed" }] });
      },
    });
  };
  const deploy = { name: "deploy", args: {} };
  await withSession({
    replies: [{ calls: [deploy] }, { text: "plan" }, { calls: [deploy] }, { text: "done" }],
    extensions: [{ name: "deploys", factory: extension }],
  }, async (session) => {
    const { engine, say } = session;
    await engine.startPlan();
    await say("plan");
    assertStringIncludes(results(session)[0] ?? "", "Denied: deploy.");
    assertEquals(ran, 0);
    await engine.answerPlan({ kind: "accept" });
    assertEquals(ran, 1);
  });
});

Deno.test("without a sandbox no command runs while a session plans", () =>
  withSession({
    replies: [{ calls: [bash("echo x > x.txt; echo seen"), write] }, { text: "plan" }],
    args: ["--sandbox", "off", "--allow-run"],
  }, async (session) => {
    const { engine, ws, say } = session;
    await engine.startPlan();
    await say("plan");
    assertEquals([...Deno.readDirSync(ws)], [], results(session).join("\n"));
  }));

Deno.test("todo: the list is in the state, in a resumed session too, and the prompt says how to keep it R388 R393", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-todo-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  const args = ["-t", "read,todo"];
  const items = [{ text: "look", state: "in_progress" as const }, { text: "write", state: "pending" as const }];
  try {
    await withSession({
      replies: [{ calls: [{ name: "todo", args: { items } }], expect: ["call todo first", "Call todo again"] }, {
        text: "ok",
      }],
      args,
      at,
    }, async ({ engine, say }) => {
      assertEquals(engine.state().todo, []);
      await say("go");
      assertEquals(engine.state().todo, items);
      await engine.newSession();
      assertEquals(engine.state().todo, []);
    });
    const [first] = [...Deno.readDirSync(`${at.home}/.sandpiper/agent/sessions`)];
    assert(first);
    await withSession({ replies: [], args: ["-c", ...args], at }, ({ engine }) => {
      assertEquals(engine.state().todo, items);
      return Promise.resolve();
    });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("while a session plans, git leaves nothing in the repository, and no folder of the machine takes a file", () =>
  withSession({
    replies: [
      {
        calls: [
          bash(
            "git branch evil; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m evil; git status --short; echo $?",
          ),
          bash(
            "for d in . .. ~ /var/tmp /dev/shm /srv; do echo x > $d/planned 2> /dev/null && echo wrote $d; done; true",
          ),
          bash(
            "mkdir made; ln -s /etc link; chmod +x a.txt; mv a.txt b.txt; truncate -s 0 a.txt; touch -d 2001-01-01 a.txt; true",
          ),
        ],
      },
      { text: "plan" },
    ],
    files: { "a.txt": "a" },
  }, async (session) => {
    const { engine, ws, home, say } = session;
    const git = (...args: string[]) =>
      new TextDecoder().decode(
        new Deno.Command("git", {
          args: ["-c", "user.name=a", "-c", "user.email=a@b", ...args],
          cwd: ws,
          env: { GIT_CONFIG_GLOBAL: "/dev/null" },
        }).outputSync().stdout,
      );
    git("init", "-q");
    git("add", "a.txt");
    git("commit", "-q", "-m", "one");
    const before = [git("for-each-ref"), git("count-objects"), git("log", "--format=%H")];
    const { mtime, mode } = Deno.statSync(`${ws}/a.txt`);
    await engine.startPlan();
    await say("plan");
    assertEquals(
      [git("for-each-ref"), git("count-objects"), git("log", "--format=%H")],
      before,
      results(session).join("\n"),
    );
    assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name).sort(), [".git", "a.txt"]);
    const after = Deno.statSync(`${ws}/a.txt`);
    assertEquals([after.mtime, after.mode, Deno.readTextFileSync(`${ws}/a.txt`)], [mtime, mode, "a"]);
    // What is the command's own alone may take it: /tmp and its kind are private where there are namespaces.
    for (const folder of [`${ws}/..`, home, "/srv"]) {
      assertEquals([...Deno.readDirSync(folder)].some(({ name }) => name === "planned"), false, folder);
    }
  }));

Deno.test("a trial that begins or ends while a session plans gives nothing back that the plan took", () =>
  withSession({
    replies: [{ calls: [bash("echo x > x.txt"), write] }, { text: "plan" }, { calls: [write] }, { text: "done" }],
    files: { "a.txt": "a" },
  }, async (session) => {
    const { engine, ws, say } = session;
    await engine.startPlan();
    await engine.beginTrial();
    assertEquals([engine.state().policy.write.list, engine.state().plan], [[], {}]);
    await say("plan");
    await engine.endTrial({ paths: [] });
    assertEquals([engine.state().policy.write.list, [...Deno.readDirSync(ws)].length], [[], 1]);
    await engine.answerPlan({ kind: "accept" });
    assertEquals(Deno.readTextFileSync(`${ws}/new.txt`), "made");
  }));

/** Commands that meet the narrowed policy; each denial would advise an option at another time. */
const MET = [
  "echo a > a.txt",
  "echo a > /srv/planned.txt",
  "mkdir /srv/planned ../planned",
  "rm a.txt; cp a.txt b.txt; mv a.txt c.txt",
  "git init",
  "curl -sS http://example.com",
  "curl -s http://127.0.0.1:9",
  "curl -sS http://127.0.0.1:9",
  "echo x > /dev/tcp/192.0.2.1/80",
];

for (const level of [...(CONFINED.length > 0 ? ["auto", "kernel"] : []), "permissions"]) {
  Deno.test(`${level}: no denial advises a grant to write or to reach while a session plans, and one to read as always`, () =>
    withSession({
      replies: [{ calls: [...MET.map(bash), write, edit, bash("cat ../other.txt")] }, { text: "plan" }],
      files: { "a.txt": "old" },
      args: ["--sandbox", level],
    }, async (session) => {
      const { engine, ws, say } = session;
      Deno.writeTextFileSync(`${ws}/../other.txt`, "o");
      await engine.startPlan();
      await say("plan");
      const all = results(session);
      for (const result of all) assertEquals(/--allow-(?:write|net)/.exec(result)?.[0], undefined, result);
      assertStringIncludes(all.at(-1) ?? "", "--allow-read=");
      // A denial is told, not left out.
      assertStringIncludes(all.join("\n"), "before the user accepts the plan");
    }));
}
