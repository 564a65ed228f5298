/**
 * A tool that asks a SQLite database of the project and cannot change it.
 *
 * `--flag database=PATH` names the database that is meant when the model names none. The query runs in the scope of the
 * tools, so that this extension needs no permission of its own.
 */
import { defineExtension } from "sandpiper";
import { type Query, runQuery } from "./query.ts";

export default defineExtension((sp) => {
  sp.registerFlag("database", { type: "string", description: "the SQLite database that database_query asks" });

  sp.registerTool({
    name: "database_query",
    description:
      "Run a read-only SQL query on a SQLite database of the project. The first line of the result names the " +
      "columns, each further line is one row, as JSON. The tables are listed in sqlite_master.",
    promptSnippet: "Run read-only SQL queries (SELECT only)",
    promptGuidelines: [
      "Pass values of a database_query in params, with ? in their place, and never as a part of its sql",
      "Ask database_query for at most 100 rows unless the user wants more",
    ],
    parameters: {
      type: "object",
      properties: {
        sql: { type: "string", description: "One SELECT statement" },
        params: { type: "array", description: "Values for the ? of the statement, in order" },
        limit: { type: "integer", minimum: 1, maximum: 1000, description: "Most rows; 100 unless told otherwise" },
        database: { type: "string", description: "Path of the database, where the user did not choose one" },
      },
      required: ["sql"],
    },
    execute: async (_id, { sql, params = [], limit = 100, database }, signal, _onUpdate, ctx) => {
      const path = database ?? sp.getFlag("database");
      if (typeof path !== "string") throw new Error("No database is chosen: give its path as database");
      const query: Query = { path, sql, params, limit: Math.max(1, Math.min(limit, 1000)) };
      return await runQuery(query, (command, args) => ctx.exec(command, args, { timeoutMs: 20_000, signal }));
    },
  });
});
