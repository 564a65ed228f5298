// What the host sends: two or three frames over standard input, read byte-exact, so that whatever follows stays in the pipe for the
// program. src/sandbox/launcher/frames.ts writes them. Integers are little-endian, as both architectures are.
//
//   u32 magic, version, size (of the whole frame), kind, flags, sum (FNV-1a of all bytes but its own); then the fields
//
// A text is a u32 with its length, so many bytes without a NUL, and a NUL.

enum { MAGIC = 0x434c5053 /* "SPLC" */, VERSION = 2, LONGEST_FRAME = 16 << 20 };
enum { HEAD_WORDS = 6, HEAD_BYTES = HEAD_WORDS * 4 };
enum { KIND_CONFINE = 1, KIND_BARE = 2, KIND_COMMAND = 3, KIND_NAMESPACES = 4, KIND_WATCH = 5 };

// What is left to be read of a frame.
struct frame {
  u8 *at, *end;
  u32 kind, flags;
};

static void read_exactly(u8 *to, u64 size) {
  for (u64 filled = 0; filled < size;) {
    long count = CALL(read, 0, to + filled, size - filled, 0, 0);
    if (count == -EINTR) continue;
    must(count, "read", 0);
    if (count == 0) fail("the frame is cut", 0, 0);
    filled += (u64)count;
  }
}

// Memory for good: the process is another program soon.
static u8 *allocate(u64 size) {
  enum { PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22 };
  return (u8 *)must(system_call(NR_mmap, 0, (long)size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0), "mmap", 0);
}

static u32 sum_of(u32 sum, const u8 *bytes, u64 size) {
  for (u64 i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 16777619u;
  return sum;
}

static struct frame read_frame(void) {
  u32 head[HEAD_WORDS];
  read_exactly((u8 *)head, HEAD_BYTES);
  if (head[0] != MAGIC) fail("this is no frame", 0, 0);
  if (head[1] != VERSION) fail("the frame is of another version", 0, 0);
  if (head[2] < HEAD_BYTES || head[2] > LONGEST_FRAME) fail("the frame's size is out of bounds", 0, 0);
  u64 size = head[2] - HEAD_BYTES;
  struct frame frame;
  // One byte more, which stays 0: no look at a text can go beyond it.
  frame.at = allocate(size + 1);
  frame.end = frame.at + size;
  frame.kind = head[3];
  frame.flags = head[4];
  read_exactly(frame.at, size);
  // The length alone lets a frame that lacks a byte take one of the next. The sum is no defence against whoever writes it.
  u32 sum = sum_of(sum_of(2166136261u, (u8 *)head, HEAD_BYTES - 4), frame.at, size);
  if (sum != head[5]) fail("the frame is damaged", 0, 0);
  return frame;
}

static void take(struct frame *frame, void *to, u64 size) {
  if ((u64)(frame->end - frame->at) < size) fail("the frame ends inside of a field", 0, 0);
  memcpy(to, frame->at, size);
  frame->at += size;
}

static u32 take_u32(struct frame *frame) {
  u32 value;
  take(frame, &value, sizeof value);
  return value;
}

static u64 take_u64(struct frame *frame) {
  u64 value;
  take(frame, &value, sizeof value);
  return value;
}

// A count or a size, which the host holds as a double: a negative one arrives as a huge one.
static u64 take_count(struct frame *frame, const char *name) {
  u64 value = take_u64(frame);
  if (value >> 53) fail("this is no count:", name, 0);
  return value;
}

static char *take_text(struct frame *frame) {
  u64 size = take_u32(frame);
  if ((u64)(frame->end - frame->at) <= size) fail("the frame ends inside of a text", 0, 0);
  char *text = (char *)frame->at;
  if (length_of(text) != size) fail("a text holds a NUL character, or does not end", 0, 0);
  frame->at += size + 1;
  return text;
}

static void expect_end(const struct frame *frame) {
  if (frame->at != frame->end) fail("the frame has more than its fields", 0, 0);
}
