// A server of the older revision in a few lines, well-behaved or hostile as its argument says. Runs under Deno and Node.
import { closeSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

const [mode = "plain", ...words] = process.argv.slice(2);
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
const schema = { type: "object", properties: { text: { type: "string" } } };

const TOOLS = [
  { name: "say", description: "Says it again", inputSchema: { ...schema, required: ["text"] } },
  { name: "fail", description: "Fails", inputSchema: schema, annotations: { readOnlyHint: true, title: "Harmless" } },
  { name: "read", description: "Reads a file", inputSchema: schema },
  { name: "write", description: "Writes a file", inputSchema: schema },
  { name: "env", description: "Shows its environment", inputSchema: schema },
  { name: "connect", description: "Connects to 127.0.0.1", inputSchema: schema },
  { name: "die", description: "Dies", inputSchema: schema },
  { name: "fade", description: "Closes its output and dies later", inputSchema: schema },
  { name: "hang", description: "Never answers", inputSchema: schema },
  { name: "ask", description: "Asks for things", inputSchema: schema },
  { name: "grow", description: "Has one tool more", inputSchema: schema },
  { name: "flood", description: "Sends without end", inputSchema: schema },
  { name: "long", description: "Answers at length", inputSchema: schema },
];

const PROMPTS = [{ name: "first", description: "There from the start" }];

const waiting = new Map();
let asked = 0;
const ask = (method, params = {}) =>
  new Promise((resolve) => {
    const id = `s${++asked}`;
    waiting.set(id, resolve);
    send({ id, method, params });
  });

const ACTIONS = {
  say: ({ text: said }) => text(said),
  fail: () => ({ ...text("it went wrong"), isError: true }),
  read: ({ text: path }) => text(readFileSync(path, "utf8")),
  write: ({ text: path }) => (writeFileSync(path, "written"), text("done")),
  env: () => text(JSON.stringify(process.env)),
  async connect({ text: port }) {
    const { connect } = await import("node:net");
    return await new Promise((resolve) => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("connect", () => resolve(text("connected")));
      socket.on("error", (error) => resolve(text(`refused: ${error.code}`)));
    });
  },
  die: () => process.exit(7),
  fade: () => (closeSync(1), new Promise(() => setTimeout(() => process.exit(7), 1_500))),
  hang: () => new Promise(() => setInterval(() => {}, 1000)),
  async ask() {
    const answers = [];
    for (const method of ["sampling/createMessage", "roots/list", "elicitation/create", "ping"]) {
      const { error, result } = await ask(method, {
        messages: [],
        maxTokens: 1,
        message: "?",
        requestedSchema: schema,
      });
      answers.push(`${method}: ${error ? error.code : JSON.stringify(result)}`);
    }
    return text(answers.join(", "));
  },
  grow() {
    TOOLS.push({ name: `grown${TOOLS.length}`, description: "New", inputSchema: schema });
    send({ method: "notifications/tools/list_changed" });
    return text("grown");
  },
  teach({ text: name }) {
    PROMPTS.push({ name, description: "New" });
    send({ method: "notifications/prompts/list_changed" });
    return text("taught");
  },
  flood() {
    const line = JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "info", data: "x" },
    });
    const more = () => {
      while (process.stdout.write((line + "\n").repeat(100)));
      process.stdout.once("drain", more);
    };
    more();
    return new Promise(() => {});
  },
  answer: ({ text: result }) => JSON.parse(result),
  long: ({ text: lines }) => text("line\n".repeat(Number(lines))),
};

function listOf(params) {
  switch (mode) {
    case "many":
      return { tools: Array.from({ length: 5000 }, (_, at) => ({ ...TOOLS[0], name: `t${at}` })) };
    case "endless":
      return {
        tools: [{ ...TOOLS[0], name: `p${params?.cursor ?? 0}` }],
        nextCursor: String(Number(params?.cursor ?? 0) + 1),
      };
    case "strange":
      return { tools: JSON.parse(readFileSync(words[0], "utf8")) };
    case "answers":
      return { tools: [{ name: "answer", description: "Answers with this result", inputSchema: schema }] };
    case "prompts":
      return { tools: [...TOOLS, { name: "teach", description: "Has one prompt more", inputSchema: schema }] };
    default:
      return { tools: TOOLS };
  }
}

async function answer({ id, method, params }) {
  if (mode === "mute") return;
  if (method === "initialize") {
    if (mode === "slow") await new Promise((resolve) => setTimeout(resolve, Number(words[0])));
    const { protocolVersion } = params;
    const prompts = mode === "prompts" ? { prompts: { listChanged: true } } : {};
    const capabilities = { tools: { listChanged: true }, ...prompts };
    return send({ id, result: { protocolVersion, capabilities, serverInfo: { name: "old", version: "1" } } });
  }
  if (method === "tools/list") return send({ id, result: listOf(params) });
  if (method === "prompts/list" && mode === "prompts") return send({ id, result: { prompts: PROMPTS } });
  if (method === "tools/call") {
    try {
      return send({ id, result: await ACTIONS[params.name](params.arguments ?? {}) });
    } catch (error) {
      return send({ id, result: { ...text(error.message), isError: true } });
    }
  }
  if (method === "server/discover" && mode === "easily-hurt") process.exit(9);
  if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
}

if (mode === "chatty") process.stdout.write("Hello!\n\n{not json\n[1,2]\n");
if (mode === "record") process.on("exit", () => {});
createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  if (mode === "record") writeFileSync(words[0], line + "\n", { flag: "a" });
  const message = JSON.parse(line);
  if (message.method === undefined) waiting.get(message.id)?.(message);
  else answer(message);
});
