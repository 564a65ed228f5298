// Resource limits, and being the first that the kernel ends when memory is short.

enum { RLIMIT_FSIZE = 1, RLIMIT_CORE = 4, RLIMIT_NPROC = 6, RLIMIT_NOFILE = 7 }; // asm-generic/resource.h
enum { SOFT = 0, HARD = 1 };

// Sets soft and hard limit; where the system has set `which` of them lower, that stays: none is ever raised.
static void lower_limit(int resource, u64 wanted, int which) {
  u64 pair[2];
  must(CALL(prlimit64, 0, resource, 0, pair, 0), "prlimit64", 0);
  if (pair[which] < wanted) wanted = pair[which];
  pair[SOFT] = pair[HARD] = wanted;
  must(CALL(prlimit64, 0, resource, pair, 0, 0), "prlimit64", 0);
}

// Processes and threads of the whole machine: "0.00 0.00 0.00 2/345 6789", proc_loadavg(5).
static u64 tasks_of_machine(void) {
  char text[128];
  long fd = must(CALL(openat, AT_FDCWD, "/proc/loadavg", O_CLOEXEC, 0, 0), "/proc/loadavg", 0);
  long count = must(CALL(read, fd, text, sizeof text - 1, 0, 0), "/proc/loadavg", 0);
  CALL(close, fd, 0, 0, 0, 0);
  text[count] = 0;
  const char *at = text;
  while (*at && *at != '/') at++;
  u64 tasks = 0;
  if (*at) for (at++; *at >= '0' && *at <= '9'; at++) tasks = tasks * 10 + (u64)(*at - '0');
  if (tasks == 0) fail("/proc/loadavg does not tell how many processes there are", 0, 0);
  return tasks;
}

// Best effort: only the order of the kernel's victims is at stake, never the confinement.
static void volunteer_for_out_of_memory(void) {
  long fd = CALL(openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC, 0, 0);
  if (fd < 0) return;
  CALL(write, fd, "1000", 4, 0, 0);
  CALL(close, fd, 0, 0, 0, 0);
}
