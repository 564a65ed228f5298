// Landlock (linux/landlock.h): the rules of the frame, and nothing else, for this process and all that it becomes.

enum { DENY_TCP = 1, SCOPE = 2 }; // flags of the first frame

// What is at a path; less than 0 where nothing is, which grants nothing. The paths were real when the policy was made: a
// link in one was put there since, perhaps by a tool that wants its target granted. So none is followed.
static long open_path(const char *path) {
  enum { RESOLVE_NO_SYMLINKS = 4 };
  u64 how[3] = {O_PATH | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS};
  long fd = CALL(openat2, AT_FDCWD, path, how, sizeof how, 0);
  if (fd != -ENOSYS) return fd;
  // A sandbox like this one refuses openat2. Where links were followed, the kernel names what was opened differently.
  fd = CALL(openat, AT_FDCWD, path, O_PATH | O_CLOEXEC, 0, 0);
  if (fd < 0) return fd;
  char link[48] = "/proc/self/fd/", digits[24], own[4096];
  const char *number = decimal((u64)fd, digits);
  memcpy(link + length_of(link), number, length_of(number) + 1);
  long count = CALL(readlinkat, AT_FDCWD, link, own, sizeof own - 1, 0);
  if (count > 0) {
    own[count] = 0;
    if (is_same(own, path)) return fd;
  }
  CALL(close, fd, 0, 0, 0, 0);
  return -ENOENT;
}

// Rights that a version of Landlock knows: 13 in 1, refer in 2, truncate in 3, device ioctl in 5.
static u64 rights_of_abi(long abi) {
  if (abi == 1) return 0x1fff;
  if (abi == 2) return 0x3fff;
  return abi < 5 ? 0x7fff : 0xffff;
}

static void add_rule(long ruleset, const char *path, u64 rights) {
  enum { LANDLOCK_RULE_PATH_BENEATH = 1 };
  // Execute, write, read, truncate, device ioctl: what a rule about anything but a folder may hold.
  enum { FILE_RIGHTS = 0xc007 };
  if (!rights) return;
  long fd = open_path(path);
  // Every kernel with Landlock has the call. A container that refuses it would leave no rule at all.
  if (fd == -EPERM) fail("openat2", path, fd);
  if (fd < 0) return;
  struct __attribute__((packed)) {
    u64 rights;
    int fd;
  } rule = {rights, (int)fd};
  long result = CALL(landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0, 0);
  // A folder's rights for a file. Asking each path beforehand what it is would cost a call for each.
  if (result == -EINVAL && (rights & ~(u64)FILE_RIGHTS)) {
    rule.rights = rights & FILE_RIGHTS;
    if (rule.rights) result = CALL(landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0, 0);
    else result = 0;
  }
  must(result, "landlock_add_rule", path);
  CALL(close, fd, 0, 0, 0, 0);
}

static void restrict_self(struct frame *frame, long least_abi, u32 rules) {
  enum { LANDLOCK_CREATE_RULESET_VERSION = 1, PR_SET_NO_NEW_PRIVS = 38, ALL_RIGHTS = 0xffff };
  enum { BIND_AND_CONNECT_TCP = 3, ABSTRACT_SOCKETS_AND_SIGNALS = 3 };
  long abi = must(CALL(landlock_create_ruleset, 0, 0, LANDLOCK_CREATE_RULESET_VERSION, 0, 0), "Landlock", 0);
  if (abi < 1 || abi < least_abi) fail("this kernel's Landlock is older than the policy needs", 0, 0);
  u64 handled = rights_of_abi(abi);
  u64 attributes[3] = {
      handled,
      abi >= 4 && (frame->flags & DENY_TCP) ? BIND_AND_CONNECT_TCP : 0,
      abi >= 6 && (frame->flags & SCOPE) ? ABSTRACT_SOCKETS_AND_SIGNALS : 0,
  };
  // Older kernels know a shorter structure and refuse bytes that they do not know.
  long size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  long ruleset = must(CALL(landlock_create_ruleset, attributes, size, 0, 0, 0), "landlock_create_ruleset", 0);
  while (rules--) {
    u64 rights = take_u64(frame);
    const char *path = take_text(frame);
    if (path[0] != '/') fail("a rule's path does not start at the root:", path, 0);
    if (rights & ~(u64)ALL_RIGHTS) fail("a rule has rights that are not known:", path, 0);
    add_rule(ruleset, path, rights & handled);
  }
  must(CALL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(PR_SET_NO_NEW_PRIVS)", 0);
  must(CALL(landlock_restrict_self, ruleset, 0, 0, 0, 0), "landlock_restrict_self", 0);
  CALL(close, ruleset, 0, 0, 0, 0);
}
