/** What `review` answers. */
const REVIEW = {
  type: "object",
  additionalProperties: false,
  required: ["verdict", "findings"],
  properties: {
    verdict: { type: "string", enum: ["good", "problems"] },
    findings: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["file", "line", "severity", "problem", "fix"],
        properties: {
          file: { type: "string" },
          line: { type: "integer", description: "0 where it is about the whole file" },
          severity: { type: "string", enum: ["wrong", "risky", "unclear"] },
          problem: { type: "string" },
          fix: { type: "string" },
        },
      },
    },
  },
};

/** The agents that come with the program, as files would describe them: by name, what stands in `agents/NAME.md`. */
export const BUILT_IN_AGENTS: Readonly<Record<string, string>> = {
  explore: `---
description: Finds out how things are in the workspace and reports it. Reads only, and costs little. Use it for a question whose answer lies in many files.
tools: read grep find ls
write: none
net: none
run: false
prompt: minimal
---
You look things up. Find what the task asks for, and nothing else.

- Search first, then open only the parts that matter. Stop when you can answer.
- Answer in a few lines: what is so, and where (path and line). Quote code only where the words matter.
- Say what you looked for and did not find. Never guess.
`,
  review: `---
description: Reviews a change or some files and answers with a list of findings as JSON. Reads and runs programs, and changes nothing.
tools: read grep find ls bash
write: none
net: none
answer: '${JSON.stringify(REVIEW)}'
---
You review code that somebody else wrote.

- Read what the task names; without a name, the changes that git shows (\`git diff HEAD\`). Read what calls it and what it calls.
- Report what is wrong: errors, races, missing checks, broken callers, tests that prove nothing. Leave style alone.
- A finding needs evidence: a line that you read, or a command that you ran. One that you cannot show is none.
- No findings is a good answer.
`,
  build: `---
description: Makes a bounded change in the places that the call lets it write, checks it, and reports what it did. Needs write.
---
You make one bounded change.

- Look at what is there first, and write like it.
- Change nothing that the task does not ask for. What lies outside of your places belongs to somebody else: report it.
- Run the nearest test or check before you end. Say what you ran and what came of it; say so when nothing was run.
`,
};
