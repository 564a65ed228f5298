// System calls of aarch64. Numbers: asm-generic/unistd.h; convention: syscall(2).

enum {
  NR_dup3 = 24,
  NR_fcntl = 25,
  NR_ioctl = 29,
  NR_mkdirat = 34,
  NR_symlinkat = 36,
  NR_umount2 = 39,
  NR_mount = 40,
  NR_pivot_root = 41,
  NR_chdir = 49,
  NR_fchdir = 50,
  NR_openat = 56,
  NR_close = 57,
  NR_getdents64 = 61,
  NR_read = 63,
  NR_write = 64,
  NR_ppoll = 73,
  NR_readlinkat = 78,
  NR_newfstatat = 79,
  NR_capset = 91,
  NR_exit_group = 94,
  NR_sched_setscheduler = 119,
  NR_rt_sigaction = 134,
  NR_rt_sigprocmask = 135,
  NR_getsid = 156,
  NR_setsid = 157,
  NR_prctl = 167,
  NR_getpid = 172,
  NR_geteuid = 175,
  NR_getegid = 177,
  NR_socket = 198,
  NR_sendmsg = 211,
  NR_clone = 220,
  NR_execve = 221,
  NR_mmap = 222,
  NR_mlockall = 230,
  NR_wait4 = 260,
  NR_prlimit64 = 261,
  NR_seccomp = 277,
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
enum { STAT_MODE_AT = 16 };

static long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}

// The kernel starts a program with an aligned stack pointer and nothing else; no frame lies below the first.
__asm__(
    ".globl _start\n"
    "_start:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  bl launch\n"
    "  brk #1\n");
