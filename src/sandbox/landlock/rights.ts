// Access rights of Landlock's file system rules: linux/landlock.h, documented in Documentation/userspace-api/landlock.rst.

/** Bits by name. */
export const RIGHT = {
  EXECUTE: 1 << 0,
  WRITE_FILE: 1 << 1,
  READ_FILE: 1 << 2,
  READ_DIR: 1 << 3,
  REMOVE_DIR: 1 << 4,
  REMOVE_FILE: 1 << 5,
  MAKE_CHAR: 1 << 6,
  MAKE_DIR: 1 << 7,
  MAKE_REG: 1 << 8,
  MAKE_SOCK: 1 << 9,
  MAKE_FIFO: 1 << 10,
  MAKE_BLOCK: 1 << 11,
  MAKE_SYM: 1 << 12,
  REFER: 1 << 13,
  TRUNCATE: 1 << 14,
  IOCTL_DEV: 1 << 15,
} as const;

/** Read files and folders. */
export const LOOK = RIGHT.READ_FILE | RIGHT.READ_DIR;

/** Read and start programs. */
export const READ = LOOK | RIGHT.EXECUTE;

/** Change, make, move and remove; no device nodes: a block device made in the workspace would be the disk. */
export const WRITE = RIGHT.WRITE_FILE | RIGHT.TRUNCATE | RIGHT.REMOVE_DIR | RIGHT.REMOVE_FILE | RIGHT.MAKE_DIR |
  RIGHT.MAKE_REG | RIGHT.MAKE_SOCK | RIGHT.MAKE_FIFO | RIGHT.MAKE_SYM | RIGHT.REFER;

/** Use a device that is there. */
export const DEVICE = RIGHT.READ_FILE | RIGHT.WRITE_FILE | RIGHT.IOCTL_DEV;
