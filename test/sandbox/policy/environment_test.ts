import { assertEquals } from "@std/assert";
import { settingsIn } from "../../../src/sandbox/git/config_variables.ts";
import { intersectVariables, toolEnvironment } from "../../../src/sandbox/policy/environment.ts";

const PLACES = { home: "/home/u", root: "/w", tmp: "/p/tmp", cache: "/p/cache" };
const NONE = { all: false, list: [] };
const ALL = { all: true, list: [] };

const HOST: Record<string, string> = {
  PATH: "/usr/bin:.:bin::/opt/bin",
  LANG: "C.UTF-8",
  LC_ALL: "C",
  TERM: "xterm",
  JAVA_HOME: "/opt/java",
  EDITOR: "vi",
  GIT_AUTHOR_NAME: "A",
  OPENAI_API_KEY: "sk-1",
  GITHUB_TOKEN: "t",
  DB_PASSWORD: "p",
  AWS_SECRET_ACCESS_KEY: "s",
  GOOGLE_APPLICATION_CREDENTIALS: "/c",
  SSH_AUTH_SOCK: "/run/agent",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=t",
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=t",
  OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.test/t",
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://collector.test/t",
  npm_config__authToken: "n",
  SESSION_COOKIE: "c",
  SSHPASS: "p",
  PGPASSFILE: "/p",
  DB_PASS: "p",
  MYSQL_PWD: "p",
  GIT_CREDS: "c",
  JWT: "j",
  BEARER: "b",
  SLACK_WEBHOOK: "https://hooks.test/t",
  AZURE_SAS: "s",
  OLDPWD: "/w",
  BYPASS: "1",
  DATABASE_URL: "postgres://u:p@h/d",
  HTTPS_PROXY: "http://ann:hunter2@proxy.test:3128",
  LD_PRELOAD: "/evil.so",
  BASH_ENV: "/evil.sh",
  GIT_SSH_COMMAND: "evil",
  FOO: "foo",
  HOME: "/other",
  TMPDIR: "/tmp",
};

/** What comes of the host's own variables; the private ones are compared apart. */
function kept(allow: { all: boolean; list: string[] }, deny: { all: boolean; list: string[] } = NONE): string[] {
  const made = toolEnvironment({}, { allow: NONE, deny: NONE }, PLACES);
  return Object.keys(toolEnvironment(HOST, { allow, deny }, PLACES)).filter((name) => !(name in made)).sort();
}

const CASES = [
  {
    name: "passes a list by default (R466, R467)",
    allow: NONE,
    deny: NONE,
    kept: ["GIT_AUTHOR_NAME", "JAVA_HOME", "LANG", "LC_ALL", "TERM"],
  },
  {
    name: "passes what is named, secret or not",
    allow: { all: false, list: ["FOO", "HTTPS_PROXY", "OPENAI_API_KEY"] },
    deny: NONE,
    kept: ["FOO", "GIT_AUTHOR_NAME", "HTTPS_PROXY", "JAVA_HOME", "LANG", "LC_ALL", "OPENAI_API_KEY", "TERM"],
  },
  {
    name: "passes no secret for a grant of everything",
    allow: ALL,
    deny: NONE,
    kept: ["BYPASS", "FOO", "GIT_AUTHOR_NAME", "JAVA_HOME", "LANG", "LC_ALL", "OLDPWD", "TERM"],
  },
  {
    name: "lets a denial win over a name",
    allow: { all: false, list: ["FOO"] },
    deny: { all: false, list: ["FOO", "TERM"] },
    kept: ["GIT_AUTHOR_NAME", "JAVA_HOME", "LANG", "LC_ALL"],
  },
  { name: "passes nothing when all is denied", allow: ALL, deny: ALL, kept: [] },
];

for (const { name, allow, deny, kept: expected } of CASES) {
  Deno.test(`toolEnvironment() ${name}`, () => assertEquals(kept(allow, deny), expected));
}

Deno.test("toolEnvironment() points home, temporary files and caches at the private places, and PATH at absolute folders", () => {
  const env = toolEnvironment(HOST, { allow: NONE, deny: NONE }, PLACES);
  const { PATH, HOME, PWD, TMPDIR, XDG_CACHE_HOME, npm_config_cache, PIP_CACHE_DIR, GOCACHE } = env;
  assertEquals({ PATH, HOME, PWD, TMPDIR, XDG_CACHE_HOME, npm_config_cache, PIP_CACHE_DIR, GOCACHE }, {
    PATH: "/usr/bin:/opt/bin",
    HOME: "/home/u",
    PWD: "/w",
    TMPDIR: "/p/tmp",
    XDG_CACHE_HOME: "/p/cache",
    npm_config_cache: "/p/cache/npm",
    PIP_CACHE_DIR: "/p/cache/pip",
    GOCACHE: "/p/cache/go-build",
  });
});

Deno.test("toolEnvironment() points git at settings of its own, whatever the host's variable says", () => {
  const scopes = { allow: { all: false, list: ["GIT_CONFIG_GLOBAL"] }, deny: NONE };
  const host = { GIT_CONFIG_GLOBAL: "/home/u/.gitconfig" };
  const made = toolEnvironment(host, scopes, { ...PLACES, gitConfig: "/p/tmp/.gitconfig" });
  assertEquals(made["GIT_CONFIG_GLOBAL"], "/p/tmp/.gitconfig");
});

