import { assertEquals } from "@std/assert";
import { memorySession } from "../../src/session/store.ts";
import { labelsOf, sessionName, type SessionNode, sessionTree } from "../../src/session/tree.ts";
import { reply, said, START, user } from "./world.ts";

const outline = ({ entry, children, label }: SessionNode): unknown => [
  entry.type === "message" && "content" in entry.message ? entry.message.content : entry.type,
  label,
  children.map(outline),
];

Deno.test("sessionTree() shows branches in the order of the file, with the last label of each entry R325", () => {
  const session = memorySession({ cwd: "/w" }, { now: () => START, random: Math.random });
  const a = session.append(said(user("a")));
  const b = session.append(said(user("b")));
  session.append({ type: "label", targetId: a.id, label: "start" });
  session.append({ type: "label", targetId: b.id, label: "gone" });
  session.branch(a.id);
  session.append(said(user("c")));
  session.append({ type: "label", targetId: b.id });
  session.append({ type: "label", targetId: a.id, label: "begin" });
  session.branch(null);
  session.append(said(user("other root")));
  assertEquals(sessionTree(session.entries()).map(outline), [
    ["a", "begin", [
      ["b", undefined, [["label", undefined, [["label", undefined, []]]]]],
      ["c", undefined, [["label", undefined, [["label", undefined, []]]]]],
    ]],
    ["other root", undefined, []],
  ]);
  assertEquals([...labelsOf(session.entries())], [[a.id, "begin"]]);
});

Deno.test("sessionName() is the last one, and none when that is empty", () => {
  const session = memorySession({ cwd: "/w" }, { now: () => START, random: Math.random });
  session.append(said(reply("a")));
  const names = [sessionName(session.entries())];
  for (const name of ["one", " two ", " "]) {
    session.append({ type: "session_info", name });
    names.push(sessionName(session.entries()));
  }
  assertEquals(names, [undefined, "one", "two", undefined]);
});
