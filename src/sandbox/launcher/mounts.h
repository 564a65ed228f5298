// The file system of a new mount namespace: a list of operations from the host, and the old root pivoted away at the end.
//
// Sources are looked up in the old root and targets in the new one, each by a descriptor of it and without following any
// link: the paths were real when the host made the list, so that a link in one was put there since. The new root is an empty
// file system (or a copy of the old root), attached over the old one: paths that start at the root mean the old one until the pivot.
// A process sees every mount below its root in /proc/self/mountinfo, those under another mount too. So the new root gets only
// what the process may see.

enum { MOUNT_BIND = 1, MOUNT_EMPTY, MOUNT_DEVICES, MOUNT_PROCESSES, MOUNT_FOLDER, MOUNT_OVERLAY, MOUNT_LINK };
// Of an operation. OPTIONAL: a bind that is left out where its source or its place is gone since the host saw them.
enum { MOUNT_READ_ONLY = 1, MOUNT_OPTIONAL = 2 };
// mount_setattr(2)
enum { ATTR_RDONLY = 1, ATTR_NOSUID = 2, ATTR_NODEV = 4, ATTR_NOEXEC = 8 };
enum { AT_EMPTY_PATH = 0x1000, AT_RECURSIVE = 0x8000 };

// The two roots, the attributes that the new one gets when all is mounted, and the most bytes that an empty file system holds.
struct roots {
  long old, new;
  u64 last_attributes;
  const char *memory;
};

// `path` below a folder, as if that were the root.
static long open_in(long folder, const char *path) {
  enum { RESOLVE_NO_SYMLINKS = 4, RESOLVE_IN_ROOT = 16 };
  u64 how[3] = {O_PATH | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS | RESOLVE_IN_ROOT};
  return CALL(openat2, folder, path, how, sizeof how, 0);
}

static int is_folder(long fd, const char *path) {
  enum { S_IFMT = 0170000, S_IFDIR = 0040000 };
  u8 stat[256];
  must(CALL(newfstatat, fd, "", stat, AT_EMPTY_PATH, 0), "stat", path);
  u32 mode;
  memcpy(&mode, stat + STAT_MODE_AT, sizeof mode);
  return (mode & S_IFMT) == S_IFDIR;
}

// Where something is to be mounted: made where it is missing (in an empty folder, mostly), with the folders around it.
static long place_for(long root, char *path, int wants_folder) {
  enum { O_CREAT = 0100, O_EXCL = 0200, FOLDER_MODE = 0755, FILE_MODE = 0444 };
  long folder = open_in(root, path);
  if (folder != -ENOENT) return must(folder, "no place for", path);
  folder = root;
  for (char *name = path + 1;; name++) {
    char *end = name;
    while (*end && *end != '/') end++;
    char rest = *end;
    *end = 0;
    long inner = open_in(folder, name);
    if (inner == -ENOENT) {
      // The private folder for temporary files is the session's: another process of it may make the same place meanwhile.
      int makes_folder = rest || wants_folder;
      long made = makes_folder ? CALL(mkdirat, folder, name, FOLDER_MODE, 0, 0)
                               : CALL(openat, folder, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, FILE_MODE, 0);
      if (made != -EEXIST) must(made, "no place can be made for", path);
      if (made >= 0 && !makes_folder) CALL(close, made, 0, 0, 0, 0);
      inner = open_in(folder, name);
    }
    must(inner, "no place for", path);
    if (folder != root) CALL(close, folder, 0, 0, 0, 0);
    folder = inner;
    *end = rest;
    if (!rest) return folder;
    name = end;
  }
}

// A detached copy of what is mounted at `fd` and below, with more attributes.
static long copy_of(long fd, u64 attributes, const char *path) {
  enum { OPEN_TREE_CLONE = 1 };
  long copy = must(
      CALL(open_tree, fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE | O_CLOEXEC, 0, 0), "open_tree", path);
  u64 change[4] = {attributes, 0, 0, 0}; // struct mount_attr
  must(CALL(mount_setattr, copy, "", AT_EMPTY_PATH | AT_RECURSIVE, change, sizeof change), "mount_setattr", path);
  return copy;
}