const WITH_PASSWORD = [
  ..."http://ann:hunter2@proxy.test:3128 http://ann:1234@proxy.test http://:p@h socks5h://u:p@[::1]:1080".split(" "),
  ..."mongodb://u:p@h1:27017,h2:27017/d postgresql+psycopg://u:p@/d?host=/run redis://:p@h HTTP://u:p%40@h".split(" "),
  ..."http://u:p/w@h:3128 https://ghp_0123@github.com/o/r ann:hunter2@proxy.test:3128 u:p@tcp(h:3306)/d".split(" "),
  "https://a.test/simple https://u:p@b.test/simple",
  "https://u:p@proxy.test,direct",
];
const WITHOUT = [
  ..."http://proxy.test:3128 http://localhost:4873/@scope/name https://h/u:p@v mongodb://h1:1,h2:2/a@b".split(" "),
  ..."ssh://git@h.test/r.git git@h.test:o/r.git file:///a:b/c@d postgres://me@/d http://[::1]:80/@x a@b.test".split(
    " ",
  ),
  ..."nginx:1.25@sha256:0a1b 10:20 /a:/b@c".split(" "),
  "https://a.test:8080 me@b.test",
];

Deno.test("toolEnvironment() passes an address with a password only where it is named", () => {
  const passed = (value: string, allow: { all: boolean; list: string[] }): boolean =>
    "X" in toolEnvironment({ X: value }, { allow, deny: NONE }, PLACES);
  for (const value of WITH_PASSWORD) {
    assertEquals([passed(value, ALL), passed(value, { all: true, list: ["X"] })], [false, true], value);
  }
  for (const value of WITHOUT) assertEquals(passed(value, ALL), true, value);
});

Deno.test("intersectVariables() covers a secret, by name or by value, only where both scopes name it", () => {
  const env = { X: "http://u:p@h", FOO: "foo" };
  const named = { all: false, list: ["X", "FOO", "A_KEY"] };
  assertEquals(intersectVariables(ALL, named, env).list, ["FOO"]);
  assertEquals(intersectVariables(named, named, env).list, named.list);
});

Deno.test("toolEnvironment() passes settings of git in variables together, and harmless ones alone", () => {
  const variables = (settings: readonly (readonly [string, string])[], count = `${settings.length}`) => ({
    GIT_CONFIG_COUNT: count,
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [[`GIT_CONFIG_KEY_${at}`, name], [`GIT_CONFIG_VALUE_${at}`, value]]),
    ),
  });
  const passed = (env: Record<string, string>, allow: { all: boolean; list: string[] } = NONE, deny = NONE) => {
    const made = toolEnvironment(env, { allow, deny }, PLACES);
    const names = Object.keys(made).filter((name) => name.startsWith("GIT_CONFIG_")).length;
    assertEquals(names, settingsIn(made).length === 0 ? 0 : 1 + 2 * settingsIn(made).length);
    return settingsIn(made).map((setting) => setting.join("="));
  };
  const risky: readonly (readonly [string, string])[] = [
    ["core.pager", "evil"],
    ["core.fsmonitor", "evil"],
    ["core.hooksPath", "/w/hooks"],
    ["core.editor", "evil"],
    ["alias.x", "!evil"],
    ["include.path", "/w/more"],
    ["url.https://evil.test/.insteadOf", "https://good.test/"],
    ["http.extraHeader", "Authorization: Bearer t"],
    ["http.https://good.test/.proxy", "http://u:p@proxy.test"],
    ["credential.helper", "store"],
    ["remote.origin.url", "https://evil.test/x"],
    ["branch.main.remote", "evil"],
    ["user.signingKey", "k"],
    ["diff.x.command", "evil"],
    ["filter.x.clean", "evil"],
    ["user.name", "a\n[core]\n\tpager = evil"],
    ["user.name\n[core]", "x"],
  ];
  const good: readonly (readonly [string, string])[] = [
    ["user.name", "A B"],
    ["User.Email", "a@b.test"],
    ["safe.directory", "*"],
    ["init.defaultBranch", "main"],
    ["color.ui", "never"],
    ["advice.detachedHead", "false"],
  ];
  const all = good.map((setting) => setting.join("="));
  assertEquals(passed(variables(good)), all);
  assertEquals(passed(variables([...risky, ...good, ...risky])), all);
  assertEquals(passed(variables(risky), ALL), []);
  for (const count of ["", "-1", "x", "7", "99999"]) assertEquals(passed(variables(good, count)), [], count);
  const { GIT_CONFIG_VALUE_1: _, ...partly } = variables(good) as Record<string, string>;
  assertEquals(passed(partly), []);
  assertEquals(passed(variables(risky.slice(0, 2)), { all: false, list: ["GIT_CONFIG_COUNT"] }), [
    "core.pager=evil",
    "core.fsmonitor=evil",
  ]);
  assertEquals(passed(variables(good), NONE, { all: false, list: ["GIT_CONFIG_COUNT"] } as never), []);
  assertEquals(passed(variables(good), NONE, ALL as never), []);
});
