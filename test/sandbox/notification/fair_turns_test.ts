// Each command's calls have turns of their own, whatever another command does to its processes.
import { assertEquals, assertLess } from "@std/assert";
import type { Policy } from "../../../src/core/policy.ts";
import { execFrame } from "../../../src/sandbox/confine/launch.ts";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { startPlan } from "../../../src/sandbox/confine/start_plan.ts";
import { withChannel } from "../../../src/sandbox/launcher/frames.ts";
import { spawnConfined } from "../../../src/sandbox/launcher/executable.ts";
import { answerCall } from "../../../src/sandbox/notification/answer_call.ts";
import { openChannel } from "../../../src/sandbox/notification/call_channel.ts";
import { watchDescriptor } from "../../../src/sandbox/notification/descriptor_watch.ts";
import { fairTurns } from "../../../src/sandbox/notification/fair_turns.ts";
import { ownPorts } from "../../../src/sandbox/notification/own_ports.ts";
import { callListener } from "../../../src/sandbox/notification/unanswered_call.ts";
import { openPort } from "../../../src/sandbox/proxy/port.ts";
import { needs } from "../../helpers/needs.ts";
import { until } from "../../helpers/until.ts";
import { makeWorld, worldPolicy } from "../confined_world.ts";

const answering = (name: string) => needs(["python3"], name, probeSandbox().noHosts() !== undefined, true);

/** A turn that ends when the test says so. */
interface Act {
  readonly end: () => void;
  readonly over: Promise<void>;
}

/** Takes a turn; `begun` gets its name when it has it. */
function act(inTurn: ReturnType<ReturnType<typeof fairTurns>>, name: string, begun: string[]): Act {
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = inTurn(() => {
    begun.push(name);
    return promise;
  });
  return { end: resolve, over };
}

Deno.test("fairTurns() serves the line next that was served longest ago, and none beyond its own bound", async () => {
  const begun: string[] = [];
  const open = fairTurns({ most: 3, mostOfOne: 2, overdueMs: 60_000, mostOverdue: 0 });
  const [many, few] = [open(), open()];
  const first = ["m1", "m2", "m3", "m4", "m5"].map((name) => act(many, name, begun));
  const second = ["f1", "f2"].map((name) => act(few, name, begun));
  await until(() => begun.length === 3);
  assertEquals(begun, ["m1", "m2", "f1"]);
  first[0]?.end();
  await until(() => begun.length === 4);
  assertEquals(begun.at(-1), "m3");
  first[1]?.end();
  await until(() => begun.length === 5);
  assertEquals(begun.at(-1), "f2");
  for (const { end } of [...first, ...second]) end();
  await Promise.all([...first, ...second].map(({ over }) => over));
  assertEquals(begun, ["m1", "m2", "f1", "m3", "f2", "m4", "m5"]);
});

Deno.test("fairTurns() gives the place of a turn that is overdue to another line, as often as it may", async () => {
  const begun: string[] = [];
  const open = fairTurns({ most: 2, mostOfOne: 2, overdueMs: 5, mostOverdue: 2 });
  const stuck = open();
  const acts = ["s1", "s2", "s3"].map((name) => act(stuck, name, begun));
  acts.push(act(open(), "a", begun));
  await until(() => begun.includes("a"));
  // Two are overdue now, and no more may be.
  acts.push(act(open(), "b", begun), act(open(), "c", begun));
  await until(() => begun.includes("b"));
  assertEquals(begun, ["s1", "s2", "a", "b"]);
  acts[0]?.end();
  await until(() => begun.length === 5);
  assertEquals(begun.at(-1), "s3");
  for (const { end } of acts) end();
  await Promise.all(acts.map(({ over }) => over));
  assertEquals(begun, ["s1", "s2", "a", "b", "s3", "c"]);
});

Deno.test("fairTurns() goes on after an act that fails", async () => {
  const inTurn = fairTurns({ most: 1, mostOfOne: 1, overdueMs: 60_000, mostOverdue: 0 })();
  const failed = inTurn(() => Promise.reject(new Error("no"))).catch((error) => error.message);
  assertEquals([await failed, await inTurn(() => Promise.resolve("yes"))], ["no", "yes"]);
});

