/** What a command printed and how it ended. */
export interface Done {
  readonly code: number;
  readonly out: string;
}

/** Runs a helper program with both outputs as one text; throws unless it succeeds. */
export async function must(argv: readonly string[], options: Partial<Deno.CommandOptions> = {}): Promise<string> {
  const { code, out } = await attempt(argv, options);
  if (code !== 0) throw new Error(`${argv.join(" ")}: exit code ${code}\n${out}`);
  return out;
}

/** Runs a helper program, whatever comes of it. */
export async function attempt(argv: readonly string[], options: Partial<Deno.CommandOptions> = {}): Promise<Done> {
  const [program = "", ...args] = argv;
  const command = new Deno.Command(program, { ...options, args, stdin: "null", stdout: "piped", stderr: "piped" });
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  return { code, out: text.decode(stdout) + text.decode(stderr) };
}
