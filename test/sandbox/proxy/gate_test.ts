import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { confinedCommand, execFrame, firstFrames } from "../../../src/sandbox/confine/launch.ts";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { makeWorld, programFor, runConfined, runFrames, type World, worldPolicy } from "../confined_world.ts";
import { HAS_NAMESPACES } from "../namespaces_here.ts";
import { USERS } from "../reachable.ts";
import type { Report } from "./driver.ts";

const probe = probeSandbox();
/** Why a level cannot be tried here; the level kernel needs no namespaces. */
const missing = {
  "kernel+": HAS_NAMESPACES ? undefined : "namespaces cannot be made here",
  "kernel": probe.noHosts(),
} as const;
for (const [level, why] of Object.entries(missing)) {
  if (why !== undefined) console.log(`the tests of the network by list at ${level} are skipped: ${why}`);
}
const ignore = missing["kernel+"] !== undefined;

/** Speaks to the proxy with nothing but bash. */
const PRELUDE = `
port=\${http_proxy##*:}; token=\${http_proxy#http://}; token=\${token%@*}; auth=$(printf %s "$token" | base64 -w0)
ask() {
  exec 3<>/dev/tcp/127.0.0.1/$port
  printf '%s HTTP/1.1\\r\\nProxy-Authorization: Basic %s\\r\\n\\r\\n' "$1" "\${2-$auth}" >&3
  cat <&3 | tr -d '\\r' | sed -n '1p;$p'
  exec 3>&-
}
tunnel() {
  exec 3<>/dev/tcp/127.0.0.1/$port
  printf 'CONNECT %s HTTP/1.1\\r\\nProxy-Authorization: Basic %s\\r\\n\\r\\n' "$1" "$auth" >&3
  IFS= read -r line <&3; echo "$line" | tr -d '\\r'
}`;

const SCRIPTS = {
  prelude: PRELUDE,
  "an allowed host": "ask 'GET http://good.test:WEB_PORT/a'",
  "a tunnel to an allowed host": `tunnel good.test:WEB_PORT; read -r line <&3
printf 'GET /b HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3 | tail -1`,
  "other hosts": "for i in 1 2 3; do ask 'GET http://evil.test:WEB_PORT/'; done; tunnel evil.test:443",
  "a name that leads to metadata": "ask 'GET http://metadata.test/'; ask 'GET http://good.test:1/'",
  "this machine by itself": "ask 'GET http://127.0.0.1:1/'; ask 'GET http://localhost:WEB_PORT/'",
  "a direct connection": `(exec 3<>/dev/tcp/127.0.0.1/WEB_PORT) 2>&1 | grep -o refused | head -1
(exec 3<>/dev/tcp/192.0.2.1/80) 2>&1 | grep -o unreachable | head -1`,
  "names": "getent hosts good.test example.com; echo $?",
  "no token": "ask 'GET http://good.test:WEB_PORT/' ''",
  "another call's token":
    `[ "$auth" = "$(cat token)" ] && echo same; ask 'GET http://good.test:WEB_PORT/' "$(cat token)"`,
  "the socket itself": "test -e /dev/sandpiper-net/s || echo gone; readlink /proc/[0-9]*/fd/* | grep -c sandpiper-net",
  "the bridge": `for p in /proc/[0-9]*; do
  case "$(tr '\\0' ' ' <$p/cmdline)" in /bin/bash*) ;; *' --internal-bridge '*)
    cat $p/environ $p/mem 2>&1 | grep -c 'Permission denied'
  esac
done | sort -u; ask 'GET http://good.test:WEB_PORT/c'`,
  "an own server": `command -v perl >/dev/null || { echo mine; exit; }
perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(Listen=>1,LocalAddr=>"127.0.0.1",LocalPort=>8123) or die $!;
print STDOUT "up\\n"; close STDOUT; $c=$s->accept; print $c "mine\\n"' >up 2>&1 &
until [ -s up ]; do sleep 0.02; done; cat </dev/tcp/127.0.0.1/8123`,
  "clients that reset at once": `command -v perl >/dev/null && perl -MSocket -MFcntl -e 'for (1..500) {
  socket my $s, AF_INET, SOCK_STREAM, 0; fcntl $s, F_SETFL, O_NONBLOCK; connect $s, sockaddr_in($ENV{http_proxy} =~ /([0-9]+)$/, inet_aton "127.0.0.1");
  setsockopt $s, SOL_SOCKET, SO_LINGER, pack "ii", 1, 0; close $s; select undef, undef, undef, 0.003 unless $_ % 50 }'
ask 'GET http://good.test:WEB_PORT/d'`,
  "an exit code": "exit 7",
  "a death by signal": "kill -9 $$",
  "curl": `command -v curl >/dev/null || { echo 'from outside'; exit; }
curl -sS http://good.test:WEB_PORT/curl; curl -sS http://evil.test:WEB_PORT/ >/dev/null; curl -sS -p http://good.test:WEB_PORT/curl >/dev/null`,
  "other ports of this machine": `for p in WEB_PORT RAW_PORT "$(cat port)"; do
  [ "$p" = "$port" ] || (exec 3<>/dev/tcp/127.0.0.1/$p) 2>&1 | grep -o refused | head -1
done`,
  "servers of other commands": `(exec 3<>/dev/tcp/127.0.0.1/$(cat server)) 2>&1 | grep -o refused | head -1`,
  "a port that it gave up": `command -v perl >/dev/null || { echo 0 >freed; echo 'mine refused'; exit; }
perl -MIO::Socket::INET -e '
$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die; $p = $s->sockport;
sub reach { IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $p) ? "mine" : $!{ECONNREFUSED} ? "refused" : $! }
print reach(), " "; close $s; open $f, ">", "freed.new"; print $f $p; close $f; rename "freed.new", "freed";
select undef, undef, undef, 0.02 until -e "taken"; print reach(), "\\n"'`,
  "all addresses": `command -v python3 >/dev/null || { echo '127.0.0.1 mine 127.0.0.1 mine '; exit; }
python3 -c '
import socket, threading
for family, any in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
    server = socket.socket(family); server.bind((any, 0)); server.listen()
    threading.Thread(target=lambda: server.accept()[0].sendall(b"mine"), daemon=True).start()
    client = socket.create_connection(("127.0.0.1", server.getsockname()[1]))
    print(server.getsockname()[0].replace("::ffff:", "").replace(any, "127.0.0.1"), client.recv(9).decode(), end=" ")
'; echo`,
  server: `${PRELUDE}
read -r word; echo "$word"; ask 'GET http://good.test:WEB_PORT/s'; ask 'GET http://evil.test:1/' | head -1`,
  last: "tunnel raw.test:RAW_PORT; sleep 100",
};

