// Namespaces that must have been left, and capabilities, which all go for good.

// Fails unless this process has left a namespace of the host, known by its link in /proc/self/ns: whatever was to take it
// out (bubblewrap) may have failed to, or may not have tried.
static void prove_apart(const char *name, const char *host) {
  char path[64] = "/proc/self/ns/", own[128];
  u64 at = length_of(path), size = length_of(name);
  if (size == 0 || at + size >= sizeof path) fail("no namespace has such a name:", name, 0);
  memcpy(path + at, name, size + 1);
  long count = must(CALL(readlinkat, AT_FDCWD, path, own, sizeof own - 1, 0), "this namespace cannot be seen:", name);
  own[count] = 0;
  if (!is_same(own, host)) return;
  struct line why;
  why.used = 0;
  put_raw(&why, "this process is still in the ");
  put_raw(&why, name);
  put_raw(&why, " namespace of the host");
  why.text[why.used] = 0;
  fail(why.text, 0, 0);
}

// capabilities(7), prctl(2), linux/securebits.h
static void drop_capabilities(void) {
  enum { PR_CAPBSET_DROP = 24, PR_SET_SECUREBITS = 28, PR_CAP_AMBIENT = 47, PR_CAP_AMBIENT_CLEAR_ALL = 4 };
  // Being uid 0 means nothing, changing uid means nothing, and neither can be undone: NOROOT, NO_SETUID_FIXUP, all locked.
  enum { SECUREBITS = 0xaf };
  // Without CAP_SETPCAP neither the bounding set nor the bits may be touched (EPERM): there is nothing to lose then, and
  // no_new_privs keeps it so. EINVAL: there are no capabilities beyond.
  for (int capability = 0; capability < 64; capability++) {
    long result = CALL(prctl, PR_CAPBSET_DROP, capability, 0, 0, 0);
    if (result == -EINVAL || result == -EPERM) break;
    must(result, "prctl(PR_CAPBSET_DROP)", 0);
  }
  long result = CALL(prctl, PR_SET_SECUREBITS, SECUREBITS, 0, 0, 0);
  if (result != -EPERM) must(result, "prctl(PR_SET_SECUREBITS)", 0);
  must(CALL(prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "prctl(PR_CAP_AMBIENT_CLEAR_ALL)", 0);
  u32 header[2] = {0x20080522 /* _LINUX_CAPABILITY_VERSION_3 */, 0}, none[6] = {0, 0, 0, 0, 0, 0};
  must(CALL(capset, header, none, 0, 0, 0), "capset", 0);
}
