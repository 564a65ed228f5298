# A program outside of the sandbox that listens on sockets of all types in a directory, and on an abstract name, and writes
# each contact to the file `hits`. Arguments: the directory, the abstract name.
import socket,sys,os,threading
d=sys.argv[1]
def s1(t,p):
    s=socket.socket(socket.AF_UNIX,t); s.bind(p); s.listen(50)
    while 1:
        c,_=s.accept()
        open(d+'/hits','a').write('conn %r\n'%p); c.sendall(b'DAEMON'); c.close()
def s2(p):
    s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM); s.bind(p)
    while 1:
        b=s.recv(100); open(d+'/hits','a').write('dgram %r %r\n'%(p,b))
for f,a in ((s1,(socket.SOCK_STREAM,d+'/d.sock')),(s1,(socket.SOCK_SEQPACKET,d+'/seq.sock')),(s2,(d+'/dg.sock',)),(s1,(socket.SOCK_STREAM,'\0'+sys.argv[2]))):
    threading.Thread(target=f,args=a).start()
open(d+'/up','w').close()