/** The part of the program's configuration that the driver needs: an ordinary user cannot read the cache of the rest. */
function driverConfig(world: World): string {
  const config = JSON.parse(Deno.readTextFileSync(new URL("../../../deno.json", import.meta.url)));
  const imports = Object.fromEntries(Object.entries(config.imports).filter(([name]) => name.startsWith("@std/")));
  Deno.writeTextFileSync(`${world.base}/deno.json`, JSON.stringify({ ...config, imports }));
  return `${world.base}/deno.json`;
}

function copyStandardLibrary(modules: string): void {
  const from = thisProgram().env["DENO_DIR"] ?? "";
  for (const { name } of Deno.readDirSync(`${from}/npm`)) {
    const line = `mkdir -p "$2" && cp -r "$1/deno-std" "$2/" && chmod -R a+rwX "$2/.."`;
    new Deno.Command("sh", { args: ["-c", line, "sh", `${from}/npm/${name}`, `${modules}/npm/${name}`] }).outputSync();
  }
}

async function drive(as: "self" | "user", level: "kernel" | "kernel+"): Promise<Report> {
  using world = makeWorld();
  const self = programFor(world);
  const step = as === "user" && Deno.uid() === 0;
  const prefix = step ? ["/usr/bin/setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"] : [];
  const script = fromFileUrl(new URL("driver.ts", import.meta.url));
  const flags = [
    "run",
    "-A",
    "--no-prompt",
    "--no-check",
    "--no-lock",
    "--cached-only",
    "--config",
    driverConfig(world),
  ];
  const options = [...flags, script, JSON.stringify(SCRIPTS), level];
  copyStandardLibrary(self.env["DENO_DIR"] ?? "");
  const [program = "", ...args] = [...prefix, self.program, ...options];
  const env = { ...self.env, TMPDIR: world.tmp, PATH: "/usr/local/bin:/usr/bin:/bin" };
  const { stdout, stderr } = await new Deno.Command(program, { args, env, clearEnv: true }).output();
  try {
    return JSON.parse(new TextDecoder().decode(stdout));
  } catch {
    throw new Error(new TextDecoder().decode(stderr));
  }
}

