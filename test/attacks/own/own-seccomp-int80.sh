#!/bin/bash
# must NOT use 32-bit system calls, which have other numbers, to get past the filter. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
need gcc
cat > atk_32.c <<'C'
#include <sys/mman.h>
#include <string.h>
int main(void){ long r; /* i386 socket(AF_INET=2,SOCK_DGRAM=2,0) is call 359 */
  __asm__ volatile("int $0x80":"=a"(r):"a"(359L),"b"(2L),"c"(2L),"d"(0L):"memory"); if(r>=0) return 0;
  __asm__ volatile("int $0x80":"=a"(r):"a"(425L),"b"(4L),"c"(0L):"memory"); return r==-1||r==-38||r==-13?1:0; }
C
gcc -o atk_32 atk_32.c 2>/dev/null || exit 77; ./atk_32
