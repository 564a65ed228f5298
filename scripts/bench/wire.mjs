// The two wire formats that the scripted server speaks: chat completions and responses, streamed as server-sent events.

const pieces = (text, size) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
const isSystem = (message) => message.role === "system" || message.role === "developer";
const lengthOf = (messages) => messages.reduce((sum, message) => sum + textOf(message.content).length, 0);

/** What the server needs to know about a request: counts, offered tools, and a generator for the reply's events. */
export const FORMATS = {
  chat: {
    path: /\/chat\/completions$/,
    read: (body) => ({
      answers: body.messages.filter((message) => message.role === "assistant").length,
      systemChars: lengthOf(body.messages.filter(isSystem)),
      tools: (body.tools ?? []).map((tool) => tool.function?.name ?? tool.name),
    }),
    *write(body, reply, id) {
      const base = { id, object: "chat.completion.chunk", created: Math.floor(Date.now() / 1000), model: body.model };
      const event = (value) => `data: ${JSON.stringify({ ...base, ...value })}\n\n`;
      const delta = (delta, finish_reason = null) => event({ choices: [{ index: 0, delta, finish_reason }] });
      yield delta({ role: "assistant", content: "" });
      for (const content of pieces(reply.text, reply.chunk)) yield delta({ content });
      for (const [index, { id, name, args }] of reply.calls.entries()) {
        yield delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
        for (const part of pieces(JSON.stringify(args), reply.chunk)) {
          yield delta({ tool_calls: [{ index, function: { arguments: part } }] });
        }
      }
      yield delta({}, reply.calls.length ? "tool_calls" : "stop");
      const { input, output } = reply.usage;
      const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
      if (body.stream_options?.include_usage) yield event({ choices: [], usage });
      yield "data: [DONE]\n\n";
    },
  },
  responses: {
    path: /\/responses$/,
    read(body) {
      const items = body.input ?? [];
      const isCall = (item) => /_call$/.test(item?.type ?? "");
      return {
        answers: items.filter((item, i) => isCall(item) && !isCall(items[i - 1])).length,
        systemChars: (body.instructions ?? "").length + lengthOf(items.filter(isSystem)),
        tools: (body.tools ?? []).map((tool) => tool.name ?? tool.type),
      };
    },
    *write(body, reply, id) {
      let sequence = 0;
      const event = (type, data) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
      const response = { id, object: "response", created_at: Math.floor(Date.now() / 1000), model: body.model };
      yield event("response.created", { response: { ...response, status: "in_progress", output: [] } });
      const output = [];
      if (reply.text) {
        const item = { id: `msg_${id}`, type: "message", role: "assistant", status: "in_progress", content: [] };
        const at = { item_id: item.id, output_index: 0, content_index: 0 };
        const part = (text) => ({ type: "output_text", text, annotations: [] });
        yield event("response.output_item.added", { output_index: 0, item });
        yield event("response.content_part.added", { ...at, part: part("") });
        for (const delta of pieces(reply.text, reply.chunk)) {
          yield event("response.output_text.delta", { ...at, delta });
        }
        yield event("response.output_text.done", { ...at, text: reply.text });
        output.push({ ...item, status: "completed", content: [part(reply.text)] });
        yield event("response.output_item.done", { output_index: 0, item: output[0] });
      }
      for (const { id, name, args } of reply.calls) {
        const text = JSON.stringify(args);
        const item = { id: `fc_${id}`, type: "function_call", call_id: id, name, arguments: "", status: "in_progress" };
        const at = { output_index: output.length };
        yield event("response.output_item.added", { ...at, item });
        for (const delta of pieces(text, reply.chunk)) {
          yield event("response.function_call_arguments.delta", { ...at, item_id: item.id, delta });
        }
        output.push({ ...item, status: "completed", arguments: text });
        yield event("response.output_item.done", { ...at, item: output.at(-1) });
      }
      const usage = {
        input_tokens: reply.usage.input,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: reply.usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: reply.usage.input + reply.usage.output,
      };
      yield event("response.completed", { response: { ...response, status: "completed", output, usage } });
    },
  },
};