for (
  const [as, level] of USERS.flatMap((as) => (["kernel+", "kernel"] as const).map((level) => [as, level] as const))
) {
  Deno.test({ name: `gateOf() at ${level} as ${as}`, ignore: missing[level] !== undefined }, async (t) => {
    const { port, outcomes, requests, stranger, served, leftovers } = await drive(as, level);
    const [OK, DENIED, WHO] = ["200 OK", "403 Forbidden", "407 Proxy Authentication Required"]
      .map((text) => `HTTP/1.1 ${text}\n`);
    const output = (name: keyof typeof SCRIPTS): string | undefined => outcomes[name]?.output;
    const notes = (name: keyof typeof SCRIPTS): readonly string[] => outcomes[name]?.notes ?? [];
    const connects = (name: keyof typeof SCRIPTS) => notes(name).map((note) => /connect to (\S+):/.exec(note)?.[1]);

    await t.step("lets commands reach an allowed host R470", () => {
      assertEquals(outcomes["an allowed host"], { output: `${OK}from outside\n`, exitCode: 0, notes: [] });
      assertEquals(output("a tunnel to an allowed host"), "HTTP/1.1 200 Connection established\nfrom outside\n");
      assertEquals(requests.slice(0, 2).map((line) => line.slice(-2)), ["/a", "/b"]);
    });
    await t.step("refuses other hosts and reports each once with its grant R471", () => {
      const sentence = `sandpiper: evil.test:${port}: not in the network scope\n`;
      assertEquals(output("other hosts"), (DENIED + sentence).repeat(3) + DENIED);
      assertEquals(connects("other hosts"), [`evil.test:${port}`, "evil.test:443"]);
      assertMatch(
        notes("other hosts")[1] ?? "",
        /not in the network scope \(allowed: good\.test, .*--allow-net=\+evil\.test:443$/,
      );
    });
    await t.step("refuses names that lead to metadata or to this machine R492", () => {
      assertEquals(connects("a name that leads to metadata"), ["metadata.test:80", "good.test:1"]);
      assertEquals(connects("this machine by itself"), ["127.0.0.1:1", `localhost:${port}`]);
    });
    await t.step("leaves no other way out", () => {
      assertEquals(output("a direct connection"), "refused\nunreachable\n");
      assertEquals(output("names"), "2\n");
      assertEquals(output("other ports of this machine"), "refused\n".repeat(level === "kernel" ? 3 : 2));
      assertEquals(output("servers of other commands"), "refused\n");
      assertEquals(output("a port that it gave up"), "mine refused\n");
      assertEquals(stranger, "");
    });
    await t.step("opens with the call's own token alone", () => {
      for (const name of ["no token", "another call's token"] as const) {
        assertEquals([output(name)?.split("\n")[0], notes(name)], [WHO?.trimEnd(), []]);
      }
    });
    await t.step("is the way of a program that lives for the session, too", () => {
      assertEquals(served.output, `word\n${OK}from outside\n${DENIED}`);
      assertMatch(served.notes.join(), /^Denied: connect to evil\.test:1: not in the network scope/);
    });
    await t.step("keeps socket and bridge out of the command's reach", () => {
      assertEquals(output("the socket itself"), "gone\n0\n");
      // At the level kernel there is none.
      if (level === "kernel+") assertEquals(output("the bridge"), `2\n${OK}from outside\n`);
    });
    await t.step("goes on after clients that reset at once", () => {
      assertEquals(output("clients that reset at once"), `${OK}from outside\n`);
    });
    await t.step("leaves the command its own servers, exit codes and deaths", () => {
      assertEquals(output("an own server"), "mine\n");
      assertEquals(output("all addresses"), "127.0.0.1 mine 127.0.0.1 mine \n");
      assertEquals([outcomes["an exit code"]?.exitCode, outcomes["a death by signal"]?.exitCode], [7, 137]);
    });
    await t.step("serves curl by the environment alone", () => {
      assertMatch(output("curl") ?? "", /^from outside\n/);
    });
    await t.step("leaves nothing 50 ms after the shell was closed", () => {
      assertEquals(leftovers, { processes: 0, folders: [], tunnels: 0 });
    });
  });
}

Deno.test({ name: "confinedCommand() runs nothing where the bridge cannot be built", ignore }, async () => {
  using world = makeWorld();
  const policy = worldPolicy(world, "kernel+", { flags: { net: ["good.test"] } });
  const self = programFor(world);
  const exec = execFrame({
    argv: ["/bin/touch", "ran"],
    env: policy.env,
    cwd: policy.root,
    stdin: "null",
    mergeOutput: true,
  });
  for (
    const [gate, why] of [[world.outside, /"step":"bridge".*ENOENT/], [
      `${world.base}/none`,
      /^bwrap: |"step":"mounts".*ENOENT/m,
    ]] as const
  ) {
    const { code, err } = await runFrames(confinedCommand(policy, self, { gate }), [
      firstFrames(policy, self, { gate }),
      exec,
    ]);
    assertMatch(err, why);
    assertEquals(code === 0, false);
  }
});

for (const [level, why] of [["kernel+", /refused/], ["kernel", /not implemented/]] as const) {
  const ignore = missing[level] !== undefined;
  Deno.test(
    { name: `confinedCommand() without a gate gives a listed network to nobody at ${level} R470`, ignore },
    async () => {
      using world = makeWorld();
      const policy = worldPolicy(world, level, { flags: { net: ["127.0.0.1"] } }, {}, () => undefined);
      const argv = ["/bin/bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/61280"];
      const { code, err } = await runConfined(policy, programFor(world), { argv });
      assertEquals(code, 1);
      assertMatch(err, why);
    },
  );
}
