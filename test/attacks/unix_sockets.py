# Tries to reach the sockets of a daemon (unix_daemon.py) by every way to name them, and uses sockets of its own. Prints one
# JSON object: what came of each. Arguments: the directory of the daemon.
import ctypes, fcntl, json, os, platform, socket, struct, sys, threading, time

D = sys.argv[1]
WS = os.getcwd()
U, S = socket.AF_UNIX, socket.SOCK_STREAM
libc = ctypes.CDLL(None, use_errno=True)
CONNECT, SECCOMP = (42, 317) if platform.machine() == "x86_64" else (203, 277)
results = {}
sys.setswitchinterval(0.0001)


def t(name, f):
    try:
        r = f()
    except OSError as e:
        r = e.strerror or str(e)
    results[name] = r if isinstance(r, dict) else r.decode() if isinstance(r, bytes) else str(r)

def con(p,ty=S):
    s=socket.socket(U,ty); s.settimeout(3); s.connect(p); return s.recv(20)
t('plain',lambda:con(D+'/d.sock'))
t('seq',lambda:con(D+'/seq.sock',socket.SOCK_SEQPACKET))
t('dgram connect',lambda:con(D+'/dg.sock',socket.SOCK_DGRAM))
t('sendto',lambda:socket.socket(U,socket.SOCK_DGRAM).sendto(b'x',D+'/dg.sock'))
t('sendmsg',lambda:socket.socket(U,socket.SOCK_DGRAM).sendmsg([b'x'],[],0,D+'/dg.sock'))
t('pair dgram',lambda:socket.socketpair(U,socket.SOCK_DGRAM)[0].sendto(b'x',D+'/dg.sock'))
t('pair raw',lambda:socket.socketpair(U,socket.SOCK_RAW)[0].sendto(b'x',D+'/dg.sock'))
t('pair stream sendto',lambda:socket.socketpair(U,S)[0].sendto(b'x',D+'/dg.sock'))
t('stream sendto',lambda:socket.socket(U,S).sendto(b'x',D+'/d.sock'))
t('seq sendmsg',lambda:socket.socket(U,socket.SOCK_SEQPACKET).sendmsg([b'x'],[],0,D+'/seq.sock'))
def rel():
    os.chdir(D)
    try: return con('d.sock')
    finally: os.chdir(WS)
t('relative',rel)
def relup():
    os.chdir(os.path.dirname(D))
    try: return con('../'+os.path.basename(os.path.dirname(D))+'/./'+os.path.basename(D)+'//d.sock')
    finally: os.chdir(WS)
t('dotdot',relup)
def link(to,n='l.sock'):
    if os.path.lexists(n): os.unlink(n)
    os.symlink(to,n); return con(WS+'/'+n)
t('symlink',lambda:link(D+'/d.sock'))
t('symlink rel',lambda:link(os.path.relpath(D+'/d.sock',WS)))
def linkdir():
    os.symlink(D, 'ld')
    return con('ld/d.sock')
t('symlink dir', linkdir)
t('proc self root',lambda:con('/proc/self/root'+D+'/d.sock'))
def selfcwd():
    os.chdir(D)
    try: return con('/proc/self/cwd/d.sock')
    finally: os.chdir(WS)
t('proc self cwd', selfcwd)
def opath():
    fd=os.open(D+'/d.sock',os.O_PATH); return con('/proc/self/fd/%d'%fd)
t('opath',opath)
def opathdir():
    fd=os.open(D,os.O_PATH); return con('/proc/self/fd/%d/d.sock'%fd)
t('opath dir',opathdir)
t('dev fd',lambda:con('/dev/fd/%d'%os.open(D+'/d.sock',os.O_PATH)))
def hard():
    os.link(D + '/d.sock', 'h.sock')
    return con('h.sock')
t('hardlink', hard)
def raw(fd,b,n): 
    r=libc.syscall(CONNECT, fd, b, n); 
    if r<0: raise OSError(ctypes.get_errno(),os.strerror(ctypes.get_errno()))
    return r
def rawcon(b,n,hi=0):
    s=socket.socket(U,S); r=raw(ctypes.c_long(s.fileno()|hi<<32),b,ctypes.c_long(n)); return s.recv(20)
A=struct.pack('=H',1)+(D+'/d.sock').encode()
t('no nul',lambda:rawcon(A,len(A)))
t('len 110',lambda:rawcon(A.ljust(110,b'\0'),110))
t('high bits',lambda:rawcon(A.ljust(110,b'\0'),110,7))
t('len high bits',lambda:rawcon(A.ljust(110,b'\0'),110|1<<32))
t('too long',lambda:rawcon(A.ljust(200,b'\0'),200))
t('negative',lambda:rawcon(A,-1))
t('bad pointer',lambda:raw(socket.socket(U,S).fileno(),ctypes.c_void_p(8),110))
t('bad fd',lambda:raw(999,A,len(A)))
t('not socket',lambda:raw(os.open('/dev/null',0),A,len(A)))
t('abstract',lambda:con('\0'+sys.argv[2]))
t('double slash',lambda:con('//'+D+'//./d.sock'))
# own listener
def lis():
    class F(ctypes.Structure): _fields_=[('n',ctypes.c_ushort),('p',ctypes.c_void_p)]
    prog=struct.pack('='+'HBBI'*4,0x20,0,0,0,0x15,0,1,CONNECT,0x06,0,0,0x7fc00000,0x06,0,0,0x7fff0000); b=ctypes.create_string_buffer(prog)
    f=F(4,ctypes.addressof(b)); r=libc.syscall(SECCOMP,1,8,ctypes.byref(f))
    return os.close(r) if r >= 0 else os.strerror(ctypes.get_errno())
