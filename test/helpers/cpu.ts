import process from "node:process";

/** Processor time that this process has taken, milliseconds: how much work something is, whoever else keeps the machine busy. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
