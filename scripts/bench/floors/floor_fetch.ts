// The smallest agent loop on Deno: fetch, server-sent events, four tools, one call after the other. A physical limit, not a product.
type Args = Record<string, string>;
interface Call {
  readonly id: string;
  readonly name: string;
  args: string;
}
const decoder = new TextDecoder();
const encoder = new TextEncoder();
const tools: Record<string, (args: Args) => Promise<string>> = {
  read: ({ path = "" }) => Deno.readTextFile(path),
  write: async ({ path = "", content = "" }) => (await Deno.writeTextFile(path, content), "ok"),
  edit: async (args) => {
    const text = await Deno.readTextFile(args["path"] ?? "");
    await Deno.writeTextFile(args["path"] ?? "", text.replace(args["old"] ?? "", () => args["new"] ?? ""));
    return "ok";
  },
  bash: async ({ command = "" }) =>
    decoder.decode((await new Deno.Command("/bin/bash", { args: ["-c", command] }).output()).stdout),
};
const names = { read: ["path"], write: ["path", "content"], edit: ["path", "old", "new"], bash: ["command"] };
const definitions = Object.entries(names).map(([name, required]) => ({
  type: "function",
  function: {
    name,
    description: name,
    parameters: {
      type: "object",
      properties: Object.fromEntries(required.map((key) => [key, { type: "string" }])),
      required,
    },
  },
}));
const messages: unknown[] = [
  { role: "system", content: "You are a coding agent." },
  { role: "user", content: Deno.args[0] },
];
while (true) {
  const response = await fetch(`${Deno.env.get("OPENAI_BASE_URL")}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${Deno.env.get("OPENAI_API_KEY")}` },
    body: JSON.stringify({
      model: "bench",
      stream: true,
      stream_options: { include_usage: true },
      tools: definitions,
      messages,
    }),
  });
  let rest = "";
  let text = "";
  const calls: Call[] = [];
  for await (const bytes of response.body ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const data = rest.slice("data: ".length, end);
      rest = rest.slice(end + 2);
      if (data === "[DONE]") continue;
      const delta = JSON.parse(data).choices[0]?.delta;
      if (delta?.content) {
        text += delta.content;
        Deno.stdout.writeSync(encoder.encode(delta.content));
      }
      for (const part of delta?.tool_calls ?? []) {
        (calls[part.index] ??= { id: part.id, name: part.function.name, args: "" }).args += part.function.arguments ??
          "";
      }
    }
  }
  const sent = calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: args } }));
  messages.push({ role: "assistant", content: text, ...(sent.length > 0 ? { tool_calls: sent } : {}) });
  if (calls.length === 0) break;
  for (const { id, name, args } of calls) {
    messages.push({ role: "tool", tool_call_id: id, content: await tools[name]?.(JSON.parse(args)) });
  }
}