// Attaches a detached mount; both descriptors are closed.
static void attach(long mount, long place, const char *path) {
  enum { FROM_EMPTY_PATH = 4, TO_EMPTY_PATH = 0x40 };
  must(CALL(move_mount, mount, "", place, "", FROM_EMPTY_PATH | TO_EMPTY_PATH), "move_mount", path);
  CALL(close, mount, 0, 0, 0, 0);
  CALL(close, place, 0, 0, 0, 0);
}

// A setting of a file system: without a value it is a flag.
struct setting {
  const char *name, *value;
};

// A new file system, not attached yet; `settings` end with one that has no name.
static long make_file_system(const char *type, const struct setting *settings, u64 attributes, const char *path) {
  enum { CLOSE_ON_EXEC = 1, SET_FLAG = 0, SET_STRING = 1, CREATE = 6 };
  long context = must(CALL(fsopen, type, CLOSE_ON_EXEC, 0, 0, 0), "fsopen", type);
  // What stands in the list of mounts.
  must(CALL(fsconfig, context, SET_STRING, "source", type, 0), "fsconfig", path);
  for (; settings->name; settings++) {
    int kind = settings->value ? SET_STRING : SET_FLAG;
    must(CALL(fsconfig, context, kind, settings->name, settings->value, 0), settings->name, path);
  }
  must(CALL(fsconfig, context, CREATE, 0, 0, 0), "no file system for", path);
  long mount = must(CALL(fsmount, context, CLOSE_ON_EXEC, attributes, 0, 0), "fsmount", path);
  CALL(close, context, 0, 0, 0, 0);
  return mount;
}

static long make_empty(const struct roots *roots, const char *path, u64 more) {
  const struct setting settings[] = {{"mode", "0755"}, {"size", roots->memory}, {0, 0}};
  return make_file_system("tmpfs", settings, ATTR_NOSUID | ATTR_NODEV | more, path);
}

static void mount_empty(const struct roots *roots, long place, const char *path, u64 more) {
  attach(make_empty(roots, path, more), place, path);
}

// A link in a directory that is there already.
static void make_link(const struct roots *roots, const char *text, char *path) {
  char *name = path + length_of(path);
  while (name[-1] != '/') name--;
  name[-1] = 0;
  long folder = must(open_in(roots->new, path[0] ? path : "/"), "no place for", name);
  must(CALL(symlinkat, text, folder, name, 0, 0), "symlink", name);
  CALL(close, folder, 0, 0, 0, 0);
}

// Over the old root, whose descriptor is the place: both descriptors are needed to the end.
static void set_root(struct roots *roots, long mount) {
  enum { FROM_EMPTY_PATH = 4, TO_EMPTY_PATH = 0x40 };
  must(CALL(move_mount, mount, "", roots->old, "", FROM_EMPTY_PATH | TO_EMPTY_PATH), "move_mount", "/");
  roots->new = mount;
}

// The devices that hold nothing and belong to nobody, shared memory and terminals of its own.
static void mount_devices(const struct roots *roots, char *path) {
  static char nodes[][9] = {"/null", "/zero", "/full", "/random", "/urandom", "/tty"};
  static const char *const links[][2] = {
      {"/proc/self/fd", "fd"},         {"/proc/self/fd/0", "stdin"}, {"/proc/self/fd/1", "stdout"},
      {"/proc/self/fd/2", "stderr"},   {"/proc/kcore", "core"},      {"pts/ptmx", "ptmx"},
  };
  static const struct setting terminals[] = {{"newinstance", 0}, {"ptmxmode", "0666"}, {"mode", "0620"}, {0, 0}};
  static char own_terminals[] = "/pts";
  long sources = must(open_in(roots->old, "/dev"), "no devices in", "/dev");
  mount_empty(roots, place_for(roots->new, path, 1), path, 0);
  long folder = must(open_in(roots->new, path), "no place for", path);
  for (u64 i = 0; i < sizeof nodes / sizeof *nodes; i++) {
    long source = must(open_in(sources, nodes[i]), "no device", nodes[i]);
    attach(copy_of(source, ATTR_NOSUID, nodes[i]), place_for(folder, nodes[i], 0), nodes[i]);
    CALL(close, source, 0, 0, 0, 0);
  }
  for (u64 i = 0; i < sizeof links / sizeof *links; i++)
    must(CALL(symlinkat, links[i][0], folder, links[i][1], 0, 0), "symlink", links[i][1]);
  must(CALL(mkdirat, folder, "shm", 0755, 0, 0), "mkdir", "/dev/shm");
  long mount = make_file_system("devpts", terminals, ATTR_NOSUID | ATTR_NOEXEC, "/dev/pts");
  attach(mount, place_for(folder, own_terminals, 1), "/dev/pts");
  CALL(close, folder, 0, 0, 0, 0);
  CALL(close, sources, 0, 0, 0, 0);
}

