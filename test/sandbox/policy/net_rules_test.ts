import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { UserError } from "../../../src/core/error.ts";
import {
  allowsHost,
  canonicalHost,
  commonRule,
  coversRule,
  type HostRule,
  intersectRules,
  parseRule,
  readPort,
  ruleText,
} from "../../../src/sandbox/policy/net_rules.ts";

const HOSTS = [
  ["example.com", "example.com"],
  ["EXAMPLE.com.", "example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["BÜCHER.example", "xn--bcher-kva.example"],
  ["ｅｘａｍｐｌｅ.com", "example.com"],
  ["127.1", "127.0.0.1"],
  ["0x7f000001", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["127.0.0.1.", "127.0.0.1"],
  ["[::1]", "::1"],
  ["[0:0::1]", "::1"],
  ["[::ffff:127.0.0.1]", "127.0.0.1"],
  ["_srv.example.com", "_srv.example.com"],
  ["", undefined],
  [".", undefined],
  ["..", undefined],
  ["a..b", undefined],
  ["example.com..", undefined],
  ["-a.example", undefined],
  ["user@example.com", undefined],
  ["example.com/x", undefined],
  ["example.com\\x", undefined],
  ["example.com:80", undefined],
  ["exa%6dple.com", undefined],
  ["a b", undefined],
  ["a\tb", undefined],
  ["a\nb", undefined],
  ["*.example.com", undefined],
  ["::1", undefined],
  ["[::1", undefined],
  ["[fe80::1%25eth0]", undefined],
  ["1.2.3.4.5", undefined],
  ["999.1.1.1", undefined],
  ["a".repeat(64) + ".com", undefined],
  [Array(5).fill("a".repeat(60)).join("."), undefined],
] as const;

for (const [text, host] of HOSTS) {
  Deno.test(`canonicalHost() takes ${JSON.stringify(text.slice(0, 30))} for ${host}`, () =>
    assertEquals(canonicalHost(text), host));
}

const RULES = [
  ["Example.COM", { host: "example.com", port: undefined, below: false }],
  ["example.com.:443", { host: "example.com", port: 443, below: false }],
  ["*.example.com:8080", { host: "example.com", port: 8080, below: true }],
  ["[::1]:80", { host: "::1", port: 80, below: false }],
  ["::1", { host: "::1", port: undefined, below: false }],
  ["::ffff:10.0.0.1", { host: "10.0.0.1", port: undefined, below: false }],
  [" 127.0.0.1:5432 ", { host: "127.0.0.1", port: 5432, below: false }],
] as const;

for (const [text, rule] of RULES) {
  Deno.test(`parseRule() reads ${text}`, () => {
    assertEquals(parseRule(text), rule);
    assertEquals(parseRule(ruleText(rule)), rule);
  });
}

Deno.test("parseRule() refuses what is no rule", () => {
  const wrong = ["", "*", "*.", "a.*.b", "*example.com", "https://example.com", "example.com:", "example.com:0"];
  for (const text of [...wrong, "a:65536", "a:http", "a:80:90", "*.127.0.0.1", "*.[::1]", "[::1]80", "!a.com", "a,b"]) {
    assertThrows(() => parseRule(text), UserError);
  }
});

Deno.test("readPort() reads plain digits alone", () => {
  const texts = ["1", "65535", "0", "65536", "-1", "+1", "0x50", "8e1", "80 ", "", "080", "４４３"];
  assertEquals(texts.map(readPort), [1, 65535, ...Array(8).fill(undefined), 80, undefined]);
});

const MATCHES = [
  ["example.com", "example.com", 1, true],
  ["example.com", "www.example.com", 1, false],
  ["example.com", "notexample.com", 1, false],
  ["example.com", "example.com.evil.test", 1, false],
  ["example.com:443", "example.com", 443, true],
  ["example.com:443", "example.com", 80, false],
  ["*.example.com", "a.b.example.com", 80, true],
  ["*.example.com", "example.com", 80, false],
  ["*.example.com", "notexample.com", 80, false],
  ["127.0.0.1", "127.0.0.1", 80, true],
  ["*.1", "127.0.0.1", 80, false],
] as const;

for (const [rule, host, port, allowed] of MATCHES) {
  Deno.test(`allowsHost() with ${rule} ${allowed ? "allows" : "refuses"} ${host}:${port} R471`, () => {
    if (rule === "*.1") assertThrows(() => parseRule(rule), UserError);
    else assertEquals(allowsHost([parseRule(rule)], host, port), allowed);
  });
}

const label = fc.constantFrom("a", "b", "com");
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
const port = fc.constantFrom(80, 443);
const rule: fc.Arbitrary<HostRule> = fc.record({
  host: name,
  port: fc.option(port, { nil: undefined }),
  below: fc.boolean(),
});

Deno.test("coversRule(), commonRule() and allowsHost() agree", () => {
  fc.assert(
    fc.property(rule, rule, name, port, (a, b, host, at) => {
      const [inA, inB] = [allowsHost([a], host, at), allowsHost([b], host, at)];
      const common = commonRule(a, b);
      assertEquals(common !== undefined && allowsHost([common], host, at), inA && inB);
      if (coversRule(a, b) && inB) assert(inA);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("intersectRules() is never wider than either list", () => {
  const rules = fc.array(rule, { maxLength: 4 });
  fc.assert(
    fc.property(rules, rules, name, port, (a, b, host, at) => {
      const both = intersectRules(a.map(ruleText), b.map(ruleText)).map(parseRule);
      assertEquals(allowsHost(both, host, at), allowsHost(a, host, at) && allowsHost(b, host, at));
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("canonicalHost() is its own fixed point, whatever the text", () => {
  const texts = fc.oneof(fc.string({ unit: "grapheme", maxLength: 30 }), fc.domain(), fc.ipV4Extended(), fc.ipV6());
  fc.assert(fc.property(texts, (text) => {
    const host = canonicalHost(text);
    if (host === undefined) return;
    assertEquals(canonicalHost(host.includes(":") ? `[${host}]` : host), host);
    assert(/^[a-z0-9._:-]+$/.test(host), host);
  }));
});
