import { assert, assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import type { Policy } from "../../../src/core/policy.ts";
import type { ProgramRequest, RunProgram } from "../../../src/core/runner.ts";
import type { ShellOutcome } from "../../../src/core/tool.ts";
import { openFiles } from "../../../src/runner/files/files.ts";
import { inProcessShell } from "../../../src/runner/shell/shell.ts";
import { policyFor, scope, type World, world } from "../world.ts";

const NO_PROGRAM: RunProgram = () => Promise.reject(new ToolError("no program may run"));

function shellIn(place: World, given: Partial<Policy> = {}, runProgram = NO_PROGRAM) {
  const policy = policyFor(place.root, { sandbox: "permissions", env: { HOME: "/home/nobody", ONE: "1" }, ...given });
  const shell = inProcessShell({ policy, files: openFiles(policy), runProgram });
  return (script: string, timeoutMs = 20_000, signal = new AbortController().signal): Promise<ShellOutcome> =>
    shell(script, { timeoutMs, signal, onOutput: () => {} });
}

const WORKS: readonly (readonly [string, string])[] = [
  ["echo a; echo b >&2", "a\nb\n"],
  ["printf 'c\\na\\nb\\n' | sort | head -n 2 | tr a-z A-Z", "A\nB\n"],
  ["echo x > f; echo y >> f; cat < f; wc -l f | awk '{print $1}'", "x\ny\n2\n"],
  [
    "mkdir -p d/e && touch d/e/one.ts d/two.ts && echo d/*.ts && find . -name '*.ts' | sort",
    "d/two.ts\n./d/e/one.ts\n./d/two.ts\n",
  ],
  ["cat <<'EOF' | grep -n -i B\na\nb $HOME\nEOF", "2:b $HOME\n"],
  ["  cat <<EOF\n  kept $ONE\nEOF", "  kept 1\n"],
  ["sed -i s/inside/changed/ a.txt; grep -c changed a.txt", "1\n"],
  ['x=$(echo one; echo two); echo "[${x}]"; for i in 1 2; do echo $i; done', "[one\ntwo]\n1\n2\n"],
  ["f() { local a=$1; echo in $a; }; f it; [[ abc =~ b ]] && echo yes", "in it\nyes\n"],
  ['jq -r .a <<< \'{"a":"é"}\'', "é\n"],
  ["cp a.txt b.txt && mv b.txt c.txt && echo *.txt && rm c.txt && ls", "a.txt c.txt\na.txt\n"],
  ["mkdir q && cp a.txt q && cp -r q r && cat r/a.txt && rm -r q r && ls", "inside\na.txt\n"],
  [
    "chmod 600 a.txt; stat -c %a a.txt; touch -d 2020-01-01 a.txt; touch b; [ a.txt -ot b ] && echo older",
    "600\nolder\n",
  ],
  ["printf '#!/bin/sh\\necho ran $1\\n' > s.sh; chmod +x s.sh; ./s.sh now", "ran now\n"],
  ["mkdir s; cd s; echo x > f; cd ..; cat s/f; cd none 2> /dev/null || echo none; echo gone > /dev/null", "x\nnone\n"],
  ["(exit 3) || echo three; false; echo $?", "three\n1\n"],
  ["tar cf t.tar a.txt && tar tf t.tar && gzip -c a.txt | gunzip", "a.txt\ninside\n"],
];
for (const [script, output] of WORKS) {
  Deno.test(`inProcessShell() runs ${JSON.stringify(script)} R456 R469`, async () => {
    using place = world();
    const ended = await shellIn(place)(script);
    assertEquals(ended.notes, []);
    assertEquals(ended.output, output);
  });
}

Deno.test("inProcessShell() writes what it says, to the real files of the workspace R469", async () => {
  using place = world();
  const ended = await shellIn(place)("mkdir n; echo new > n/f; rm a.txt; exit 4");
  assertEquals([ended.exitCode, ended.ending, ended.totalLines], [4, "exited", 0]);
  assertEquals(Deno.readTextFileSync(`${place.root}/n/f`), "new\n");
  assertEquals([...Deno.readDirSync(place.root)].map(({ name }) => name), ["n"]);
});

Deno.test("inProcessShell() takes /dev/full for what it is, and says that nothing was denied", async () => {
  using place = world();
  const sh = shellIn(place);
  assertMatch((await sh("echo x > /dev/full; echo after $?")).output, /^after 1\n.*No space left on device\n$/);
  for (const script of ["echo x | tee /dev/full", "sort -o /dev/full a.txt"]) {
    const { exitCode, notes, ...rest } = await sh(script);
    assertEquals([exitCode, notes.length, "isDenied" in rest], [1, 1, false], script);
    assertMatch(notes[0] ?? "", /^\/dev\/full refuses every write for want of space\. .*nothing was denied\.$/);
  }
  assertEquals((await sh("cat /dev/full; rm -f /dev/full")).notes, []);
});

/** Each tries to get at `outside`, or at what is protected; none may, and the script goes on. */
const ATTACKS: readonly { readonly script: string; readonly note: RegExp | undefined }[] = [
  { script: "cat $OUT/secret.txt", note: /^Denied: read .*secret\.txt: outside the read scope.*--allow-read=/ },
  { script: "cat ../outside/secret.txt", note: /outside the read scope/ },
  { script: "cat link/secret.txt; cat < link/secret.txt", note: /leads to .*outside the read scope/ },
  { script: "cat file-link; grep -r secret .", note: /outside the read scope/ },
  { script: "ls $OUT; ls link/; echo link/*", note: /outside the read scope/ },
  { script: "find link/ -type f -exec cat {} \\;", note: /outside the read scope/ },
  { script: "source $OUT/secret.txt; . link/secret.txt", note: /outside the read scope/ },
  {
    script: "bash $OUT/secret.txt; bash -c 'cat link/secret.txt'; eval 'cat link/secret.txt'",
    note: /outside the read scope/,
  },
  { script: "x=$(<$OUT/secret.txt); echo $x; mapfile y < $OUT/secret.txt; echo $y", note: /outside the read scope/ },
  {
    script: "cp -r link stolen; cat stolen/secret.txt; cp file-link stolen2; cat stolen2",
    note: /outside the read scope/,
  },
  { script: "tar cf s.tar link/secret.txt; tar xOf s.tar; tar c $OUT | strings", note: /outside the read scope/ },
  { script: "ln -s $OUT mine; cat mine/secret.txt; ln $OUT/secret.txt hard; cat hard", note: /makes no links/ },
  {
    script: "sort -o $OUT/new a.txt; echo x > $OUT/new; echo x >> link/new; cp a.txt $OUT/new",
    note: /outside the write scope/,
  },
  {
    script: "tee $OUT/new < a.txt > tee; mv a.txt $OUT/new; mkdir $OUT/new; touch link/new",
    note: /outside the write scope/,
  },
  {
    script: "rm -rf $OUT/secret.txt link/secret.txt; rm file-link/; > $OUT/secret.txt",
    note: /outside the write scope/,
  },
  {
    script: "mv $OUT/secret.txt mine; chmod 777 $OUT/secret.txt; chmod 777 file-link",
    note: /outside the write scope/,
  },
  {
    script: "split -b 1 a.txt $OUT/new; sed -i s/s/t/ file-link; gzip file-link",
    note: /outside the (read|write) scope/,
  },
  { script: "exec 3> $OUT/new; echo x >&3; exec 4< $OUT/secret.txt; cat <&4", note: /outside the/ },
  { script: "cat hard-link", note: /2 hard links/ },
  { script: "echo x >> hard-link; chmod 777 hard-link", note: /2 hard links/ },
  { script: "cat fifo; echo x > fifo", note: /FIFO/ },
  { script: "cat /proc/self/environ /dev/mem /sys/kernel/version; ls /proc", note: /no grant opens \/proc/ },
  { script: "echo x >> .git/config; echo x > .git/hooks/pre-commit; sed -i s/a/b/ .git/config", note: /protected/ },
  { script: "rm -rf .git; mv .git old; mkdir empty; mv -T empty .git", note: /it is protected/ },
  { script: "rm -rf .GIT/config; echo x > .Git/Config", note: undefined },
  { script: "mkdir -p logs/refs; mv logs .git/logs; mv logs/refs .git", note: /there git itself makes folders/ },
  {
    script: "cat private/key; mv private public; cat public/key; cp -r private public; cat public/key",
    note: /may hold secrets/,
  },
];
for (const { script, note } of ATTACKS) {
  Deno.test(`inProcessShell() denies ${script} R460 R461 R463 R478 R480`, async () => {
    using place = world();
    const { root, outside } = place;
    Deno.symlinkSync(outside, `${root}/link`);
    Deno.symlinkSync(`${outside}/secret.txt`, `${root}/file-link`);
    Deno.writeTextFileSync(`${outside}/other`, "secret by name\n");
    Deno.linkSync(`${outside}/other`, `${root}/hard-link`);
    new Deno.Command("mkfifo", { args: [`${root}/fifo`] }).outputSync();
    Deno.mkdirSync(`${root}/.git/hooks`, { recursive: true });
    Deno.writeTextFileSync(`${root}/.git/config`, "a = 1\n");
    Deno.mkdirSync(`${root}/private`);
    Deno.writeTextFileSync(`${root}/private/key`, "secret key\n");
    const run = shellIn(place, {
      env: { OUT: outside },
      protected: [`${root}/.git/config`, `${root}/.git/hooks`],
      denyRead: [`${root}/private/key`],
    });
    const before = snapshot(outside);
    const ended = await run(`${script}\necho alive`);
    assert(!/secret(?!\.txt)/.test(ended.output.replaceAll(/secret by name: |'[^']*'/g, "")), ended.output);
    assertStringIncludes(ended.output, "alive");
    if (note) assertMatch(ended.notes.join("\n"), note);
    assertEquals(snapshot(outside), before);
    assertEquals(Deno.readTextFileSync(`${root}/.git/config`), "a = 1\n");
    assertEquals([...Deno.readDirSync(`${root}/.git/hooks`)], []);
    assertEquals(Deno.readTextFileSync(`${root}/private/key`), "secret key\n");
  });
}

function snapshot(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => {
    const { mode, mtime } = Deno.statSync(`${folder}/${name}`);
    return `${name} ${mode} ${mtime?.getTime()} ${Deno.readTextFileSync(`${folder}/${name}`)}`;
  }).sort();
}

Deno.test("inProcessShell() without a write scope changes nothing and says which grant would R455 R456 R472", async () => {
  using place = world();
  const run = shellIn(place, { write: scope() });
  const ended = await run(
    "echo x > f && echo NO; echo y >> a.txt; rm a.txt; mkdir d; touch g; mv a.txt b; chmod 777 a.txt; cat a.txt",
  );
  assertEquals(ended.output.split("\n", 1), ["inside"]);
  assertMatch(ended.notes[0] ?? "", /^Denied: write .*\/f: outside the write scope.*--allow-write=/);
  assertEquals([...Deno.readDirSync(place.root)].map(({ name }) => name), ["a.txt"]);
  assertEquals(Deno.readTextFileSync(`${place.root}/a.txt`), "inside\n");
});

Deno.test("inProcessShell() gives a script no variables but the policy's R466", async () => {
  using place = world();
  const { output } = await shellIn(place)("env; set; printenv; awk 'BEGIN { for (n in ENVIRON) print n }'");
  assertStringIncludes(output, "ONE=1");
  for (const [name, value] of Object.entries(Deno.env.toObject())) {
    if (value.length > 12 && !place.root.includes(value)) assert(!output.includes(value), name);
  }
});

const ENDLESS = [
  "while true; do :; done",
  "f() { f; }; f",
  "awk 'BEGIN { while (1) {} }'",
  "echo x > l; while read a; do echo $a >> l; done < l; while [ -f l ]; do cat l > /dev/null; done",
  "x=x; while true; do x=$x$x; done",
  "while true; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done",
  "echo {1..10000000}; printf '%1000000000s' x",
  "bash -c 'bash -c \"while true; do sleep 0; done\"'",
  ":(){ :|:& };:",
  "seq 1 100000000 | sort | wc -l",
];
for (const script of ENDLESS) {
  Deno.test(`inProcessShell() ends ${script}`, async () => {
    using place = world();
    const began = performance.now();
    const ended = await shellIn(place)(script, 3_000);
    assertLess(performance.now() - began, 60_000);
    assertLess(ended.output.length, 70_000);
  });
}

Deno.test("inProcessShell() ends a script at its timeout and when it is aborted", async () => {
  using place = world();
  const run = shellIn(place);
  const began = performance.now();
  assertEquals((await run("sleep 30", 100)).ending, "timeout");
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 100);
  assertEquals((await run("while true; do sleep 0.01; done", 20_000, ending.signal)).ending, "aborted");
  assertEquals((await run("echo never", 1000, ending.signal)).ending, "aborted");
  assertLess(performance.now() - began, 15_000);
});

Deno.test("inProcessShell() shows the newest of a long output and keeps the whole where it may write", async () => {
  using place = world();
  const whole = await shellIn(place, { write: scope(place.root, `${place.root}/../tmp`) })("seq 1 5000");
  assertEquals([whole.totalLines, whole.truncatedBy, whole.output.split("\n")[0]], [5000, "lines", "3001"]);
  const tmp = policyFor(place.root).tmp;
  const kept = await shellIn(place, { read: scope(place.root, tmp), write: scope(place.root, tmp) })("seq 1 5000");
  assertEquals(Deno.readTextFileSync(kept.fullOutputPath ?? "").split("\n").length, 5001);
  Deno.writeTextFileSync(`${place.root}/line`, "é".repeat(50_000));
  const line = await shellIn(place)("cat line");
  assertEquals([line.truncatedBy, line.totalBytes, line.output.length], ["bytes", 100_000, 32_768]);
});

Deno.test("inProcessShell() strips what could steer a terminal", async () => {
  using place = world();
  assertEquals((await shellIn(place)("printf '\\033[31mred\\033[0m\\007\\n'")).output, "red\n");
});

Deno.test("inProcessShell() says of an unknown command what was denied and what there is R457 R480", async () => {
  using place = world();
  const ended = await shellIn(place, { sandbox: "kernel", run: scope("git") })("python3 -c 1; curl x; node; exit 0");
  assertMatch(ended.output, /^bash: python3: command not found\nbash: curl: command not found\n/);
  assertMatch(
    ended.notes[0] ?? "",
    /^NotCapable: run access to "python3" is not granted. Only the user can allow it, with --allow-run=\+python3\. .*no program but git; its own commands: .*\bgrep\b/,
  );
  // What there is instead is said once.
  const only = "Only the user can allow it, with --allow-run=+";
  assertEquals(
    ended.notes.slice(1),
    ["curl", "node"].map((name) => `NotCapable: run access to "${name}" is not granted. ${only}${name}.`),
  );
});

Deno.test("inProcessShell() asks the host for a listed program with its words, folder and input R457", async () => {
  using place = world();
  const asked: ProgramRequest[] = [];
  const bytes = (text: string) => new TextEncoder().encode(text);
  const run = shellIn(place, { run: scope("git", "/opt/tool") }, (request) => {
    asked.push(request);
    return Promise.resolve({ exitCode: 3, stdout: bytes("out é – €\n"), stderr: bytes("err\n"), notes: ["a fact"] });
  });
  const ended = await run(
    "mkdir d; cd d; echo in | git 'a b' \"$HOME\" *; echo $?; tool | tr o O; git 2>/dev/null > f; cat f",
  );
  assertEquals(ended.output, "out é – €\n3\nOut é – €\nout é – €\nerr\nerr\n");
  assertEquals(ended.notes, ["a fact"]);
  assertEquals(asked, [
    { argv: ["git", "a b", "/home/nobody", "*"], cwd: `${place.root}/d`, stdin: bytes("in\n") },
    { argv: ["/opt/tool"], cwd: `${place.root}/d`, stdin: bytes("") },
    { argv: ["git"], cwd: `${place.root}/d`, stdin: bytes("") },
  ]);
});

Deno.test("inProcessShell() never asks for a program by a path of the workspace R457", async () => {
  using place = world();
  const asked: ProgramRequest[] = [];
  const run = shellIn(place, { run: scope("git") }, (request) => {
    asked.push(request);
    return Promise.reject(new ToolError("refused"));
  });
  Deno.mkdirSync(`${place.root}/bin`);
  for (
    const [name, text] of [["git", "#!/bin/sh\necho interpreted\n"], ["py", "#!/usr/bin/env python3\nimport os\n"]]
  ) {
    Deno.writeTextFileSync(`${place.root}/bin/${name}`, text ?? "", { mode: 0o755 });
  }
  Deno.copyFileSync("/bin/true", `${place.root}/bin/elf`);
  const ended = await run("bin/git; PATH=$PWD/bin:$PATH; git; bin/py; bin/elf; /tmp/git; $OLDPWD/git; exit 0");
  assertEquals(asked, []);
  assertEquals(ended.output.split("\n").slice(0, 2), ["interpreted", "interpreted"]);
  assertMatch(ended.output, /bin\/py: Permission denied\n.*bin\/elf: Permission denied\n/);
});

Deno.test("inProcessShell() tells of a program that the host refuses, and goes on R457", async () => {
  using place = world();
  const run = shellIn(place, { run: scope("git") }, () => Promise.reject(new ToolError("cannot be run: a reason")));
  assertEquals((await run("git; echo $?")).output, "126\ngit: cannot be run: a reason\n");
});
