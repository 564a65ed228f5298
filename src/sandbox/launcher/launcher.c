// Confines its own process by frames on standard input: first namespaces, where they are wanted, then a policy. Then it waits
// there for a last frame, and becomes the program that it names.
//
// The host decides and assembles everything (src/sandbox/confine/launch.ts); here it is carried out, in one fixed order: what needs
// rights comes before what takes them away, and the system call filter is the last. Whatever is wrong ends the process with
// code 71 and one JSON line on standard error, and nothing is run. There is no C library, no heap, no argument and no
// variable: nothing but the frames has a say, and the process holds some kilobytes of memory while it waits.
//
// It is the sentinel instead (sentinel.h) where the first frame says so.
//
// `deno task launcher` builds it for both architectures; image.ts holds the bytes.
#include "base.h"
#include "frame.h"
#include "limits.h"
#include "privileges.h"
#include "landlock.h"
#include "listener.h"
#include "command.h"
#include "mounts.h"
#include "namespaces.h"
#include "sentinel.h"

// Of the policy, beside those of landlock.h: the kernel counts the tasks of the whole machine with those of this
// sandbox, because they share a user namespace.
enum { SHARED_TASKS = 4 };

static void install_filter(struct frame *frame, u32 instructions) {
  enum { PR_SET_SECCOMP = 22, SECCOMP_MODE_FILTER = 2, BPF_MAXINSNS = 4096, INSTRUCTION_BYTES = 8 };
  u64 size = (u64)instructions * INSTRUCTION_BYTES;
  if (instructions == 0 || instructions > BPF_MAXINSNS) fail("the filter has a wrong length", 0, 0);
  if ((u64)(frame->end - frame->at) < size) fail("the filter is cut", 0, 0);
  struct {
    u16 count;
    void *program;
  } filter = {(u16)instructions, frame->at}; // struct sock_fprog
  frame->at += size;
  // Known before the last step is taken.
  expect_end(frame);
  if (frame->flags & NOTIFY) return install_with_listener(&filter, frame->flags >> CHANNEL_AT);
  must(CALL(prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0), "prctl(PR_SET_SECCOMP)", 0);
}

static void confine(void) {
  enum { PR_SET_CHILD_SUBREAPER = 36 };
  step = "policy";
  struct frame frame = read_frame();
  if (frame.kind == KIND_WATCH) keep_watch(&frame);
  int is_inside = frame.kind == KIND_NAMESPACES;
  if (is_inside) {
    enter_namespaces(&frame);
    step = "policy";
    frame = read_frame();
  }
  // Namespaces without the kernel's other means are no level.
  if (frame.kind != KIND_CONFINE && (frame.kind != KIND_BARE || is_inside)) fail("this frame is no policy", 0, 0);
  if (known_flags(frame.flags) & ~(u32)(DENY_TCP | SCOPE | SHARED_TASKS)) fail("the policy has flags that are not known", 0, 0);
  // Orphans below this process become its children: of two commands at once nobody could tell whose they are. Survives
  // execve.
  must(CALL(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl(PR_SET_CHILD_SUBREAPER)", 0);
  u64 file_bytes = take_count(&frame, "fileBytes");
  u64 open_files = take_count(&frame, "openFiles");
  u64 tasks = take_count(&frame, "tasks");
  u32 least_abi = take_u32(&frame), apart = take_u32(&frame), rules = take_u32(&frame), filter = take_u32(&frame);
  const char *cwd = take_text(&frame);
  step = "folder";
  must(CALL(chdir, cwd, 0, 0, 0, 0), "chdir", cwd);
  step = "limits";
  lower_limit(RLIMIT_CORE, 0, HARD);
  lower_limit(RLIMIT_FSIZE, file_bytes, HARD);
  lower_limit(RLIMIT_NOFILE, open_files, HARD);
  volunteer_for_out_of_memory();
  if (frame.kind == KIND_BARE) {
    // The policy's level has no kernel in it, and the program is one that confines itself by other means.
    step = "policy";
    if (apart || rules || filter || frame.flags & NOTIFY) fail("a policy without a kernel has rules for one", 0, 0);
    expect_end(&frame);
    return;
  }
  lower_limit(RLIMIT_NPROC, tasks + (frame.flags & SHARED_TASKS ? tasks_of_machine() : 0), SOFT);
  step = "namespaces";
  while (apart--) {
    const char *name = take_text(&frame);
    prove_apart(name, take_text(&frame));
  }
  step = "capabilities";
  drop_capabilities();
  step = "landlock";
  restrict_self(&frame, (long)least_abi, rules);
  step = "seccomp";
  install_filter(&frame, filter);
}

// Called by _start.
__attribute__((noreturn, used)) void launch(void) {
  step = "parent";
  // The kernel ends this process with the thread that started it, whatever ended that. If the parent died before this
  // call, its end of the pipe is closed and the first frame is cut.
  must(CALL(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "prctl(PR_SET_PDEATHSIG)", 0);
  step = "session";
  // What a terminal sends to the host's processes must not reach this one, and its group can be ended as a whole. The host
  // leaves it to this program, because a host that makes the session forks for it. Whoever leads one already may not make
  // another, and need not.
  CALL(setsid, 0, 0, 0, 0, 0);
  if (CALL(getsid, 0, 0, 0, 0, 0) != CALL(getpid, 0, 0, 0, 0, 0)) fail("no session of its own", 0, 0);
  step = "signals";
  reset_signals();
  confine();
  become_command();
}
