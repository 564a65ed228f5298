/** What the program ends with, and what each code says. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "done"],
  ["1", "model or provider failed"],
  ["2", "usage or configuration"],
  ["3", "sandbox or permission missing"],
  ["4", "a limit was reached"],
  ["5", "the run did not show what it had to (--require, --fail-on, --output-schema)"],
  ["129", "hung up"],
  ["130", "interrupted"],
  ["143", "terminated"],
];
