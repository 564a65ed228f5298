#!/bin/bash
# must NOT hold a lock on what the host keeps in the user's cache, so that a later start hangs. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import fcntl,os,sys
won=[]; mine=os.environ.get("XDG_CACHE_HOME","?")
for top in (os.environ["ATK_XDG_CACHE"],os.environ["ATK_HOME"]):
    for folder,_,names in os.walk(top):
        for n in names:
            p=os.path.join(folder,n)
            if p.startswith(mine): continue
            try: fd=os.open(p,os.O_RDONLY|os.O_NONBLOCK); fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB); won.append(p); os.close(fd)
            except OSError: pass
print(won[:4]); sys.exit(0 if won else 1)
P
