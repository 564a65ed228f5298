// A model server that repeats a key: nothing that the program shows or stores has it.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";

const KEY = "sk-SECRETKEY-0123456789abcdef";
const OTHER = "gsk_another-provider-9876543210";

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${
    JSON.stringify({
      id: "x",
      object: "chat.completion.chunk",
      model: "m",
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  }\n\n`;

const split = (text: string): string[] => text.match(/[\s\S]{1,7}/g) ?? [];
const call = (command: string): string => {
  const pieces = split(JSON.stringify({ command }));
  const named = { index: 0, id: "c1", function: { name: "bash", arguments: "" } };
  return [
    chunk({ tool_calls: [named] }),
    ...pieces.map((args) => chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] })),
    chunk({}, "tool_calls"),
    "data: [DONE]\n\n",
  ].join("");
};
const said = (text: string, thinking = ""): string =>
  [
    ...split(thinking).map((piece) => chunk({ reasoning_content: piece })),
    ...split(text).map((piece) => chunk({ content: piece })),
    chunk({}, "stop"),
    "data: [DONE]\n\n",
  ].join("");

const ANSWERS: readonly (readonly [string, () => readonly Response[]])[] = [
  ["text and reasoning", () => [stream(said(`your key is ${KEY}, the other ${OTHER}`, `I saw ${KEY}`))]],
  ["arguments of a call", () => [stream(call(`echo ${KEY} > key.txt; cat key.txt`)), stream(said("done"))]],
  ["base64 and an address", () => [stream(said(`${btoa(KEY)} https://x/?k=${encodeURIComponent(KEY)}`))]],
  ["a cut reply that goes on", () => [
    stream(chunk({ content: `it is ${KEY.slice(0, 14)}` }) + chunk({}, "length") + "data: [DONE]\n\n"),
    stream(said(`${KEY.slice(14)}.`)),
  ]],
  [
    "an error",
    () => [new Response(JSON.stringify({ error: { message: `bad key ${KEY} ${OTHER}`, code: KEY } }), { status: 401 })],
  ],
  ["a header", () => [stream(said("fine"), { "x-debug": KEY })]],
];

function stream(body: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
}

/** Every file below some folders, as text. */
function* filesBelow(folder: string): Generator<readonly [string, string]> {
  for (const { name, isDirectory, isFile } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* filesBelow(path);
    else if (isFile) yield [path, new TextDecoder().decode(Deno.readFileSync(path))];
  }
}

for (const [name, answers] of ANSWERS) {
  for (const mode of ["text", "json"]) {
    Deno.test(`a key that a server repeats is neither shown nor stored: ${name}, ${mode} mode`, () =>
      inWorkspace({}, async ({ ws, home, outside }) => {
        const left = [...answers()];
        const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
          await request.body?.cancel();
          return left.shift() ?? stream(said("no more"));
        });
        try {
          const ran = await run(PROGRAM, [
            ...["--mode", mode, "-v", "--base-url", `http://127.0.0.1:${server.addr.port}/v1`, "-m", "m"],
            ...["--report", `${outside}/r.json`, "--report", `${outside}/r.md`, "--record", `${outside}/c.jsonl`],
            "go",
          ], { cwd: ws, env: { HOME: home, OPENAI_API_KEY: KEY, GROQ_API_KEY: OTHER } });
          const shown = [
            ["output", ran.stdout + ran.stderr] as const,
            ...filesBelow(home),
            ...filesBelow(outside),
            ...filesBelow(ws),
          ];
          for (const [where, text] of shown) {
            for (const secret of [KEY, OTHER, btoa(KEY).replace(/=+$/, "")]) {
              assert(
                !text.includes(secret),
                `${where}: ${text.slice(Math.max(0, text.indexOf(secret) - 100), text.indexOf(secret) + 50)}`,
              );
            }
          }
          if (name !== "a header") assertStringIncludes(shown.map(([, text]) => text).join(), "[key]");
          if (name !== "an error") assertEquals(ran.code, 0, ran.stderr);
        } finally {
          await server.shutdown();
        }
      }));
  }
}
