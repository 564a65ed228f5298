// The filter of a process whose network is a list of hosts leaves some calls to the host: seccomp_unotify(2). Whoever holds
// the filter's listener answers them, so it goes to the host, over a socket that the host left open for this process, and
// nothing of it stays here.

// Of the policy's flags: there is a listener, and above them the number of the socket that it goes to.
enum { NOTIFY = 0x8000, CHANNEL_AT = 16 };

static u32 known_flags(u32 flags) { return flags & NOTIFY ? flags & ((1u << CHANNEL_AT) - 1) & ~(u32)NOTIFY : flags; }

static void hand_over(long listener, u32 channel) {
  enum { SOL_SOCKET = 1, SCM_RIGHTS = 1 };
  struct {
    u64 size;
    int level, type, fd, end;
  } control = {20, SOL_SOCKET, SCM_RIGHTS, (int)listener, 0}; // struct cmsghdr and one descriptor, cmsg(3)
  struct {
    void *bytes;
    u64 size;
  } part = {"L", 1};
  struct {
    void *name;
    u64 name_size;
    void *parts;
    u64 count;
    void *control;
    u64 control_size, flags;
  } message = {0, 0, &part, 1, &control, sizeof control, 0}; // struct msghdr, recvmsg(2)
  must(CALL(sendmsg, channel, &message, 0, 0, 0), "sendmsg", 0);
  must(CALL(close, channel, 0, 0, 0, 0), "close", 0);
  must(CALL(close, listener, 0, 0, 0, 0), "close", 0);
}

// `filter`: struct sock_fprog. A call that the host has seen is interrupted by nothing but the end of the process (Linux
// 5.19): repeated, it would be answered twice.
static void install_with_listener(void *filter, u32 channel) {
  enum { SECCOMP_SET_MODE_FILTER = 1, NEW_LISTENER = 8, WAIT_KILLABLE_RECV = 32 };
  long listener = CALL(seccomp, SECCOMP_SET_MODE_FILTER, NEW_LISTENER | WAIT_KILLABLE_RECV, filter, 0, 0);
  hand_over(must(listener, "seccomp(NEW_LISTENER)", 0), channel);
}
