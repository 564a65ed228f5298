import { assertEquals } from "@std/assert";
import { namesInPrivateTmp } from "../../../src/sandbox/shell/private_notes.ts";
import { policyFor, scope } from "../../runner/world.ts";

Deno.test("namesInPrivateTmp() takes the places of what is mounted, the program's own too, for nobody's files", () => {
  const tmp = Deno.makeTempDirSync({ prefix: "sp-private-" });
  try {
    for (const folder of ["app/src", "app/lib", "ws/deep", "made"]) {
      Deno.mkdirSync(`${tmp}/${folder}`, { recursive: true });
    }
    Deno.writeTextFileSync(`${tmp}/app/note`, "");
    const scopes = { read: scope("/ws", "/tmp/ws/deep"), write: scope("/ws") };
    const policy = { ...policyFor("/ws", { ...scopes, sandbox: "kernel+" }), tmp };
    const program = ["/tmp/app/src", "/tmp/app/lib", "/usr/bin/program"];
    assertEquals([...namesInPrivateTmp(policy, program) ?? []].sort(), ["/tmp/app/note", "/tmp/made"]);
  } finally {
    Deno.removeSync(tmp, { recursive: true });
  }
});