t('listener',lis)
# own server in the workspace
def own(p,cp=None):
    if os.path.exists(p): os.unlink(p)
    s=socket.socket(U,S); s.bind(p); s.listen(1)
    c=socket.socket(U,S); c.connect(cp or p); a,_=s.accept(); c.sendall(b'hi'); return a.recv(9)
t('own abs',lambda:own(WS+'/o.sock'))
t('own rel',lambda:own('o.sock'))
t('own dot',lambda:own('./o.sock'))
def sub():
    os.makedirs('sub', exist_ok=True)
    return own('sub/o.sock', 'sub/../sub/o.sock')
t('own sub', sub)
t('own tmp',lambda:own(os.environ.get('TMPDIR','/tmp')+'/o.sock'))
t('own /tmp',lambda:own('/tmp/o.sock'))
t('own shm',lambda:own('/dev/shm/o.sock'))
def ownlink():
    os.symlink('o.sock', 'ol')
    return own('o.sock', 'ol')
t('own symlink', ownlink)
t('own abstract',lambda:own('\0own%d'%os.getpid()))
def full(is_blocking):
    if os.path.exists('b.sock'): os.unlink('b.sock')
    s = socket.socket(U, S); s.bind('b.sock'); s.listen(0)
    first = socket.socket(U, S); first.connect('b.sock')
    second = socket.socket(U, S); second.setblocking(is_blocking)
    if is_blocking: threading.Timer(0.3, s.accept).start()
    second.connect('b.sock')
    return 'flags %o' % (fcntl.fcntl(second, fcntl.F_GETFL) & os.O_NONBLOCK)
t('full queue, waiting', lambda: full(True))
t('full queue, not waiting', lambda: full(False))
t('missing',lambda:con('nothing.sock'))
def plain():
    open('plain', 'w').close()
    return con('plain')
t('file', plain)
def inet(fam,host):
    s=socket.socket(fam,S); s.bind((host,0)); s.listen(5); c=socket.socket(fam,S); c.connect(s.getsockname()); a,_=s.accept(); c.sendall(b'hi'); return a.recv(9)
t('inet',lambda:inet(socket.AF_INET,'127.0.0.1'))
t('inet6',lambda:inet(socket.AF_INET6,'::1'))
def refused():
    s=socket.socket(); s.bind(('127.0.0.1',0)); p=s.getsockname(); s.close(); socket.socket().connect(p)
t('refused',refused)
def udp():
    a=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); a.bind(('127.0.0.1',0)); b=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); b.connect(a.getsockname()); b.send(b'u'); return a.recv(9)
t('udp',udp)
def unspec():
    b=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); b.connect(('127.0.0.1',9)); return raw(b.fileno(),struct.pack('=H14x',0),16)
t('unspec',unspec)
def timeout():
    s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(0)
    held = [socket.socket() for _ in range(3)]
    for c in held: c.setblocking(False); c.connect_ex(s.getsockname())
    d = socket.socket(); d.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack('ll', 0, 200000))
    d.connect(s.getsockname())
t('send timeout', timeout)
# races
def race_mem():
    os.path.exists('r.sock') and os.unlink('r.sock')
    s=socket.socket(U,S); s.bind('r.sock'); s.listen(4000)
    good=(struct.pack('=H',1)+(WS+'/r.sock').encode()).ljust(110,b'\0'); bad=A.ljust(110,b'\0')
    buf=ctypes.create_string_buffer(110); stop=[0]
    def flip():
        while not stop[0]: ctypes.memmove(buf,good,110); ctypes.memmove(buf,bad,110)
    th=threading.Thread(target=flip, daemon=True); th.start(); r={}
    for i in range(150):
        c=socket.socket(U,S)
        try: raw(c.fileno(),buf,110); c.settimeout(0.02); 
        except OSError as e: r[e.strerror]=r.get(e.strerror,0)+1; continue
        r['ok']=r.get('ok',0)+1
        c.close()
    stop[0]=1; th.join(); return r
t('race memory',race_mem)
def race_link():
    os.makedirs('dd',exist_ok=True); os.path.exists('dd/d.sock') and os.unlink('dd/d.sock')
    s=socket.socket(U,S); s.bind('dd/d.sock'); s.listen(4000); stop=[0]
    def flip():
        while not stop[0]:
            for to in ('dd',D):
                os.symlink(to,'sw.t'); os.rename('sw.t','sw')
    th=threading.Thread(target=flip, daemon=True); th.start(); r={}
    for i in range(150):
        c=socket.socket(U,S)
        try: c.connect('sw/d.sock')
        except OSError as e: r[e.strerror]=r.get(e.strerror,0)+1; continue
        r['ok']=r.get('ok',0)+1; c.close()
    stop[0]=1; th.join(); return r
t('race link',race_link)
def race_fd():
    # inet and unix sockets swapped under the descriptor
    stop=[0]; u=[socket.socket(U,S) for _ in range(1)][0]; i=socket.socket(); k=os.dup(i.fileno())
    def flip():
        while not stop[0]:
            os.dup2(u.fileno(),k); os.dup2(i.fileno(),k)
    th=threading.Thread(target=flip, daemon=True); th.start(); r={}
    for n in range(150):
        try: raw(k,A.ljust(110,b'\0'),110)
        except OSError as e: r[e.strerror]=r.get(e.strerror,0)+1; continue
        r['ok']=r.get('ok',0)+1; break
    stop[0]=1; th.join(); return r
t('race fd',race_fd)
print(json.dumps(results))
