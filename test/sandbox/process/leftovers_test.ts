import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { recordSession, tidyUp } from "../../../src/engine/sessions/session_record.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { endLeftovers, SESSION_VARIABLE } from "../../../src/sandbox/process/leftovers.ts";
import { identityOf } from "../../../src/sandbox/system/procfs.ts";
import { ownerPrefix } from "../../../src/sandbox/system/temporary_folder.ts";
import { until } from "../../helpers/until.ts";
import { CONFINED, exists, processesWith } from "../shell_fixture.ts";

const linux = { ignore: Deno.build.os !== "linux" };
let serial = 0;
const uniqueSleep = (): string => `300.${Deno.pid}${++serial}`;

/** A process with a mark, as a session's commands have it. */
function marked(session: string, sleep: string): Deno.ChildProcess {
  const env = { [SESSION_VARIABLE]: session, PATH: "/usr/bin:/bin" };
  return new Deno.Command("sleep", { args: [sleep], env, clearEnv: true, stdout: "null", stderr: "null" }).spawn();
}

function folder(): { readonly path: string } & Disposable {
  const path = Deno.realPathSync(Deno.makeTempDirSync());
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

for (const level of CONFINED) {
  Deno.test(`a host at ${level} that is killed leaves nothing for longer than until the next start`, async () => {
    using cache = folder();
    const [sleep, session] = [uniqueSleep(), crypto.randomUUID()];
    const config = thisProgram().args.indexOf("--config");
    const host = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--cached-only",
        ...thisProgram().args.slice(config, config + 2),
        fromFileUrl(new URL("killed_host.ts", import.meta.url)),
        level,
        sleep,
        session,
        cache.path,
      ],
      env: { TMPDIR: cache.path },
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = host.stdout.getReader();
    assertEquals(new TextDecoder().decode((await reader.read()).value), "ready\n");
    await until(() => processesWith(sleep).length >= 4);
    host.kill("SIGKILL");
    await host.status;
    await reader.cancel();
    if (level === "kernel+") await until(() => processesWith(sleep).length === 0);
    else {
      // Its shells die with it; their children are what this is about.
      await until(() => processesWith("trap", sleep).length === 0);
      assert(processesWith(sleep).length > 0);
      assert(exists(join(cache.path, "running", `${session}.json`)));
      tidyUp(cache.path, cache.path);
      await until(() => processesWith(sleep).length === 0);
    }
    tidyUp(cache.path, cache.path);
    assertEquals([...Deno.readDirSync(join(cache.path, "running"))], []);
  });
}

Deno.test("endLeftovers() ends only what is provably of the session", linux, async () => {
  const own = identityOf(Deno.pid);
  if (!own) throw new Error("no identity");
  const session = crypto.randomUUID();
  const [sleep, other] = [uniqueSleep(), uniqueSleep()];
  const mine = marked(session, sleep);
  // Another session's; one that names the mark among its arguments alone; one that began before the host did.
  const others = [marked(crypto.randomUUID(), other), marked(`${session}x`, other)];
  const talk = new Deno.Command("sleep", { args: [other], env: { X: `${SESSION_VARIABLE}=${session}` } }).spawn();
  try {
    await until(() => processesWith(sleep).length === 1 && processesWith(other).length === 3);
    const start = identityOf(mine.pid)?.start ?? 0;
    assertEquals(endLeftovers(session, { pid: own.pid, start: start + 1 }), 0);
    assertEquals(endLeftovers("short", own), 0);
    assertEquals(endLeftovers(session, own), 1);
    assertEquals((await mine.status).signal, "SIGKILL");
    assertEquals(processesWith(other).length, 3);
  } finally {
    for (const child of [...others, talk]) {
      child.kill("SIGKILL");
      await child.status;
    }
  }
});

Deno.test("tidyUp() removes temporary folders of dead processes, and nothing else", linux, () => {
  using place = folder();
  const make = (name: string, mode: number): string => {
    Deno.mkdirSync(`${place.path}/${name}`);
    Deno.chmodSync(`${place.path}/${name}`, mode);
    return name;
  };
  const own = ownerPrefix();
  const [, namespace = ""] = /^sandpiper-(\d+)-/.exec(own) ?? [];
  const dead = make(`sandpiper-${namespace}-${Deno.pid}-1-abc`, 0o700);
  Deno.writeTextFileSync(`${place.path}/${dead}/a`, "");
  const kept = [
    make(`${own}abc`, 0o700),
    make(`sandpiper-${namespace}-${Deno.pid}-1-open`, 0o755),
    make(`sandpiper-1${namespace}-${Deno.pid}-1-abc`, 0o700),
    make("sandpiper-abc", 0o700),
    make("else", 0o700),
  ];
  Deno.symlinkSync(`${place.path}/else`, `${place.path}/sandpiper-${namespace}-${Deno.pid}-1-link`);
  tidyUp(undefined, place.path);
  const left = [...Deno.readDirSync(place.path)].map(({ name }) => name).sort();
  assertEquals(left, [...kept, `sandpiper-${namespace}-${Deno.pid}-1-link`].sort());
});

Deno.test("recordSession() keeps its record to itself, and tidyUp() that of the living", linux, () => {
  using cache = folder();
  const session = crypto.randomUUID();
  const forget = recordSession(cache.path, session);
  const path = `${cache.path}/running/${session}.json`;
  assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
  Deno.writeTextFileSync(`${cache.path}/running/broken.json`, "{");
  tidyUp(cache.path, cache.path);
  assertEquals(exists(path), true);
  forget();
  assertEquals(exists(path), false);
  assertEquals(recordSession("/proc/nothing", session)(), undefined);
});
