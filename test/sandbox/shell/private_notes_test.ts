import { assertEquals } from "@std/assert";
import { openPrivateTmp, privateTmpNotes } from "../../../src/sandbox/shell/private_notes.ts";
import { policyFor, scope } from "../../runner/world.ts";

Deno.test("openPrivateTmp() takes the places of what is mounted, the program's own too, for nobody's files", () => {
  const tmp = Deno.makeTempDirSync({ prefix: "sp-private-" });
  try {
    for (const folder of ["app/src", "app/lib", "ws/deep", "made"]) {
      Deno.mkdirSync(`${tmp}/${folder}`, { recursive: true });
    }
    Deno.writeTextFileSync(`${tmp}/app/note`, "");
    const scopes = { read: scope("/ws", "/tmp/ws/deep"), write: scope("/ws") };
    const policy = { ...policyFor("/ws", { ...scopes, sandbox: "kernel+" }), tmp };
    const program = ["/tmp/app/src", "/tmp/app/lib", "/usr/bin/program"];
    assertEquals([...openPrivateTmp(policy, program)?.() ?? []].sort(), ["/tmp/app/note", "/tmp/made"]);
  } finally {
    Deno.removeSync(tmp, { recursive: true });
  }
});

Deno.test("openPrivateTmp() sees what is made and removed between two looks, however close they are", () => {
  const tmp = Deno.makeTempDirSync({ prefix: "sp-private-" });
  try {
    const policy = { ...policyFor("/ws", { read: scope("/ws"), write: scope("/ws"), sandbox: "kernel+" }), tmp };
    const look = openPrivateTmp(policy, []);
    for (let round = 0; round < 200; round++) {
      Deno.writeTextFileSync(`${tmp}/made`, "");
      assertEquals([...look?.() ?? []], ["/tmp/made"]);
      Deno.removeSync(`${tmp}/made`);
      assertEquals([...look?.() ?? []], []);
    }
  } finally {
    Deno.removeSync(tmp, { recursive: true });
  }
});

Deno.test("privateTmpNotes() says of a listing of /tmp that the machine's is out of sight, and which option opens it", () => {
  const tmp = Deno.makeTempDirSync({ prefix: "sp-private-" });
  try {
    const policy = { ...policyFor("/ws", { read: scope("/ws"), write: scope("/ws"), sandbox: "kernel+" }), tmp };
    const names = new Set<string>();
    const noted = (command: string): string[] => privateTmpNotes(policy, names, names, command);
    const own = "Sandbox: /tmp is private to this session's commands, and the machine's /tmp is out of their sight.";
    const note = [`${own} Only the user can allow it, with --allow-read=+/tmp.`];
    for (
      const command of ["ls /tmp", "cd x; ls -la /tmp/", "find /tmp -name '*.log' | head", "du -sh a /tmp && true"]
    ) {
      assertEquals(noted(command), note, command);
    }
    for (const command of ["ls", "ls /tmp/own", "cd /tmp && make", "echo ls > /tmp/x", "go build -o /tmp/x"]) {
      assertEquals(noted(command), [], command);
    }
    assertEquals(privateTmpNotes(policy, undefined, undefined, "ls /tmp"), []);
  } finally {
    Deno.removeSync(tmp, { recursive: true });
  }
});
