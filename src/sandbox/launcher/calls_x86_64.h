// System calls of x86_64. Numbers: asm/unistd_64.h; convention: syscall(2).

enum {
  NR_read = 0,
  NR_write = 1,
  NR_close = 3,
  NR_mmap = 9,
  NR_rt_sigaction = 13,
  NR_rt_sigprocmask = 14,
  NR_ioctl = 16,
  NR_getpid = 39,
  NR_socket = 41,
  NR_sendmsg = 46,
  NR_clone = 56,
  NR_execve = 59,
  NR_wait4 = 61,
  NR_fcntl = 72,
  NR_chdir = 80,
  NR_fchdir = 81,
  NR_geteuid = 107,
  NR_getegid = 108,
  NR_setsid = 112,
  NR_getsid = 124,
  NR_capset = 126,
  NR_sched_setscheduler = 144,
  NR_mlockall = 151,
  NR_pivot_root = 155,
  NR_prctl = 157,
  NR_mount = 165,
  NR_umount2 = 166,
  NR_getdents64 = 217,
  NR_exit_group = 231,
  NR_openat = 257,
  NR_mkdirat = 258,
  NR_newfstatat = 262,
  NR_symlinkat = 266,
  NR_readlinkat = 267,
  NR_ppoll = 271,
  NR_dup3 = 292,
  NR_prlimit64 = 302,
  NR_seccomp = 317,
  NR_open_tree = 428,
  NR_move_mount = 429,
  NR_fsopen = 430,
  NR_fsconfig = 431,
  NR_fsmount = 432,
  NR_pidfd_open = 434,
  NR_close_range = 436,
  NR_openat2 = 437,
  NR_mount_setattr = 442,
  NR_landlock_create_ruleset = 444,
  NR_landlock_add_rule = 445,
  NR_landlock_restrict_self = 446,
};

// Where st_mode stands in struct stat, bytes.
enum { STAT_MODE_AT = 24 };

static long system_call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

// The kernel starts a program with nothing but its stack pointer; C wants that aligned to 16 bytes at a call.
__asm__(
    ".globl _start\n"
    "_start:\n"
    "  xor %ebp, %ebp\n"
    "  and $-16, %rsp\n"
    "  call launch\n"
    "  ud2\n");
