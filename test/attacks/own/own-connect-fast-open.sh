#!/bin/bash
# must NOT reach the host's TCP listener without connect(): data with the first packet (fast open) by sendto, sendmsg, sendmmsg and as a socket option, or an address beside the data. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: sleep 0.2; grep -q atk-fast "$ATK_OUT/hits.log"
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,os,socket,struct,sys
libc=ctypes.CDLL(None,use_errno=True); port=int(os.environ["ATK_TCP"]); data=b"atk-fast"; ok=1
def tcp(): s=socket.socket(); s.settimeout(1); return s
def raw(s):
    to=ctypes.create_string_buffer(struct.pack("<H",2)+struct.pack(">H",port)+bytes([127,0,0,1])+bytes(8),16); text=ctypes.create_string_buffer(data)
    part=struct.pack("QQ",ctypes.addressof(text),len(data)); parts=ctypes.create_string_buffer(part,16)
    head=ctypes.create_string_buffer(struct.pack("QIIQQQQII",ctypes.addressof(to),16,0,ctypes.addressof(parts),1,0,0,0,0)+bytes(8))
    return libc.sendmmsg(s.fileno(),head,1,0x20000000)
def option(s): s.setsockopt(6,30,1); s.connect(("127.0.0.1",port)); s.send(data); return 1
for way in (lambda s:s.sendto(data,0x20000000,("127.0.0.1",port)), lambda s:s.sendmsg([data],[],0x20000000,("127.0.0.1",port)), raw, option,
            lambda s:s.sendto(data,0x4000,("127.0.0.1",port))):
    try:
        with tcp() as s:
            if way(s)>0: ok=0
    except OSError: pass
sys.exit(ok)
P
