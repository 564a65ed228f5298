// Becomes another program for which one system call fails with an errno: `without_calls.ts CALL ERRNO PROGRAM ARGS…`.
import { CALLS, systemCall } from "../../src/sandbox/system/ffi.ts";
import { become, imageOf, installFilter } from "./become.ts";
import { filterWithout } from "./without_call.ts";

const [call = "", errno = "", program = "", ...args] = Deno.args;
const PR_SET_NO_NEW_PRIVS = 38;
systemCall("prctl", PR_SET_NO_NEW_PRIVS, 1);
const number = call === "prctl" ? CALLS.prctl[Deno.build.arch] : Number(call);
installFilter(filterWithout(number, Number(errno)));
become(program, imageOf([program, ...args], Deno.env.toObject()));
