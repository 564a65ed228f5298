// Made from the tools of table.ts by `deno task docs`; do not edit.
import type { ToolDefinition } from "../src/core/provider.ts";
import type { Tool } from "../src/core/tool.ts";

/** A built-in tool without its code. */
export interface Described extends Omit<Tool, "description" | "args" | "deadlineMs" | "prepare" | "run"> {
  /** As the provider's tool field carries it. */
  readonly definition: ToolDefinition;
  /** The whole tool; loads its code. */
  readonly load: () => Promise<Tool>;
}

/** The built-in tools in the order of their table. */
export const DESCRIBED: readonly Described[] = [{
  "name": "read",
  "promptSnippet": "Read file contents",
  "needs": [
    "read",
  ],
  "readOnly": true,
  "place": "runner",
  "definition": {
    "name": "read",
    "description":
      "Read a text file or an image (png, jpeg, gif, webp). Cut at 2000 lines or 50KB: continue with offset.",
    "parameters": {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "offset": {
          "type": "integer",
          "description": "First line, from 1",
        },
        "limit": {
          "type": "integer",
          "description": "Number of lines",
        },
      },
      "required": [
        "path",
      ],
    },
  },
  load: async () => (await import("./read.ts")).read as Tool,
}, {
  "name": "bash",
  "promptSnippet": "Execute bash commands",
  "needs": [
    "run",
  ],
  "readOnly": false,
  "place": "shell",
  "definition": {
    "name": "bash",
    "description":
      "Run bash in the workspace folder. Returns stdout and stderr; of long output the last 2000 lines or 64KB and a file with all. stdin is empty. Processes end with the call, unless background.",
    "parameters": {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
        },
        "timeout": {
          "type": "number",
          "description": "Seconds; 120 if absent, at most 600",
        },
        "background": {
          "type": "boolean",
        },
        "stop": {
          "type": "string",
        },
      },
      "required": [
        "command",
      ],
    },
  },
  load: async () => (await import("./bash.ts")).bash as Tool,
}, {
  "name": "edit",
  "promptSnippet": "Edit files by replacing exact text",
  "needs": [
    "read",
    "write",
  ],
  "readOnly": false,
  "place": "runner",
  "definition": {
    "name": "edit",
    "description":
      "Replace exact texts in a file. Each oldText must occur once in the original file and not overlap another; merge nearby changes.",
    "parameters": {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "edits": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "oldText": {
                "type": "string",
                "description": "Exact text, occurring once",
              },
              "newText": {
                "type": "string",
              },
            },
            "required": [
              "oldText",
              "newText",
            ],
          },
        },
      },
      "required": [
        "path",
        "edits",
      ],
    },
  },
  load: async () => (await import("./edit.ts")).edit as Tool,
}, {
  "name": "write",
  "promptSnippet": "Create or overwrite files",
  "needs": [
    "write",
  ],
  "readOnly": false,
  "place": "runner",
  "definition": {
    "name": "write",
    "description": "Create a file, or replace all of its content. Makes missing parent folders.",
    "parameters": {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "content": {
          "type": "string",
        },
      },
      "required": [
        "path",
        "content",
      ],
    },
  },
  load: async () => (await import("./write.ts")).write as Tool,
}, {
  "name": "grep",
  "promptSnippet": "Search file contents for patterns (respects .gitignore)",
  "needs": [
    "read",
  ],
  "readOnly": true,
  "place": "runner",
  "definition": {
    "name": "grep",
    "description":
      "Search file contents for a pattern. Gives paths, line numbers and lines; leaves out what .gitignore excludes and binary files. At most 100 matches or 50KB; lines are cut at 500 characters.",
    "parameters": {
      "type": "object",
      "properties": {
        "pattern": {
          "type": "string",
          "description": "Regular expression (JavaScript syntax), or plain text with literal",
        },
        "path": {
          "type": "string",
          "description": "File or folder to search (default: workspace)",
        },
        "glob": {
          "type": "string",
          "description": "Only files that match, e.g. *.ts or src/**/*.ts; ! in front excludes",
        },
        "ignoreCase": {
          "type": "boolean",
          "description": "Ignore case (default: false)",
        },
        "literal": {
          "type": "boolean",
          "description": "Take pattern as plain text (default: false)",
        },
        "context": {
          "type": "number",
          "description": "Lines shown around each match (default: 0)",
        },
        "limit": {
          "type": "number",
          "description": "Most matches to show (default: 100)",
        },
      },
      "required": [
        "pattern",
      ],
    },
  },
  load: async () => (await import("./grep.ts")).grep as Tool,
}, {
  "name": "find",
  "promptSnippet": "Find files by glob pattern (respects .gitignore)",
  "needs": [
    "read",
  ],
  "readOnly": true,
  "place": "runner",
  "definition": {
    "name": "find",
    "description":
      "Find files and folders by glob pattern. Gives paths relative to the searched folder, folders with a slash; leaves out what .gitignore excludes. At most 1000 results or 50KB.",
    "parameters": {
      "type": "object",
      "properties": {
        "pattern": {
          "type": "string",
          "description": "Glob, e.g. *.ts, **/*.json or src/**/*_test.ts; case counts if it has capitals",
        },
        "path": {
          "type": "string",
          "description": "Folder to search (default: workspace)",
        },
        "limit": {
          "type": "number",
          "description": "Most results (default: 1000)",
        },
      },
      "required": [
        "pattern",
      ],
    },
  },
  load: async () => (await import("./find.ts")).find as Tool,
}, {
  "name": "ls",
  "promptSnippet": "List directory contents",
  "needs": [
    "read",
  ],
  "readOnly": true,
  "place": "runner",
  "definition": {
    "name": "ls",
    "description":
      "List a folder in alphabetical order, folders with a slash, names with a leading dot included. At most 500 entries or 50KB.",
    "parameters": {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "description": "Folder to list (default: workspace)",
        },
        "limit": {
          "type": "number",
          "description": "Most entries (default: 500)",
        },
      },
    },
  },
  load: async () => (await import("./ls.ts")).ls as Tool,
}, {
  "name": "read_skill",
  "promptSnippet": "Read the instructions of a skill",
  "needs": [
    "read",
  ],
  "readOnly": true,
  "place": "runner",
  "definition": {
    "name": "read_skill",
    "description": "Read the instructions of a skill by its slug",
    "parameters": {
      "type": "object",
      "properties": {
        "slug": {
          "type": "string",
          "description": "As the prompt lists it",
        },
      },
      "required": [
        "slug",
      ],
    },
  },
  load: async () => (await import("./read_skill.ts")).readSkill as Tool,
}, {
  "name": "fetch",
  "promptSnippet": "Get web pages as Markdown",
  "needs": [
    "net",
  ],
  "readOnly": true,
  "place": "runner",
  "definition": {
    "name": "fetch",
    "description": "GET a web page or text by http(s) from an allowed host. HTML comes as Markdown.",
    "parameters": {
      "type": "object",
      "properties": {
        "url": {
          "type": "string",
        },
        "offset": {
          "type": "number",
          "description": "Character to begin with, to go on in a long page",
        },
      },
      "required": [
        "url",
      ],
    },
  },
  load: async () => (await import("./fetch.ts")).fetch as Tool,
}, {
  "name": "web_search",
  "promptSnippet": "Search the web",
  "needs": [
    "net",
  ],
  "readOnly": true,
  "place": "runner",
  "definition": {
    "name": "web_search",
    "description": "Search the web. Gives titles, addresses and extracts.",
    "parameters": {
      "type": "object",
      "properties": {
        "query": {
          "type": "string",
        },
      },
      "required": [
        "query",
      ],
    },
  },
  load: async () => (await import("./web_search.ts")).webSearch as Tool,
}];

/** Those that stand in for one of the table under some policies. */
export const SUBSTITUTES: readonly Described[] = [{
  "name": "bash",
  "promptSnippet": "Execute bash scripts (ls, grep, find, etc.)",
  "needs": [
    "read",
  ],
  "readOnly": false,
  "place": "runner",
  "definition": {
    "name": "bash",
    "description":
      "Run a bash script in the workspace folder, in a built-in interpreter with its own Unix commands. Returns stdout, then stderr; of long output the last 2000 lines or 64KB. stdin is empty.",
    "parameters": {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
        },
        "timeout": {
          "type": "number",
          "description": "Seconds; 120 if absent, at most 600",
        },
      },
      "required": [
        "command",
      ],
    },
  },
  load: async () => (await import("./bash_in_process.ts")).bashInProcess as Tool,
}];
