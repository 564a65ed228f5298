// Many owners in one folder: each key has one at a time, and that of a dead one is taken over.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { Claims } from "../../src/batch/claims.ts";
import { until } from "../helpers/until.ts";

/** This machine has two processes: this one, and one whose number somebody had before. */
const HERE = { machine: "here", startOf: (pid: number) => ({ [Deno.pid]: 5, 99: 6 })[pid] };

function inFolder(work: (folder: string) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const folder = Deno.makeTempDirSync({ prefix: "sp-claims-" });
    try {
      await work(folder);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  };
}

/** Another owner's file, as a process elsewhere would have written it. */
function foreign(folder: string, owner: object): string {
  const id = crypto.randomUUID();
  const whole = {
    machine: "other",
    pid: 1,
    start: 7,
    beat: 1,
    ended: false,
    spentUsd: 0,
    reservedUsd: 0,
    ...owner,
  };
  Deno.mkdirSync(join(folder, "owners"), { recursive: true });
  Deno.writeTextFileSync(join(folder, "owners", `${id}.json`), JSON.stringify(whole));
  return id;
}

function claimOf(folder: string, key: string, owner: string): void {
  Deno.mkdirSync(join(folder, "claims", key), { recursive: true });
  Deno.writeTextFileSync(join(folder, "claims", key, "1"), owner);
}

Deno.test(
  "one owner has a key; when it has ended the next one has it, under a later number",
  inFolder((folder) => {
    const [one, other] = [new Claims(folder, HERE), new Claims(folder, HERE)];
    assertEquals(one.take("a.1"), { kind: "taken", generation: 1 });
    assertEquals(other.take("a.1"), { kind: "held" });
    assertEquals(one.take("a.1"), { kind: "held" });
    assertEquals(one.take("b.1", "digest").kind, "taken");
    assertEquals(other.take("b.1", "digest").kind, "held");
    assertEquals(other.take("b.1", "another").kind, "other");
    one.close();
    assertEquals(other.take("b.1", "another"), { kind: "taken", generation: 2 });
    assertEquals(other.take("a.1"), { kind: "taken", generation: 2 });
    other.close();
  }),
);

Deno.test(
  "a link in the place of a folder of claims or owners is not followed",
  inFolder((folder) => {
    for (const name of ["elsewhere", "claims", "linked"]) Deno.mkdirSync(join(folder, name));
    Deno.symlinkSync(join(folder, "elsewhere"), join(folder, "claims", "a.1"));
    Deno.symlinkSync(join(folder, "elsewhere"), join(folder, "linked", "owners"));
    const claims = new Claims(folder, HERE);
    assertThrows(() => claims.take("a.1"), Deno.errors.AlreadyExists);
    claims.close();
    assertThrows(() => new Claims(join(folder, "linked"), HERE), Deno.errors.AlreadyExists);
    assertEquals([...Deno.readDirSync(join(folder, "elsewhere"))], []);
  }),
);

Deno.test(
  "a process of this machine that is gone has died; one that lives has not, however long it is silent",
  inFolder((folder) => {
    const claims = new Claims(folder, HERE, { staleMs: 0 });
    claimOf(folder, "dead.1", foreign(folder, { machine: "here", pid: 98, start: 1 }));
    claimOf(folder, "reused.1", foreign(folder, { machine: "here", pid: 99, start: 1 }));
    claimOf(folder, "alive.1", foreign(folder, { machine: "here", pid: 99, start: 6 }));
    assertEquals(claims.take("dead.1").kind, "taken");
    assertEquals(claims.take("reused.1").kind, "taken");
    assertEquals(claims.take("alive.1").kind, "held");
    assertEquals(claims.take("alive.1").kind, "held");
    claims.close();
  }),
);

Deno.test(
  "one of another machine lives while its sign of life changes, and is dead when that has stood still",
  inFolder(async (folder) => {
    const claims = new Claims(folder, HERE, { staleMs: 300 });
    const id = foreign(folder, {});
    claimOf(folder, "a.1", id);
    assertEquals(claims.take("a.1").kind, "unsure");
    const path = join(folder, "owners", `${id}.json`);
    Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace('"beat":1', '"beat":2'));
    assertEquals(claims.take("a.1").kind, "held");
    await until(() => claims.take("a.1").kind === "taken");
    // A claim without an owner that can be read is no owner's for ever.
    claimOf(folder, "b.1", "");
    assertEquals(claims.take("b.1").kind, "unsure");
    await until(() => claims.take("b.1").kind === "taken");
    claims.close();
  }),
);

Deno.test(
  "of many that want the same dead one's claim at once, one gets it",
  inFolder(async (folder) => {
    for (let at = 0; at < 20; at++) claimOf(folder, `k${at}.1`, foreign(folder, { ended: true }));
    const script = `
      import { Claims } from ${JSON.stringify(import.meta.resolve("../../src/batch/claims.ts"))};
      const claims = new Claims(${JSON.stringify(folder)}, { startOf: () => undefined });
      const got = [];
      for (let at = 0; at < 20; at++) if (claims.take("k" + at + ".1").kind === "taken") got.push(at);
      console.log(JSON.stringify(got));
      await new Promise(() => Deno.stdin.read(new Uint8Array(1)).then(() => Deno.exit(0)));
    `;
    const file = join(folder, "race.ts");
    Deno.writeTextFileSync(file, script);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const racers = Array.from({ length: 3 }, () =>
      new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--config", config, file],
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn());
    const got: number[] = [];
    for (const racer of racers) {
      const reader = racer.stdout.getReader();
      const { value } = await reader.read();
      got.push(...JSON.parse(new TextDecoder().decode(value)));
      await reader.cancel();
    }
    for (const racer of racers) {
      await racer.stdin.close();
      await racer.status;
    }
    assertEquals(got.toSorted((a, b) => a - b), Array.from({ length: 20 }, (_, at) => at));
  }),
);

Deno.test(
  "what owners have spent stays spent when they are gone",
  inFolder((folder) => {
    const one = new Claims(folder, HERE);
    one.account({ spentUsd: 1, reservedUsd: 2 });
    foreign(folder, { spentUsd: 4, reservedUsd: 8 });
    const other = new Claims(folder, HERE);
    assertEquals(other.committedUsd(), 15);
    one.close();
    assertEquals(other.committedUsd(), 13);
    other.close();
    assert(other.take("x.1").kind !== "unsure");
  }),
);
