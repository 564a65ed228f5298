// A host that is killed by whoever started it: starts a command under a list of hosts at the level kernel, and waits.
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { startConfined } from "../../../src/sandbox/pool/confined.ts";
import { makeWorld, worldPolicy } from "../confined_world.ts";

/** Lives on when the host is gone, and tries then what it could not before. Its arguments: a file, a foreign port. */
const ORPHAN = `
import ctypes, errno, json, os, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True); out, victim = sys.argv[1], int(sys.argv[2])
proxy = int(os.environ["http_proxy"].rsplit(":", 1)[1])
NUMBERS = {"x86_64": (317, 42), "aarch64": (277, 203)}[os.uname().machine]
def attempt(act):
    try: act(); return "done"
    except OSError as e: return errno.errorcode.get(e.errno, str(e.errno))
def connect(port):
    with socket.socket() as s: s.settimeout(3); s.connect(("127.0.0.1", port))
box = [-1]
def supervise():
    while box[0] < 0: time.sleep(.01)
    while 1:
        n = ctypes.create_string_buffer(80)
        if libc.ioctl(box[0], ctypes.c_ulong(0xc0502100), n) < 0: continue
        libc.ioctl(box[0], ctypes.c_ulong(0xc0182101), ctypes.create_string_buffer(n.raw[:8] + struct.pack("<qiI", 0, 0, 1), 24))
def listener():
    lines = [(0x20, 0, 0, 0), (0x15, 0, 1, NUMBERS[1]), (6, 0, 0, 0x7fc00000), (6, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *line) for line in lines))
    box[0] = libc.syscall(NUMBERS[0], 1, 8, ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(lines), ctypes.addressof(code)), 16))
    if box[0] < 0: raise OSError(ctypes.get_errno(), "seccomp")
def listen(address):
    with socket.socket() as s:
        if address: s.bind(address)
        s.listen()
threading.Thread(target=supervise, daemon=True).start()
report = {"before": attempt(lambda: connect(proxy))}
def write(name):
    with open(name + ".new", "w") as f: json.dump(report, f)
    os.rename(name + ".new", name)
write(out + ".alive")
while attempt(lambda: connect(proxy)) != "ENOSYS": time.sleep(.05)
report["connect"] = attempt(lambda: connect(victim))
report["fast open"] = attempt(lambda: socket.socket().sendto(b"x", 0x20000000, ("127.0.0.1", victim)))
report["bind"] = attempt(lambda: listen(("0.0.0.0", 0)))
report["listen"] = attempt(lambda: listen(None))
report["listener"] = attempt(listener)
report["own listener, connect"] = attempt(lambda: connect(victim))
write(out)
`;

const [victim = ""] = Deno.args;
using world = makeWorld();
const policy = worldPolicy(world, "kernel", { flags: { net: ["good.test"] } }, {}, () => undefined);
Deno.writeTextFileSync(`${world.root}/orphan.py`, ORPHAN);
const result = `${world.root}/result`;
const started = startConfined(policy, thisProgram());
started.become({
  argv: ["/bin/bash", "-c", `setsid python3 orphan.py ${result} ${victim} & sleep 1000`],
  env: policy.env,
  cwd: policy.root,
  stdin: "null",
  mergeOutput: true,
});
console.log(world.base);
await started.status;
