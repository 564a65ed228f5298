// A host of its own for the tests of the gate: listening on a socket with a path takes a permission that the tests do not
// have. Runs the commands of `gate_test.ts` one after the other and prints what became of them as JSON.
import type { ShellOutcome } from "../../../src/core/tool.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { openProcessPool } from "../../../src/sandbox/pool/pool.ts";
import { PROXY_LIMITS } from "../../../src/sandbox/proxy/proxy.ts";
import { startServer } from "../../../src/sandbox/shell/server.ts";
import { openShell } from "../../../src/sandbox/shell/shell.ts";
import { openSupervisor } from "../../../src/sandbox/shell/supervisor.ts";
import { ownerPrefix } from "../../../src/sandbox/system/temporary_folder.ts";
import { until } from "../../helpers/until.ts";
import { makeWorld, worldPolicy } from "../confined_world.ts";
import { exists, processesWith } from "../shell_fixture.ts";

/** What the driver prints. */
export interface Report {
  readonly port: number;
  readonly outcomes: Readonly<Record<string, Pick<ShellOutcome, "output" | "exitCode" | "notes">>>;
  readonly requests: readonly string[];
  /** What a program that is no command gets from a command's proxy with that command's token, at the level kernel. */
  readonly stranger: string;
  /** Of a program that lives for a session, behind the same gate. */
  readonly served: Pick<ShellOutcome, "output" | "notes">;
  readonly leftovers: { readonly processes: number; readonly folders: readonly string[]; readonly tunnels: number };
}

/** Listens while others run: its port is none of theirs. */
const SERVER = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
open my $f, ">", "server"; print $f $s->sockport; close $f; $s->accept while 1' >/dev/null 2>&1 &
until [ -s server ]; do sleep 0.02; done`;

if (import.meta.main) {
  const scripts: Record<string, string> = JSON.parse(Deno.args[0] ?? "{}");
  const level = Deno.args[1] === "kernel" ? "kernel" : "kernel+";
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(await drive(scripts, level))));
  Deno.exit(0);
}

async function askAsStranger(root: string, web: number): Promise<string> {
  const [port, token] = ["port", "token"].map((name) => Deno.readTextFileSync(`${root}/${name}`));
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const request = `GET http://good.test:${web}/ HTTP/1.1\r\nProxy-Authorization: Basic ${token}\r\n\r\n`;
  try {
    await conn.write(new TextEncoder().encode(request));
    const bytes = new Uint8Array(999);
    return new TextDecoder().decode(bytes.subarray(0, await conn.read(bytes) ?? 0));
  } catch {
    return ""; // it was reset
  } finally {
    conn.close();
  }
}

/** Listens at the port that a command has given up and put into `freed`; says so in `taken`. */
async function takeFreedPort(root: string): Promise<void> {
  await until(() => exists(`${root}/freed`));
  const port = Number(Deno.readTextFileSync(`${root}/freed`));
  const listener = Deno.listen({ hostname: "127.0.0.1", port });
  Deno.writeTextFileSync(`${root}/taken`, "");
  await until(() => exists(`${root}/stop`));
  listener.close();
}

async function drive(scripts: Record<string, string>, level: "kernel" | "kernel+"): Promise<Report> {
  const requests: string[] = [];
  const web = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    requests.push(`${request.method} ${request.headers.get("host")} ${new URL(request.url).pathname}`);
    return new Response("from outside\n");
  });
  const raw = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let tunnels = 0;
  (async () => {
    for await (const conn of raw) {
      tunnels++;
      conn.read(new Uint8Array(99)).catch(() => {}).finally(() => tunnels--);
    }
  })().catch(() => {});
  using world = makeWorld();
  const rules = ["good.test", "raw.test", `127.0.0.1:${web.addr.port}`, `127.0.0.1:${raw.addr.port}`];
  const policy = worldPolicy(world, level, { flags: { net: rules } }, {}, () => undefined);
  const seed = `--seed=${Deno.pid}${Math.floor(performance.now() * 1000)}`;
  const own = thisProgram();
  // An option without effect, by which the processes of this test can be told from others.
  const self = { ...own, args: [...own.args.slice(0, 1), seed, ...own.args.slice(1)] };
  const places: Record<string, string> = { "metadata.test": "169.254.169.254" };
  const net = {
    limits: PROXY_LIMITS,
    world: {
      resolve: (name: string) => Promise.resolve([places[name] ?? "127.0.0.1"]),
      connect: (hostname: string, port: number) => Deno.connect({ hostname, port }),
      ownAddresses: () => [],
    },
  };
  const spares = openProcessPool(policy, self, { net });
  const shell = openShell(policy, spares);
  const run = (script: string) =>
    shell(script, { timeoutMs: 60_000, signal: new AbortController().signal, onOutput: () => {} });
  const ports = (script: string) =>
    script.replaceAll("WEB_PORT", String(web.addr.port)).replaceAll("RAW_PORT", String(raw.addr.port));

  spares.expect();
  const outcomes: Record<string, Pick<ShellOutcome, "output" | "exitCode" | "notes">> = {};
  // Alive while the others run: its token is the one that they must not be able to use.
  const other = run(
    `${
      ports(scripts["prelude"] ?? "")
    }\nprintf %s "$port" >port\n${SERVER}\nprintf %s "$auth" >token\nwhile [ ! -e stop ]; do sleep 0.05; done`,
  );
  await until(() => exists(`${world.root}/token`));
  const stranger = level === "kernel" ? await askAsStranger(world.root, web.addr.port) : "";
  const taking = takeFreedPort(world.root);
  for (const [name, script] of Object.entries(scripts)) {
    if (["prelude", "server", "last"].includes(name)) continue;
    const { output, exitCode, notes } = await run(`${ports(scripts["prelude"] ?? "")}\n${ports(script)}`);
    outcomes[name] = { output, exitCode, notes };
  }
  Deno.writeTextFileSync(`${world.root}/stop`, "");
  await other;
  await taking;
  const supervisor = openSupervisor(policy);
  const server = startServer(
    { argv: ["/bin/bash", "-c", ports(scripts["server"] ?? "")], env: policy.env, cwd: policy.root },
    { policy, self, net, supervisor },
  );
  await server.write(new TextEncoder().encode("word\n"));
  const served = { output: await new Response(server.output).text(), notes: server.notes() };
  await server.end();
  await supervisor.close();
  const last = run(`${ports(scripts["prelude"] ?? "")}\n${ports(scripts["last"] ?? "")}`);
  await until(() => tunnels > 0);
  await shell.close();
  await last;
  // What is left after a long wait is told, not thrown.
  await until(() => tunnels === 0 && processesWith(seed).length === 0).catch(() => {});
  const temporary = Deno.env.get("TMPDIR") ?? "/tmp";
  const folders = [...Deno.readDirSync(temporary)].map((entry) => entry.name).filter((name) =>
    name.startsWith(`${ownerPrefix()}net-`)
  );
  return {
    port: web.addr.port,
    outcomes,
    requests,
    stranger,
    served,
    leftovers: { processes: processesWith(seed).length, folders, tunnels },
  };
}
