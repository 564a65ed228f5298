// What a program without a C library has to bring itself: types, system calls, strings, and one way to fail.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

#if defined(__x86_64__)
#include "calls_x86_64.h"
#elif defined(__aarch64__)
#include "calls_aarch64.h"
#else
#error "no table of system calls for this architecture"
#endif

// Returns what the kernel returns: a result, or minus an errno.
#define CALL(name, a, b, c, d, e) system_call(NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

enum { EPERM = 1, ENOENT = 2, EINTR = 4, EEXIST = 17, EINVAL = 22, ENOSYS = 38 };
enum { AT_FDCWD = -100, O_WRONLY = 1, O_CLOEXEC = 02000000, O_PATH = 010000000 };

// Exit code of a process that ran nothing.
enum { CONFINE_FAILED = 71 };

// The compiler may call these two for an initializer or an assignment; the linker drops what nobody calls.
void *memset(void *to, int byte, u64 size) {
  for (u64 i = 0; i < size; i++) ((u8 *)to)[i] = (u8)byte;
  return to;
}

void *memcpy(void *to, const void *from, u64 size) {
  for (u64 i = 0; i < size; i++) ((u8 *)to)[i] = ((const u8 *)from)[i];
  return to;
}

static u64 length_of(const char *text) {
  u64 length = 0;
  while (text[length]) length++;
  return length;
}

static int is_same(const char *one, const char *other) {
  while (*one && *one == *other) one++, other++;
  return *one == *other;
}

static char *decimal(u64 number, char digits[24]) {
  char *at = digits + 23;
  *at = 0;
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  return at;
}

// ---- failing: one JSON line on standard error, exit code 71 ----

// What is being done, for the report.
static const char *step = "start";
// Standard error, until that becomes the program's.
static int report = 2;

struct line {
  char text[6144];
  u32 used;
};

static void put_raw(struct line *line, const char *text) {
  while (*text && line->used < sizeof line->text) line->text[line->used++] = *text++;
}

// Inside of a JSON string. A path may hold any byte: the line must stay one line, and leave room for its own end.
static void put(struct line *line, const char *text) {
  for (; *text && line->used < sizeof line->text - 8; text++) {
    u8 c = (u8)*text;
    if (c == '"' || c == '\\') line->text[line->used++] = '\\';
    line->text[line->used++] = c < ' ' || c == 127 ? '?' : (char)c;
  }
}

static void put_number(struct line *line, u64 number) {
  char digits[24];
  put(line, decimal(number, digits));
}

static const char *errno_name(long number) {
  switch (number) {
    case 1: return "EPERM";
    case 2: return "ENOENT";
    case 7: return "E2BIG";
    case 8: return "ENOEXEC";
    case 9: return "EBADF";
    case 12: return "ENOMEM";
    case 13: return "EACCES";
    case 14: return "EFAULT";
    case 16: return "EBUSY";
    case 17: return "EEXIST";
    case 18: return "EXDEV";
    case 19: return "ENODEV";
    case 20: return "ENOTDIR";
    case 22: return "EINVAL";
    case 24: return "EMFILE";
    case 26: return "ETXTBSY";
    case 28: return "ENOSPC";
    case 30: return "EROFS";
    case 36: return "ENAMETOOLONG";
    case 38: return "ENOSYS";
    case 40: return "ELOOP";
    case 87: return "EUSERS";
    case 95: return "EOPNOTSUPP";
    default: return 0;
  }
}

// `what` and, where there is one, `which` it was, and `result`: minus the errno of a call that failed, or 0.
__attribute__((noreturn, noinline)) static void fail(const char *what, const char *which, long result) {
  struct line line;
  line.used = 0;
  put_raw(&line, "{\"confine\":\"failed\",\"step\":\"");
  put(&line, step);
  put_raw(&line, "\",\"why\":\"");
  put(&line, what);
  if (which) put(&line, " "), put(&line, which);
  if (result < 0) {
    const char *name = errno_name(-result);
    put(&line, ": ");
    if (name) put(&line, name);
    else put(&line, "errno "), put_number(&line, (u64)-result);
  }
  put_raw(&line, "\"}\n");
  CALL(write, report, line.text, line.used, 0, 0);
  CALL(exit_group, CONFINE_FAILED, 0, 0, 0, 0);
  // Where a filter refuses even that, a signal ends the process; returning would go on unconfined.
  __builtin_trap();
}

static long must(long result, const char *what, const char *which) {
  if (result < 0) fail(what, which, result);
  return result;
}
