import type { Limits } from "../../core/policy.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Bounds of one tool call where nobody set others. */
export const DEFAULT_LIMITS: Limits = {
  bashTimeoutMs: 120_000,
  bashMaxTimeoutMs: 600_000,
  outputBytes: 64 * 1024,
  outputLines: 2000,
  fileBytes: 4 * GIB,
  openFiles: 4096,
  processes: 512,
  memoryBytes: 2 * GIB,
};
