// Becomes another program for which one system call fails with an errno: `without_calls.ts CALL ERRNO PROGRAM ARGS…`.
// So a kernel without Landlock, or a container that refuses it, can be had on any machine.
import { allow, assemble, fail, ifEqual, loadArgument, loadCall } from "../../src/sandbox/seccomp/bpf.ts";
import { CALLS, systemCall } from "../../src/sandbox/system/ffi.ts";
import { become, imageOf, installFilter } from "./become.ts";

const [call = "", errno = "", program = "", ...args] = Deno.args;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_SET_SECCOMP = 22;
// Of prctl only the part that installs filters may fail, or nothing would start at all.
const condition = call === "prctl"
  ? [
    ifEqual(CALLS.prctl[Deno.build.arch], undefined, "other"),
    loadArgument(0),
    ifEqual(PR_SET_SECCOMP, undefined, "other"),
  ]
  : [ifEqual(Number(call), undefined, "other")];
systemCall("prctl", PR_SET_NO_NEW_PRIVS, 1);
installFilter(assemble([loadCall(), ...condition, fail(Number(errno)), { label: "other" }, allow()]));
become(program, imageOf([program, ...args], Deno.env.toObject()));
