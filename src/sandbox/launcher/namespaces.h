// Namespaces of its own, where the host wants them (level kernel+). Three processes come of one: the first stays outside and
// ends as the last does; the second is the first of the process namespace, builds the rest, then reaps and nothing else; the
// third goes on to confine itself. Each ends with the one before it.

enum { SHARE_NET = 1 }; // flags of this frame
enum { SIGKILL = 9, SIGCHLD = 17 };
enum { PR_SET_PDEATHSIG = 1, PR_SET_NO_NEW_PRIVS = 38 };

static void put_into(const char *path, const char *text) {
  long fd = must(CALL(openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0, 0), "open", path);
  must(CALL(write, fd, text, length_of(text), 0, 0), "write", path);
  CALL(close, fd, 0, 0, 0, 0);
}

// One user and one group, the same inside as outside; user_namespaces(7).
static void map_id(const char *path, u64 id) {
  char map[64], digits[24], *at = map;
  const char *number = decimal(id, digits);
  for (int i = 0; i < 2; i++) {
    u64 size = length_of(number);
    memcpy(at, number, size);
    at += size;
    *at++ = ' ';
  }
  *at++ = '1';
  *at = 0;
  put_into(path, map);
}

// netdevice(7). A new network namespace has a loopback that is down; up, it has its addresses.
static void raise_loopback(void) {
  enum { AF_INET = 2, SOCK_DGRAM = 2, SIOCGIFFLAGS = 0x8913, SIOCSIFFLAGS = 0x8914, IFF_UP = 1, FLAGS_AT = 16 };
  u8 request[40] = {'l', 'o'}; // struct ifreq
  long fd = must(CALL(socket, AF_INET, SOCK_DGRAM | O_CLOEXEC, 0, 0, 0), "socket", 0);
  must(CALL(ioctl, fd, SIOCGIFFLAGS, request, 0, 0), "ioctl(SIOCGIFFLAGS)", "lo");
  request[FLAGS_AT] |= IFF_UP;
  must(CALL(ioctl, fd, SIOCSIFFLAGS, request, 0, 0), "ioctl(SIOCSIFFLAGS)", "lo");
  CALL(close, fd, 0, 0, 0, 0);
}

// Ends as that child does, and reaps all others until then. It needs no descriptor for it: pipes end with who uses them.
__attribute__((noreturn)) static void end_as(long child) {
  CALL(close_range, 0, -1u, 0, 0, 0);
  for (;;) {
    int status = 0;
    long ended = CALL(wait4, -1, &status, 0, 0, 0);
    if (ended == -EINTR || (ended > 0 && ended != child)) continue;
    int signal = status & 0x7f;
    CALL(exit_group, ended < 0 ? CONFINE_FAILED : signal ? 128 + signal : status >> 8 & 0xff, 0, 0, 0, 0);
    __builtin_trap();
  }
}

// Ended by the kernel together with its parent, which `parent` (a descriptor of that process) tells to be alive still.
static void end_with(long parent) {
  enum { POLLIN = 1 };
  struct {
    int fd;
    short events, found;
  } look = {(int)parent, POLLIN, 0};
  u64 at_once[2] = {0, 0};
  must(CALL(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "prctl(PR_SET_PDEATHSIG)", 0);
  if (must(CALL(ppoll, &look, 1, at_once, 0, 0), "ppoll", 0) != 0) fail("the process that started this one has ended", 0, 0);
  CALL(close, parent, 0, 0, 0, 0);
}

static char memory_digits[24];

// Returns in a process of its own; where the frame names a program (the bridge to the network), it does not return.
static void enter_namespaces(struct frame *frame) {
  enum {
    CLONE_NEWNS = 0x20000,
    CLONE_NEWCGROUP = 0x2000000,
    CLONE_NEWUTS = 0x4000000,
    CLONE_NEWIPC = 0x8000000,
    CLONE_NEWUSER = 0x10000000,
    CLONE_NEWPID = 0x20000000,
    CLONE_NEWNET = 0x40000000,
  };
  step = "namespaces";
  if (frame->flags & ~(u32)SHARE_NET) fail("the namespaces have flags that are not known", 0, 0);
  int is_shared = (frame->flags & SHARE_NET) != 0;
  u32 mounts = take_u32(frame);
  const char *memory = decimal(take_count(frame, "memoryBytes"), memory_digits);
  struct program bridge = take_program(frame);
  if (bridge.argv[0] && bridge.argv[0][0] != '/') fail("a program's path does not start at the root:", bridge.argv[0], 0);
  u64 flags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD;
  u64 user = (u64)CALL(geteuid, 0, 0, 0, 0, 0), group = (u64)CALL(getegid, 0, 0, 0, 0, 0);
  long self = must(CALL(pidfd_open, CALL(getpid, 0, 0, 0, 0, 0), 0, 0, 0, 0), "pidfd_open", 0);
  long child = must(CALL(clone, flags | (is_shared ? 0 : CLONE_NEWNET), 0, 0, 0, 0), "clone", 0);
  if (child) end_as(child);
  end_with(self);
  step = "users";
  // Without this no ordinary user may map a group.
  put_into("/proc/self/setgroups", "deny");
  map_id("/proc/self/uid_map", user);
  map_id("/proc/self/gid_map", group);
  step = "mounts";
  build_root(frame, mounts, memory);
  step = "loopback";
  if (!is_shared) raise_loopback();
  step = "capabilities";
  drop_capabilities();
  must(CALL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(PR_SET_NO_NEW_PRIVS)", 0);
  step = "processes";
  child = must(CALL(clone, SIGCHLD, 0, 0, 0, 0), "clone", 0);
  if (child) end_as(child);
  // With the first process of its namespace it ends anyway. No terminal of the host can reach a session of its own.
  must(CALL(setsid, 0, 0, 0, 0, 0), "setsid", 0);
  if (!bridge.argv[0]) return;
  step = "bridge";
  must(CALL(chdir, bridge.cwd, 0, 0, 0, 0), "chdir", bridge.cwd);
  fail("execve", bridge.argv[0], CALL(execve, bridge.argv[0], bridge.argv, bridge.env, 0, 0));
}