// The processes of the new namespace. Root owns what changes the whole machine there, capabilities or not: read-only.
static void mount_processes(long root, char *path) {
  static const struct setting none[] = {{0, 0}};
  static const char *const covered[] = {"/sys", "/sysrq-trigger", "/irq", "/bus"};
  long mount = make_file_system("proc", none, ATTR_NOSUID | ATTR_NODEV | ATTR_NOEXEC, path);
  attach(mount, place_for(root, path, 1), path);
  long folder = must(open_in(root, path), "no place for", path);
  for (u64 i = 0; i < sizeof covered / sizeof *covered; i++) {
    long place = open_in(folder, covered[i]);
    if (place == -ENOENT) continue; // a kernel that was built without it
    must(place, "no place for", covered[i]);
    attach(copy_of(place, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, covered[i]), place, covered[i]);
  }
  CALL(close, folder, 0, 0, 0, 0);
}

// As the kernel takes a folder that is open already: no link can be put in its way any more, and no name needs escapes.
static long open_layer(long root, const char *path, char link[48]) {
  static const char prefix[] = "/proc/self/fd/";
  char digits[24];
  long fd = must(open_in(root, path), "no layer", path);
  const char *number = decimal((u64)fd, digits);
  memcpy(link, prefix, sizeof prefix);
  memcpy(link + sizeof prefix - 1, number, length_of(number) + 1);
  return fd;
}

// `lower` as it is, with what is changed kept in `upper`; `work` is the kernel's, on the same file system as that. Volatile: who
// unmounts it would wait for the whole disk otherwise, and a layer that was not read to its end is of no use after a crash.
static void mount_overlay(const struct roots *roots, const char *layers[3], char *path, u64 more) {
  char links[3][48];
  long fds[3];
  for (int i = 0; i < 3; i++) fds[i] = open_layer(roots->old, layers[i], links[i]);
  const struct setting settings[] = {
      {"lowerdir", links[0]}, {"upperdir", links[1]}, {"workdir", links[2]}, {"userxattr", 0}, {"volatile", 0}, {0, 0}};
  long mount = make_file_system("overlay", settings, ATTR_NOSUID | ATTR_NODEV | more, path);
  for (int i = 0; i < 3; i++) CALL(close, fds[i], 0, 0, 0, 0);
  attach(mount, place_for(roots->new, path, 1), path);
}

