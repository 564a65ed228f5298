import { assertEquals, assertMatch } from "@std/assert";
import { parseRule } from "../../../src/sandbox/policy/net_rules.ts";
import { chooseOpenTarget, chooseTarget } from "../../../src/sandbox/proxy/target.ts";

const CASES = [
  ["a public address", ["a.test"], "a.test", ["93.184.216.34"], ["93.184.216.34"]],
  ["this machine", ["a.test"], "a.test", ["127.0.0.1"], "denied"],
  ["this machine over IPv6", ["a.test"], "a.test", ["::1"], "denied"],
  ["this machine in IPv6 clothes", ["a.test"], "a.test", ["::ffff:127.0.0.1"], "denied"],
  ["an address of an interface", ["a.test"], "a.test", ["93.184.216.9"], "denied"],
  ["the same in other spelling", ["a.test"], "a.test", ["2606:4700:0:0::9"], "denied"],
  ["an interface by number", ["a.test"], "a.test", ["fe80::1%eth0"], "denied"],
  ["a metadata service", ["a.test"], "a.test", ["169.254.169.254"], "denied"],
  ["a metadata service over IPv6", ["*.test"], "a.test", ["fd00:ec2::254"], "denied"],
  ["a private network", ["a.test"], "a.test", ["10.1.2.3"], "denied"],
  ["a private network that was named", ["a.test", "10.1.2.3:80"], "a.test", ["10.1.2.3"], ["10.1.2.3"]],
  ["a private network named for another port", ["a.test", "10.1.2.3:81"], "a.test", ["10.1.2.3"], "denied"],
  ["a private network of which another was named", ["a.test", "10.1.2.4"], "a.test", ["10.1.2.3"], "denied"],
  ["public and private addresses", ["a.test"], "a.test", ["127.0.0.1", "93.184.216.34"], ["93.184.216.34"]],
  ["everything", ["a.test"], "a.test", ["0.0.0.0"], "denied"],
  ["nowhere", ["a.test"], "a.test", [], "unknown"],
  ["a named address", ["127.0.0.1"], "127.0.0.1", [], ["127.0.0.1"]],
  ["localhost by name", ["localhost"], "localhost", ["::1", "127.0.0.1"], ["::1", "127.0.0.1"]],
  ["localhost that is elsewhere", ["localhost"], "localhost", ["10.0.0.1"], "denied"],
  ["another host", ["a.test"], "b.test", ["93.184.216.34"], "denied"],
  ["another address", ["127.0.0.1"], "127.0.0.2", [], "denied"],
] as const;

for (const [name, rules, host, resolved, expected] of CASES) {
  Deno.test(`chooseTarget() for a host that leads to ${name}: ${expected} R471 R492`, async () => {
    const target = await chooseTarget(rules.map(parseRule), host, 80, {
      resolve: () => resolved.length > 0 ? Promise.resolve(resolved) : Promise.reject(new Error("no such host")),
      connect: () => Promise.reject(new Error("choosing connects to nothing")),
      ownAddresses: () => ["93.184.216.9", "2606:4700::9"],
    });
    assertEquals(target.kind === "addresses" ? target.addresses : target.kind, expected);
  });
}

Deno.test("chooseTarget() asks for no name that is not in the scope and says what would allow it", async () => {
  const asked: string[] = [];
  const world = {
    resolve: (name: string) => (asked.push(name), Promise.resolve(["192.168.7.7"])),
    connect: () => Promise.reject(new Error("choosing connects to nothing")),
    ownAddresses: () => [],
  };
  const rules = ["good.test:443", "*.example.org"].map(parseRule);
  const [scope, address] = [
    await chooseTarget(rules, "evil.test", 8443, world),
    await chooseTarget(rules, "good.test", 443, world),
  ];
  assertEquals(asked, ["good.test"]);
  assertEquals(
    scope.kind === "denied" && scope.note,
    "Denied: connect to evil.test:8443: not in the network scope (allowed: good.test:443, *.example.org). " +
      "Only the user can allow it, with --allow-net=+evil.test:8443",
  );
  assertMatch(
    address.kind === "denied" ? address.note : "",
    /a private address.*--allow-net=\+192\.168\.7\.7:443$/,
  );
});

const OPEN = [
  ["public", [], "a.test", ["93.184.216.34"], ["93.184.216.34"]],
  ["private", [], "a.test", ["10.1.2.3"], ["10.1.2.3"]],
  ["this machine and private", [], "a.test", ["127.0.0.1", "10.1.2.3"], ["10.1.2.3"]],
  ["this machine", [], "127.0.0.1", [], "denied"],
  ["this machine by a name", [], "a.test", ["127.8.8.8"], "denied"],
  ["localhost", [], "localhost", ["::1"], "denied"],
  ["this machine in IPv6 clothes", [], "::ffff:127.0.0.1", [], "denied"],
  ["no address", [], "0.0.0.0", [], "denied"],
  ["an interface", [], "93.184.216.9", [], "denied"],
  ["a metadata service", [], "169.254.169.254", [], "denied"],
  ["a metadata service in NAT64", [], "64:ff9b::a9fe:a9fe", [], "denied"],
  ["a metadata service elsewhere", [], "a.test", ["100.100.100.200"], "denied"],
  ["a metadata service over IPv6", [], "fd00:ec2::254", [], "denied"],
  ["its link", [], "169.254.1.1", [], "denied"],
  ["its link over IPv6", [], "a.test", ["fe80::1"], "denied"],
  ["its link by interface", [], "a.test", ["fe80::1%eth0"], "denied"],
  ["this machine, named", ["127.0.0.1:80"], "127.0.0.1", [], ["127.0.0.1"]],
  ["this machine, named for another port", ["127.0.0.1:81"], "127.0.0.1", [], "denied"],
  ["nowhere", [], "a.test", [], "unknown"],
] as const;
for (const [name, rules, host, resolved, expected] of OPEN) {
  Deno.test(`chooseOpenTarget() ${name}: ${expected}`, async () => {
    const target = await chooseOpenTarget(rules.map(parseRule), host, 80, {
      resolve: () => resolved.length > 0 ? Promise.resolve(resolved) : Promise.reject(new Error("no such host")),
      connect: () => Promise.reject(new Error("choosing connects to nothing")),
      ownAddresses: () => ["93.184.216.9"],
    });
    assertEquals<unknown>(target.kind === "addresses" ? target.addresses : target.kind, expected);
  });
}