/** Starts python under a list of hosts at the level kernel; the way to the host is given by `lend` and `frame`. */
function startPython(
  policy: Policy,
  code: string,
  args: readonly string[],
  { lend, frame, ready }: Pick<ReturnType<typeof openPort>, "lend" | "frame" | "ready">,
): Deno.ChildProcess {
  const plan = startPlan(policy, thisProgram(), {});
  const child = lend(() => spawnConfined(plan));
  const writer = child.stdin.getWriter();
  const argv = ["/bin/bash", "-c", 'exec python3 "$@"', "bash", "-c", code, ...args];
  const exec = execFrame({ argv, env: policy.env, cwd: policy.root, stdin: "null", mergeOutput: true });
  void (async () => {
    await writer.write(frame(plan.frame(undefined)));
    await ready;
    await writer.write(exec);
    await writer.close();
  })();
  return child;
}

const CALLERS = 30;
const CONNECTIONS = 20;

/** Many processes connect again and again, and hardly ever get a processor: neighbours of a higher priority keep theirs. */
const STARVED = `
import os, socket, sys, time
me, port = os.getpid(), int(sys.argv[1])
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
for _ in range(2):
    if os.fork() == 0:
        while os.getppid() == me: pass
        os._exit(0)
for _ in range(${CALLERS}):
    if os.fork() == 0:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        while os.getppid() == me:
            with socket.socket() as s: s.connect_ex(("127.0.0.1", port))
        os._exit(0)
time.sleep(1000)
`;

const PATIENT = `
import os, socket, sys, time
print("waits", flush=True)
while not os.path.exists("go"): time.sleep(.01)
for _ in range(${CONNECTIONS}):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))): pass
print("connected")
`;

Deno.test({
  ...answering("a command that starves its own callers does not hold up the connections of another"),
  // libc stays loaded for the life of the process.
  sanitizeResources: false,
  fn: async () => {
    using world = makeWorld();
    const policy = worldPolicy(world, "kernel", { flags: { net: ["good.test"] } }, {}, () => undefined);
    let taken = 0;
    const close = (conn: Deno.Conn): void => conn.close();
    const [starved, patient] = [openPort((conn) => (taken++, conn.close())), openPort(close)];
    const storm = startPython(policy, STARVED, [String(starved.port)], starved);
    const other = startPython(policy, PATIENT, [String(patient.port)], patient);
    try {
      await until(() => taken >= CALLERS, () => `for ${taken} callers`);
      const before = taken;
      Deno.writeTextFileSync(`${world.root}/go`, "");
      const { stdout } = await other.output();
      assertEquals(new TextDecoder().decode(stdout), "waits\nconnected\n");
      // In one line with them each connection would have had nearly all of these callers before it.
      assertLess(taken - before, CONNECTIONS * CALLERS / 3);
    } finally {
      storm.kill("SIGKILL");
      await storm.output();
      starved.close();
      patient.close();
    }
  },
});

Deno.test({
  ...answering("answerCall() takes back what it told of a connection to the proxy that failed"),
  sanitizeResources: false,
  fn: async () => {
    using world = makeWorld();
    const policy = worldPolicy(world, "kernel", { flags: { net: ["good.test"] } }, {}, () => undefined);
    const gone = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const proxyPort = gone.addr.port;
    gone.close();
    const told: number[] = [];
    const expected = new Set<number>();
    const channel = openChannel();
    let stop = (): void => {};
    const ready = channel.received.then((descriptor) => {
      if (descriptor === undefined) return;
      const listener = callListener(descriptor);
      const onConnect = (from: number): () => void => {
        told.push(from);
        expected.add(from);
        return () => void expected.delete(from);
      };
      const scope = { listener, proxyPort, own: ownPorts(), onConnect, heldUp: 0 };
      const unwatch = watchDescriptor(descriptor, async () => {
        const call = await listener.receive();
        if (call) await answerCall(call, scope);
      });
      stop = () => {
        unwatch();
        listener.close();
      };
    });
    const frame = (bytes: Uint8Array<ArrayBuffer>) => withChannel(bytes, channel.number);
    const code =
      `import errno, socket; print(errno.errorcode[socket.socket().connect_ex(("127.0.0.1", ${proxyPort}))])`;
    try {
      const { stdout } = await startPython(policy, code, [], { lend: channel.lend, frame, ready }).output();
      assertEquals(new TextDecoder().decode(stdout), "ECONNREFUSED\n");
      assertEquals([told.length, [...expected]], [1, []]);
    } finally {
      stop();
      channel.close();
    }
  },
});