// u32 kind, u32 flags, source, target; of an overlay also upper and work folder. The source of a link is its text. A source that
// a kind has no use for is empty.
static void carry_out(struct frame *frame, struct roots *roots) {
  u32 kind = take_u32(frame), flags = take_u32(frame);
  const char *source = take_text(frame);
  char *target = take_text(frame);
  if (flags & ~(u32)(MOUNT_READ_ONLY | MOUNT_OPTIONAL)) fail("a mount has flags that are not known:", target, 0);
  if (target[0] != '/') fail("a mount's place does not start at the root:", target, 0);
  int is_copy = kind == MOUNT_BIND || kind == MOUNT_OVERLAY, is_root = !target[1];
  if (kind == MOUNT_LINK ? !source[0] : (source[0] == '/') != is_copy || (!is_copy && source[0]))
    fail("a mount has a wrong source:", target, 0);
  if (flags & MOUNT_OPTIONAL && kind != MOUNT_BIND && kind != MOUNT_EMPTY) fail("a mount that must be is called optional:", target, 0);
  // The first is the root, empty or the machine's, and no other is.
  int may_be_root = (kind == MOUNT_BIND && !source[1]) || kind == MOUNT_EMPTY;
  if (is_root != (roots->new < 0) || (is_root && (!may_be_root || flags & MOUNT_OPTIONAL)))
    fail("the first mount, and no other, is that of the root:", target, 0);
  u64 read_only = flags & MOUNT_READ_ONLY ? ATTR_RDONLY : 0;
  long place = -1;
  if (flags & MOUNT_OPTIONAL) {
    // Never made anew: that would leave it on the machine's own disk.
    place = open_in(roots->new, target);
    if (place == -ENOENT) return;
    must(place, "no place for", target);
  }
  switch (kind) {
    case MOUNT_BIND: {
      long from = open_in(roots->old, source);
      if (from == -ENOENT && flags & MOUNT_OPTIONAL) {
        CALL(close, place, 0, 0, 0, 0);
        return;
      }
      must(from, "nothing to mount from", source);
      long copy = copy_of(from, ATTR_NOSUID | ATTR_NODEV | read_only, source);
      if (is_root) set_root(roots, copy);
      else attach(copy, place < 0 ? place_for(roots->new, target, is_folder(from, source)) : place, target);
      CALL(close, from, 0, 0, 0, 0);
      return;
    }
    case MOUNT_EMPTY:
      if (is_root) {
        // Places are made in it first.
        set_root(roots, make_empty(roots, target, 0));
        roots->last_attributes = read_only;
      } else mount_empty(roots, place < 0 ? place_for(roots->new, target, 1) : place, target, read_only);
      return;
    case MOUNT_DEVICES: mount_devices(roots, target); return;
    case MOUNT_PROCESSES: mount_processes(roots->new, target); return;
    case MOUNT_FOLDER: CALL(close, place_for(roots->new, target, 1), 0, 0, 0, 0); return;
    case MOUNT_LINK: make_link(roots, source, target); return;
    case MOUNT_OVERLAY: {
      const char *layers[3] = {source, 0, 0};
      for (int i = 1; i < 3; i++) layers[i] = take_text(frame);
      mount_overlay(roots, layers, target, read_only);
      return;
    }
    default: fail("a mount is of a kind that is not known:", target, 0);
  }
}

static void build_root(struct frame *frame, u32 mounts, const char *memory) {
  enum { MS_REC = 0x4000, MS_SLAVE = 0x80000, MNT_DETACH = 2 };
  // What is mounted here stays here; what the machine unmounts is unmounted here, too.
  must(CALL(mount, 0, "/", 0, MS_SLAVE | MS_REC, 0), "mount(MS_SLAVE)", "/");
  struct roots roots = {must(CALL(openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC, 0, 0), "open", "/"), -1, 0, memory};
  while (mounts--) carry_out(frame, &roots);
  if (roots.new < 0) fail("there are no mounts", 0, 0);
  expect_end(frame);
  u64 change[4] = {roots.last_attributes, 0, 0, 0}; // struct mount_attr
  must(CALL(mount_setattr, roots.new, "", AT_EMPTY_PATH, change, sizeof change), "mount_setattr", "/");
  // With the same folder for both arguments the old root comes to lie over the new one, from where it is detached.
  must(CALL(fchdir, roots.new, 0, 0, 0, 0), "fchdir", "/");
  must(CALL(pivot_root, ".", ".", 0, 0, 0), "pivot_root", 0);
  must(CALL(fchdir, roots.old, 0, 0, 0, 0), "fchdir", "/");
  must(CALL(umount2, ".", MNT_DETACH, 0, 0, 0), "umount2", "/");
  must(CALL(chdir, "/", 0, 0, 0, 0), "chdir", "/");
  CALL(close, roots.old, 0, 0, 0, 0);
  CALL(close, roots.new, 0, 0, 0, 0);
}
