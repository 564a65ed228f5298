import { assertEquals, assertStringIncludes } from "@std/assert";
import { readAgent } from "../../../src/context/agents/agent_file.ts";
import { discoverAgents } from "../../../src/context/agents/agents.ts";

async function withFolders(files: Record<string, string>, work: (top: string) => Promise<void>): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-agents-" }));
  try {
    for (const [name, text] of Object.entries(files)) {
      Deno.mkdirSync(`${top}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      Deno.writeTextFileSync(`${top}/${name}`, text);
    }
    await work(top);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test("readAgent() takes an agent's scopes, and what is missing narrows nothing", async () => {
  assertEquals(await readAgent("/x/docs.md", "---\ndescription: Writes docs\n---\nBe short.\n"), {
    agent: { name: "docs", description: "Writes docs", write: "argument", run: true, instructions: "Be short." },
    warnings: [],
  });
  const text = `---
name: docs
description: "Writes: docs"
tools: read, edit write
write: [docs, README.md]
read: [docs, src]
net: none
run: false
model: some/model
max-turns: 7
prompt: minimal
answer: { type: object }
---
`;
  assertEquals(await readAgent("/x/docs.md", text), {
    agent: {
      name: "docs",
      description: "Writes: docs",
      tools: ["read", "edit", "write"],
      write: ["docs", "README.md"],
      read: ["docs", "src"],
      net: [],
      run: false,
      model: "some/model",
      maxTurns: 7,
      prompt: "minimal",
      answer: { type: "object" },
      instructions: "",
    },
    warnings: [],
  });
});

Deno.test("readAgent() warns of unknown fields and of a name that is not the file's", async () => {
  const read = await readAgent("/x/a.md", "---\ndescription: x\nwirte: none\ncolour: red\nname: b\n---\n");
  assertEquals("agent" in read && [read.agent.name, read.agent.write, read.warnings], ["a", "argument", [
    "there is no field wirte; did you mean write?",
    "there is no field colour, so it has no effect",
    'its field name says "b", and its name is that of its file, a',
  ]]);
});

const WRONG: Readonly<Record<string, readonly [file: string, fields: string, why: string]>> = {
  "no description": ["a.md", "write: none", "description must be"],
  "a name that cannot be typed": ["A b.md", "description: x", "its name has small letters"],
  "a scope that is a number": ["a.md", "description: x\nwrite: 7", "write must be none or a list"],
  "a list of other things": ["a.md", "description: x\nnet: [1]", "net must be none or a list"],
  "no whole number of turns": ["a.md", "description: x\nmax-turns: 1.5", "max-turns must be"],
  "a schema that is none": ["a.md", "description: x\nanswer: '{'", "answer must be a JSON Schema"],
  "a switch that is a word": ["a.md", "description: x\nrun: maybe", "run must be true or false"],
};
for (const [name, [file, fields, why]] of Object.entries(WRONG)) {
  Deno.test(`readAgent() rejects ${name}`, async () => {
    const read = await readAgent(`/x/${file}`, `---\n${fields}\n---\n`);
    assertStringIncludes("rejected" in read ? read.rejected : "it was taken", why);
  });
}

Deno.test("discoverAgents() gives names to the trusted project, then the user, then the program", () =>
  withFolders({
    "project/agents/build.md": "---\ndescription: ours\n---\n",
    "project/agents/sends.md": "---\ndescription: elsewhere\nmodel: evil/model\n---\n",
    "user/agents/build.md": "---\ndescription: mine\n---\n",
    "user/agents/own.md": "---\ndescription: own\nmodel: a/b\n---\n",
    "user/agents/broken.md": "no block",
    "user/secret": "secret",
  }, async (top) => {
    Deno.symlinkSync("../../user/secret", `${top}/project/agents/link.md`);
    const places = { projectFolder: `${top}/project`, userFolder: `${top}/user` };
    const trusted = await discoverAgents({ ...places, trusted: true });
    assertEquals(trusted.agents.map(({ name, origin }) => [name, origin]), [
      ["build", "project"],
      ["explore", "built-in"],
      ["own", "user"],
      ["review", "built-in"],
    ]);
    assertEquals(trusted.problems.map(({ file }) => file?.slice(top.length)), [
      "/project/agents/link.md",
      "/project/agents/sends.md",
      "/user/agents/broken.md",
      "/user/agents/build.md",
    ]);
    const untrusted = await discoverAgents({ ...places, trusted: false });
    assertEquals(untrusted.agents.find(({ name }) => name === "build")?.origin, "user");
    assertEquals(untrusted.problems[0]?.code, "untrusted");
  }));
