import type { ExecResult } from "sandpiper";

/** One question to a database. */
export interface Query {
  readonly path: string;
  readonly sql: string;
  /** Values for the `?` of the statement. */
  readonly params: readonly unknown[];
  /** Most rows. */
  readonly limit: number;
}

/** Runs a program in the scope of the tools. */
type Exec = (command: string, args: readonly string[]) => Promise<ExecResult>;

/**
 * Asks through Python, whose sqlite3 module most machines have. Path, statement and values are arguments and never part
 * of a program's text.
 *
 * The file is opened for reading, and the authorizer refuses whatever is more than a SELECT: ATTACH could open another
 * file for writing. What is printed stays below what a command may print.
 */
const PROGRAM = `
import json, pathlib, sqlite3, sys
path, sql, params, limit = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), int(sys.argv[4])
sys.stdout.reconfigure(encoding="utf-8", errors="replace")
ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, 33)  # 33: SQLITE_RECURSIVE
def cell(value):
    if isinstance(value, bytes): return "(%d bytes)" % len(value)
    return value[:2000] + "…" if isinstance(value, str) and len(value) > 2000 else value
try:
    base = sqlite3.connect(pathlib.Path(path).absolute().as_uri() + "?mode=ro", uri=True)
    base.text_factory = lambda text: text.decode("utf-8", "replace")
    base.set_authorizer(lambda action, *rest: sqlite3.SQLITE_OK if action in ALLOWED else sqlite3.SQLITE_DENY)
    cursor = base.execute(sql, params)
    print(json.dumps([column[0] for column in cursor.description or []], ensure_ascii=False))
    printed, units = 0, 0
    for row in cursor:
        line = json.dumps([cell(value) for value in row], ensure_ascii=False)
        units += len(line)
        if printed == limit or units > 20000:
            print("There are more rows after these %d" % printed)
            break
        print(line)
        printed += 1
except (sqlite3.Error, sqlite3.Warning, ValueError, TypeError) as error:
    sys.exit("The query failed: %s" % error)
`;

/** The rows as text. Throws with a sentence that the model can act on. */
export async function runQuery({ path, sql, params, limit }: Query, exec: Exec): Promise<string> {
  // -I: a file called sqlite3.py in the workspace is not the module.
  const args = ["-I", "-c", PROGRAM, path, sql, JSON.stringify(params), String(limit)];
  const { code, stdout, stderr, killed } = await exec("python3", args);
  if (killed) throw new Error("The query took too long and was ended. Make it smaller");
  if (code === 127) {
    throw new Error("python3 is not there, and the query needs it. Tell the user to install or allow it");
  }
  if (code !== 0) throw new Error(stderr.trim().split("\n").at(-1) || `The query failed with code ${code}`);
  return stdout.trim();
}
