// The last frame: the command that this process becomes.

enum { NULL_INPUT = 1, MERGE_OUTPUT = 2 }; // flags of the second frame

// What the host set up for itself must not reach the program: default actions for all signals, and none blocked.
static void reset_signals(void) {
  enum { SIG_SETMASK = 2, LAST_SIGNAL = 64, SET_BYTES = 8 };
  u64 standard[4] = {0, 0, 0, 0}, none = 0; // the kernel's struct sigaction, rt_sigaction(2)
  for (int number = 1; number <= LAST_SIGNAL; number++) CALL(rt_sigaction, number, standard, 0, SET_BYTES, 0);
  CALL(rt_sigprocmask, SIG_SETMASK, &none, 0, SET_BYTES, 0);
}

static int is_program(const char *path) {
  enum { S_IFMT = 0170000, S_IFREG = 0100000, ANY_MAY_EXECUTE = 0111 };
  u8 stat[256];
  if (CALL(newfstatat, AT_FDCWD, path, stat, 0, 0) < 0) return 0;
  u32 mode;
  memcpy(&mode, stat + STAT_MODE_AT, sizeof mode);
  return (mode & S_IFMT) == S_IFREG && (mode & ANY_MAY_EXECUTE) != 0;
}

// As execvp(3) does, but that folders of PATH which do not start at the root are left out.
static const char *look_up(const char *name, const char *path) {
  static char file[8192];
  u64 size = length_of(name);
  for (const char *c = name; *c; c++)
    if (*c == '/') return name;
  while (*path) {
    u64 folder = 0;
    while (path[folder] && path[folder] != ':') folder++;
    if (path[0] == '/' && folder + size + 2 <= sizeof file) {
      memcpy(file, path, folder);
      file[folder] = '/';
      memcpy(file + folder + 1, name, size + 1);
      if (is_program(file)) return file;
    }
    path += path[folder] ? folder + 1 : folder;
  }
  fail("no folder of PATH has a program of this name:", name, 0);
}

// What an execve takes; `argv` is empty where a frame names no program.
struct program {
  char **argv, **env;
  const char *path; // PATH of `env`, or the usual one
  const char *cwd;
};

// u32 words, u32 variables, its folder, each word, then for each variable the length of its name and NAME=VALUE.
static struct program take_program(struct frame *frame) {
  u64 words = take_u32(frame), variables = take_u32(frame);
  // Each takes five bytes of the frame at least, so that this bounds the memory, too.
  if (words + variables > LONGEST_FRAME / 5) fail("the command has more words than a frame can hold", 0, 0);
  char **argv = (char **)allocate((words + variables + 2) * sizeof(char *)), **env = argv + words + 1;
  struct program program = {argv, env, "/usr/bin:/bin", take_text(frame)};
  for (u64 i = 0; i < words; i++) argv[i] = take_text(frame);
  for (u64 i = 0; i < variables; i++) {
    // A name with = in it would become another name.
    u64 name = take_u32(frame), at = 0;
    env[i] = take_text(frame);
    while (env[i][at] && env[i][at] != '=') at++;
    if (at == 0 || at != name || !env[i][at]) fail("a variable's name is empty or holds =", 0, 0);
    if (at == 4 && env[i][0] == 'P' && env[i][1] == 'A' && env[i][2] == 'T' && env[i][3] == 'H') program.path = env[i] + 5;
  }
  return program;
}

__attribute__((noreturn)) static void become_command(void) {
  enum { F_DUPFD_CLOEXEC = 1030, CLOSE_RANGE_CLOEXEC = 4 };
  static const char confined[] = "{\"confine\":\"done\"}\n";
  step = "command";
  struct frame frame = read_frame();
  if (frame.kind != KIND_COMMAND) fail("the frame after the policy is no command", 0, 0);
  if (frame.flags & ~(u32)(NULL_INPUT | MERGE_OUTPUT)) fail("the command has flags that are not known", 0, 0);
  struct program program = take_program(&frame);
  if (!program.argv[0]) fail("the command has no words", 0, 0);
  expect_end(&frame);
  step = "folder";
  must(CALL(chdir, program.cwd, 0, 0, 0, 0), "chdir", program.cwd);
  step = "streams";
  report = (int)must(CALL(fcntl, 2, F_DUPFD_CLOEXEC, 3, 0, 0), "dup of standard error", 0);
  if (frame.flags & NULL_INPUT) {
    long fd = must(CALL(openat, AT_FDCWD, "/dev/null", O_CLOEXEC, 0, 0), "/dev/null", 0);
    must(CALL(dup3, fd, 0, 0, 0, 0), "dup3", 0);
  }
  if (frame.flags & MERGE_OUTPUT) must(CALL(dup3, 1, 2, 0, 0, 0), "dup3", 0);
  step = "exec";
  const char *file = look_up(program.argv[0], program.path);
  // Only where standard error is the report's alone. It tells the host that a command was reached: whatever stands in
  // front of this process could end well without having run anything.
  if (frame.flags & MERGE_OUTPUT) CALL(write, report, confined, sizeof confined - 1, 0, 0);
  CALL(close_range, 3, -1u, CLOSE_RANGE_CLOEXEC, 0, 0);
  fail("execve", file, CALL(execve, file, program.argv, program.env, 0, 0));
}
