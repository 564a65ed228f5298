#!/bin/bash
# must NOT see the sockets and addresses that other programs use. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
grep -qsi ":$(printf %04X $ATK_TCP) " /proc/net/tcp || grep -qs "listen.sock" /proc/net/unix
