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

// Digits at a place, as a number.
static u64 number_at(const char *at) {
  u64 number = 0;
  for (; *at >= '0' && *at <= '9'; at++) number = number * 10 + (u64)(*at - '0');
  return number;
}

// Where the first `mark` in the first half kilobyte of a file ends; the end of `text` where there is none.
static char *find_in(const char *file, const char *mark, char text[512]) {
  long fd = CALL(openat, AT_FDCWD, file, O_CLOEXEC, 0, 0);
  long count = fd < 0 ? 0 : CALL(read, fd, text, 511, 0, 0);
  if (fd >= 0) CALL(close, fd, 0, 0, 0, 0);
  text[count < 0 ? 0 : count] = 0;
  char *at = text;
  for (; *at; at++) {
    u64 same = 0;
    while (mark[same] && mark[same] == at[same]) same++;
    if (!mark[same]) return at + same;
  }
  return at;
}

// Processes and threads of the whole machine: "0.00 0.00 0.00 2/345 6789", proc_loadavg(5).
static u64 tasks_of_machine(void) {
  char text[512];
  u64 tasks = number_at(find_in("/proc/loadavg", "/", text));
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
