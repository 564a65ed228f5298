import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { messageOf, UserError } from "../../src/core/error.ts";

/** What is thrown by a call. */
async function thrown(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("the call did not fail");
}

/** A disk that is full cannot be had without permission for all devices. */
function full(message: string): never {
  throw Object.assign(new Error(message), { code: "ENOSPC" });
}

Deno.test("messageOf() says what a failed call of the system means, with its path and without its numbers", async () => {
  const folder = await Deno.makeTempDir();
  const at = (...names: readonly string[]): string => join(folder, ...names);
  Deno.writeTextFileSync(at("file"), "");
  Deno.symlinkSync(at("circle"), at("circle"));
  const cases: readonly (readonly [call: () => unknown, says: string])[] = [
    [() => Deno.readTextFileSync(folder), `${folder} is a folder`],
    [() => Deno.statSync(at("it's not")), `${at("it's not")} does not exist`],
    [() => Deno.statSync(at("file", "x")), `${at("file", "x")} leads through a file as if that were a folder`],
    [() => Deno.mkdirSync(at("file")), `${at("file")} exists already`],
    [() => Deno.removeSync(folder), `${folder} is a folder that is not empty`],
    [() => Deno.statSync(at("circle")), `${at("circle")} is a link that leads in a circle`],
    [() => Deno.lstatSync(at("n".repeat(300))), `${at("n".repeat(300))} has a name that is too long`],
    [() => Deno.renameSync(at("a"), at("b")), `${at("a")} or ${at("b")} does not exist`],
    [() => full("No space left on device (os error 28): copy '/a' -> '/b'"), "/a or /b lies on a disk that is full"],
    [() => full("No space left on device (os error 28)"), "the disk is full"],
    [() => new Deno.Command(at("no")).spawn(), `${at("no")} does not exist`],
  ];
  try {
    for (const [call, says] of cases) assertEquals(messageOf(await thrown(call)), says);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("messageOf() says where nobody could be reached; what has words of its own keeps them", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const host = `127.0.0.1:${listener.addr.port}`;
  listener.close();
  assertEquals(
    messageOf(await thrown(() => fetch(`http://${host}/?key=k`))),
    `${host}: nothing listens there (connection refused)`,
  );
  const cause = new TypeError(
    `error sending request for url (http://${host}/): client error (Connect): tcp connect error: No connection could be ` +
      "made because the target machine actively refused it. (os error 10061)",
  );
  assertEquals(messageOf(cause), `${host}: nothing listens there (connection refused)`);
  assertEquals(
    messageOf(new Error("Connection error.", { cause })),
    `${host}: nothing listens there (connection refused)`,
  );
  assertEquals(
    messageOf(new UserError({ what: "It failed", why: "it is late", fix: "" }, { cause })),
    "It failed: it is late",
  );
  assertEquals(messageOf("a text"), "a text");
});
