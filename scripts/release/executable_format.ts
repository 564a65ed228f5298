import type { Target } from "../../src/config/targets.ts";

/** The system and the processor that a program is for, by its header. */
export type Format = Pick<Target, "os" | "arch">;

/** Numbers of processors: e_machine of ELF (elf(5)), Machine of PE (Microsoft's format, "COFF File Header"), cputype of Mach-O. */
const ELF: Readonly<Record<number, Target["arch"]>> = { 62: "x86_64", 183: "aarch64" };
const PE: Readonly<Record<number, Target["arch"]>> = { 0x8664: "x86_64", 0xaa64: "aarch64" };
const MACH_O: Readonly<Record<number, Target["arch"]>> = { 0x01000007: "x86_64", 0x0100000c: "aarch64" };

/** What a 64-bit program's header says; nothing for another kind of file. */
export function executableFormat(bytes: Uint8Array<ArrayBuffer>): Format | undefined {
  if (bytes.length < 0x40) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = (os: Format["os"], arch: Target["arch"] | undefined) => arch && { os, arch };
  if (view.getUint32(0) === 0x7f454c46 && bytes[4] === 2 && bytes[5] === 1) {
    return found("linux", ELF[view.getUint16(0x12, true)]);
  }
  if (view.getUint32(0, true) === 0xfeedfacf) return found("darwin", MACH_O[view.getUint32(4, true)]);
  if (view.getUint16(0) !== 0x4d5a) return undefined;
  const at = view.getUint32(0x3c, true);
  if (at + 6 > bytes.length || view.getUint32(at) !== 0x50450000) return undefined;
  return found("windows", PE[view.getUint16(at + 4, true)]);
}

/** Throws unless a program is one for this target. */
export function checkFormat(bytes: Uint8Array<ArrayBuffer>, target: Target): void {
  const format = executableFormat(bytes);
  if (format?.os === target.os && format.arch === target.arch) return;
  const found = format ? `one for ${format.os} ${format.arch}` : "no program that is known here";
  throw new Error(`the program for ${target.name} is ${found}`);
}
