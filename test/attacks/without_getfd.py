# Starts a program in which pidfd_getfd(2) fails, as on machines that let no process look into another one (Yama's ptrace_scope
# 3, filters of containers, kernels before 5.6). Arguments: EPERM, ENOSYS, or `foreign`: EPERM, but a process may still copy
# the descriptor that stands for itself, as under Yama; then the program and its arguments.
import ctypes, errno, os, struct, sys

mode, *command = sys.argv[1:]
PIDFD_GETFD = 438  # of all architectures
LOAD, COPY_TO_X, IF_EQUAL, IF_EQUAL_X, RETURN = 0x20, 0x07, 0x15, 0x1D, 0x06
NUMBER, FIRST, SECOND = 0, 16, 24  # of struct seccomp_data
DENY, ALLOW = 0x50000, 0x7FFF0000
own = [(LOAD, 0, 0, FIRST), (COPY_TO_X, 0, 0, 0), (LOAD, 0, 0, SECOND), (IF_EQUAL_X, 1, 0, 0)] if mode == "foreign" else []
why = errno.ENOSYS if mode == "ENOSYS" else errno.EPERM
lines = [(LOAD, 0, 0, NUMBER), (IF_EQUAL, 0, len(own) + 1, PIDFD_GETFD), *own, (RETURN, 0, 0, DENY | why), (RETURN, 0, 0, ALLOW)]
program = b"".join(struct.pack("=HBBI", *line) for line in lines)


class Filter(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("lines", ctypes.c_char_p)]


libc = ctypes.CDLL(None, use_errno=True)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(Filter(len(lines), program))) == 0
os.execvp(command[0], command)
