// Puts the binary in the launcher's place, so that Node does not have to start first. Not needed: without it (installed with
// --ignore-scripts, or by another program than npm) the launcher stays and does the same, as much later as Node needs.
"use strict";
const { spawnSync } = require("node:child_process");
const { linkSync, renameSync, rmSync } = require("node:fs");
const { dirname, join } = require("node:path");
const process = require("node:process");

/** npm alone links a command to its file. Other programs write a script that gives the file to Node, and so does npm on Windows. */
const linksCommands = /^npm\//.test(process.env.npm_config_user_agent ?? "") && process.platform !== "win32";
const { version, optionalDependencies } = require("./package.json");

function replace() {
  const name = Object.keys(optionalDependencies).find((one) => one.endsWith(`/${process.platform}-${process.arch}`));
  const binary = join(dirname(require.resolve(`${name}/package.json`)), "bin", "sandpiper");
  // One that does not run here must not stand in the place of what can say so.
  const { stdout } = spawnSync(binary, ["--version"], { encoding: "utf8", timeout: 20_000 });
  if (stdout?.trim() !== `sandpiper ${version}`) return;
  const launcher = join(__dirname, "bin", "sandpiper");
  const made = `${launcher}.${process.pid}`;
  try {
    linkSync(binary, made);
    renameSync(made, launcher);
  } catch {
    rmSync(made, { force: true });
  }
}

try {
  if (linksCommands) replace();
} catch {
  // The launcher says what is missing when it is started.
}
