#!/usr/bin/env node
// Becomes the binary of the package for this system. Where Node cannot replace itself (before 22.15, and on Windows) it
// starts the binary beside itself, hands on signals and ends as that did.
"use strict";
const { spawn } = require("node:child_process");
const { accessSync, constants, existsSync } = require("node:fs");
const { dirname, join } = require("node:path");
const process = require("node:process");
const { isatty } = require("node:tty");

/** What the kernel loads the binary with: where it is not there (musl), the system's error would name the wrong file. */
const LOADERS = {
  "linux-x64": "/lib64/ld-linux-x86-64.so.2",
  "linux-arm64": "/lib/ld-linux-aarch64.so.1",
};
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

const { version, optionalDependencies } = require("../package.json");
const system = `${process.platform}-${process.arch}`;

/** The path of the binary for this system; throws an Error that says why there is none. */
function findBinary() {
  const name = Object.keys(optionalDependencies).find((one) => one.endsWith(`/${system}`));
  if (name === undefined) {
    const known = Object.keys(optionalDependencies).map((one) => one.split("/")[1]).join(", ");
    throw new Error(
      `there is no package of it for ${system}, only for ${known}. From source it runs wherever Deno does`,
    );
  }
  const loader = LOADERS[system];
  if (loader && !existsSync(loader)) {
    throw new Error(`it needs the GNU C library, and ${loader} is not there (Alpine and others with musl lack it)`);
  }
  let manifest;
  try {
    manifest = require.resolve(`${name}/package.json`);
  } catch {
    throw new Error(`the package ${name} is not installed. Install again, and leave out --omit=optional`);
  }
  const found = require(manifest).version;
  if (found !== version) {
    throw new Error(`the package ${name} has version ${found} and this one ${version}. Install again`);
  }
  const binary = join(dirname(manifest), "bin", process.platform === "win32" ? "sandpiper.exe" : "sandpiper");
  try {
    accessSync(binary, constants.X_OK);
  } catch {
    throw new Error(`${binary} may not be run. Is it there, and is its disk mounted with noexec?`);
  }
  return binary;
}

function start(binary) {
  const args = process.argv.slice(2);
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.execve(binary, [binary, ...args], process.env);
  }
  let child = null;
  // Before it starts: a signal in between would end this process alone.
  const handlers = SIGNALS.map((signal) => {
    const handler = () => {
      // A terminal sends this one to both, and a second one would end the program at once.
      if (signal !== "SIGTERM" && isatty(0)) return;
      child.kill(signal);
    };
    process.on(signal, handler);
    return [signal, handler];
  });
  child = spawn(binary, args, { stdio: "inherit" });
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => {
    for (const [name, handler] of handlers) process.off(name, handler);
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code;
  });
}

function fail(why) {
  process.stderr.write(`error: sandpiper cannot start: ${why}\n`);
  process.exitCode = 1;
}

let binary;
try {
  binary = findBinary();
} catch (error) {
  fail(error.message);
}
if (binary) start(binary);
