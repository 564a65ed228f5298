// The other thing that this program can be: the sentinel beside the host. It looks at the machine's totals for a flood, and
// has a real-time priority where the system lets it: thousands of ordinary processes cannot make it look late. Once it sees
// one, it gives all threads of the host that priority and wakes it; the host judges, acts, and makes itself ordinary again.
//
// One byte on standard input turns looking on, or off; the end of standard input ends the process. One byte on standard
// output says that a flood was seen. Nothing is waited for after it: the host may have been an ordinary process again when it
// would answer, and the answer late. While the flood grows, it is told again. This process confines nothing and becomes
// nothing else.

enum { WATCH = 'w', PAUSE = 'p' };

// Before all ordinary processes; what the thread starts is ordinary. sched_setscheduler(2): the lowest of the priorities.
static void prioritize(u64 thread) {
  enum { SCHED_RR = 2, SCHED_RESET_ON_FORK = 0x40000000 };
  int priority = 1;
  CALL(sched_setscheduler, thread, SCHED_RR | SCHED_RESET_ON_FORK, &priority, 0, 0);
}

// All of them: the first waits for those that collect garbage.
static void prioritize_threads(u64 process) {
  enum { NAME_AT = 19 }; // struct linux_dirent64: u64 inode, u64 offset, u16 length, u8 type, name
  char digits[24], folder[48] = "/proc/", entries[2048];
  char *end = folder + 6;
  for (const char *at = decimal(process, digits); *at; at++) *end++ = *at;
  for (const char *at = "/task"; *at; at++) *end++ = *at;
  *end = 0;
  // Whatever becomes of the rest.
  prioritize(process);
  long fd = CALL(openat, AT_FDCWD, folder, O_CLOEXEC, 0, 0);
  for (long count; fd >= 0 && (count = CALL(getdents64, fd, entries, sizeof entries, 0, 0)) > 0;) {
    for (long at = 0; at < count;) {
      u64 thread = 0;
      for (const char *name = entries + at + NAME_AT; *name >= '0' && *name <= '9'; name++) {
        thread = thread * 10 + (u64)(*name - '0');
      }
      if (thread) prioritize(thread);
      at += (u8)entries[at + 16] | (u8)entries[at + 17] << 8;
    }
  }
  CALL(close, fd, 0, 0, 0, 0);
}

__attribute__((noreturn)) static void keep_watch(struct frame *frame) {
  enum { POLLIN = 1, MCL_CURRENT_AND_FUTURE = 3, F_SETFL = 4, O_NONBLOCK = 04000, EAGAIN = 11, NEVER = 0 };
  step = "watch";
  u64 host = take_count(frame, "host"), every_ms = take_count(frame, "everyMs");
  u64 more_tasks = take_count(frame, "tasks"), less_memory = take_count(frame, "kibibytes");
  u64 crowd = take_count(frame, "crowd"), patience = take_count(frame, "glances");
  if (frame->flags) fail("the frame has flags that are not known", 0, 0);
  expect_end(frame);
  // Both are best effort: without them it may look late, as everybody does then.
  CALL(mlockall, MCL_CURRENT_AND_FUTURE, 0, 0, 0, 0);
  prioritize(0);
  // A host that reads nothing must not make it wait.
  CALL(fcntl, 1, F_SETFL, O_NONBLOCK, 0, 0);
  u64 fewest = 0, most = 0, glances = 0;
  for (u8 is_on = 0;;) {
    struct { int fd; short wanted, seen; } input = {0, POLLIN, 0};
    u64 pause[2] = {every_ms / 1000, every_ms % 1000 * 1000000}; // struct timespec
    long ready = CALL(ppoll, &input, 1, is_on ? pause : NEVER, 0, 0);
    // To go on without a pause would take a processor for good.
    if (ready < 0 && ready != -EINTR) fail("ppoll", 0, ready);
    // "0.00 0.00 0.00 running/tasks 6789", proc_loadavg(5)
    char load[512], info[512];
    char *slash = find_in("/proc/loadavg", "/", load), *running = slash;
    while (running > load && running[-1] != ' ') running--;
    char *available = find_in("/proc/meminfo", "MemAvailable:", info);
    while (*available == ' ') available++;
    u64 tasks = number_at(slash), memory = number_at(available);
    // Others may end while a command's begin: where many wait for a turn, the host must not wait for its own to see that.
    int is_due = ++glances >= patience && number_at(running) > crowd;
    if (ready > 0) {
      u8 words[64];
      long count = CALL(read, 0, words, sizeof words, 0, 0);
      if (count == -EINTR) continue;
      if (count <= 0) CALL(exit_group, 0, 0, 0, 0, 0);
      is_on = words[count - 1] == WATCH;
      fewest = tasks, most = memory, glances = 0;
    } else if (is_on && (is_due || tasks >= fewest + more_tasks || memory + less_memory <= most)) {
      prioritize_threads(host);
      fewest = tasks, most = memory, glances = 0;
      long count = CALL(write, 1, "!", 1, 0, 0);
      if (count < 0 && count != -EAGAIN) CALL(exit_group, 0, 0, 0, 0, 0);
    } else {
      if (tasks < fewest) fewest = tasks;
      if (memory > most) most = memory;
    }
  }
}
