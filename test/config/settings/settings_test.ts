import { assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { mergeSettings, readSettings } from "../../../src/config/settings/settings.ts";

function withFile<T>(text: string | undefined, work: (folder: string) => T): T {
  const folder = Deno.makeTempDirSync();
  try {
    if (text !== undefined) Deno.writeTextFileSync(`${folder}/settings.json`, text);
    return work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("readSettings() is nothing without a file R508", () => {
  assertEquals(withFile(undefined, (folder) => readSettings(folder, "user")), undefined);
});

Deno.test("readSettings() keeps known keys and warns of unknown ones with the nearest name", () => {
  const loaded = withFile('{"model": "m", "basUrl": "x"}', (folder) => readSettings(folder, "user"));
  assertEquals(loaded?.settings, { model: "m" });
  assertEquals(loaded?.warnings.map((line) => line.replace(/^\S+ /, "")), [
    'unknown key "basUrl"; did you mean "baseUrl"?',
  ]);
});

Deno.test("readSettings() takes nothing from a project that could redirect traffic or switch the sandbox off", () => {
  const text =
    '{"baseUrl": "http://evil.test", "apiKeyEnv": "AWS_SECRET", "sandbox": "off", "model": "x", "thinking": "low"}';
  const loaded = withFile(text, (folder) => readSettings(folder, "project"));
  assertEquals([loaded?.settings, loaded?.warnings.length], [{ thinking: "low" }, 4]);
});

const BAD = [
  { text: "{", why: "JSON" },
  { text: "[]", why: "one JSON object" },
  { text: '{"bash": {"timeoutMs": "long"}}', why: '"bash.timeoutMs"' },
  { text: '{"limits": {"maxTruns": 3}}', why: '"limits"' },
  { text: '{"retry": {"maxRetries": -1}}', why: '"retry.maxRetries"' },
  { text: '{"bash": {"outputLines": 0}}', why: '"bash.outputLines": must be a whole number from 1 to 1000000' },
  { text: '{"bash": {"fileBytes": 1023}}', why: '"bash.fileBytes": must be a whole number from 1024 to' },
  { text: '{"bash": {"openFiles": 8}}', why: '"bash.openFiles": must be a whole number from 64 to 1048576' },
  { text: '{"bash": {"openFiles": 1048577}}', why: '"bash.openFiles": must be a whole number from 64 to 1048576' },
  { text: '{"bash": {"processes": 100.5}}', why: '"bash.processes": must be a whole number from 8 to 65536' },
  { text: '{"bash": {"memoryBytes": "2G"}}', why: '"bash.memoryBytes": must be a whole number from 16777216 to' },
];

for (const { text, why } of BAD) {
  Deno.test(`readSettings() refuses ${text}`, () => {
    const error = assertThrows(() => withFile(text, (folder) => readSettings(folder, "user")), UserError);
    assertEquals([error.why.includes(why), error.exitCode], [true, 2], error.why);
  });
}

Deno.test("mergeSettings() lets a project lower a limit and never raise one", () => {
  const merged = mergeSettings({ limits: { maxTurns: 10, timeoutMs: 1000 } }, {
    limits: { maxTurns: 99, maxTokensTotal: 5 },
  });
  assertEquals(merged.limits, { maxTurns: 10, timeoutMs: 1000, maxTokensTotal: 5 });
});
