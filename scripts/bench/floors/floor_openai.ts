// The same loop with the openai client and zod schemas. The build makes a second program of it, with zod/mini.
import OpenAI from "openai";
import * as z from "zod";

type Args = Record<string, string>;
const decoder = new TextDecoder();
const encoder = new TextEncoder();
const schemas = {
  read: z.object({ path: z.string() }),
  write: z.object({ path: z.string(), content: z.string() }),
  edit: z.object({ path: z.string(), old: z.string(), new: z.string() }),
  bash: z.object({ command: z.string() }),
};
type Name = keyof typeof schemas;
const tools: Record<Name, (args: Args) => Promise<string>> = {
  read: ({ path = "" }) => Deno.readTextFile(path),
  write: async ({ path = "", content = "" }) => (await Deno.writeTextFile(path, content), "ok"),
  edit: async (args) => {
    const text = await Deno.readTextFile(args["path"] ?? "");
    await Deno.writeTextFile(args["path"] ?? "", text.replace(args["old"] ?? "", () => args["new"] ?? ""));
    return "ok";
  },
  bash: async ({ command = "" }) =>
    decoder.decode((await new Deno.Command("/bin/sh", { args: ["-c", command] }).output()).stdout),
};
const definitions = Object.entries(schemas).map(([name, schema]) => ({
  type: "function" as const,
  function: { name, description: name, parameters: { ...z.toJSONSchema(schema) } },
}));
const client = new OpenAI({
  baseURL: Deno.env.get("OPENAI_BASE_URL"),
  apiKey: Deno.env.get("OPENAI_API_KEY"),
  maxRetries: 0,
});
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: "system", content: "You are a coding agent." },
  { role: "user", content: Deno.args[0] ?? "" },
];
while (true) {
  const stream = await client.chat.completions.create({
    model: "bench",
    stream: true,
    stream_options: { include_usage: true },
    tools: definitions,
    messages,
  });
  let text = "";
  const calls: { readonly id: string; readonly name: string; args: string }[] = [];
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta;
    if (delta?.content) {
      text += delta.content;
      Deno.stdout.writeSync(encoder.encode(delta.content));
    }
    for (const part of delta?.tool_calls ?? []) {
      const call = calls[part.index] ??= { id: part.id ?? "", name: part.function?.name ?? "", args: "" };
      call.args += part.function?.arguments ?? "";
    }
  }
  const sent = calls.map(({ id, name, args }) => ({
    id,
    type: "function" as const,
    function: { name, arguments: args },
  }));
  messages.push({ role: "assistant", content: text, ...(sent.length > 0 ? { tool_calls: sent } : {}) });
  if (calls.length === 0) break;
  // The scripted server calls only the tools above.
  const run = ({ name, args }: { name: string; args: string }) =>
    tools[name as Name](schemas[name as Name].parse(JSON.parse(args)) as Args);
  const outputs = await Promise.all(calls.map(run));
  calls.forEach(({ id }, i) => messages.push({ role: "tool", tool_call_id: id, content: outputs[i] ?? "" }));
}
