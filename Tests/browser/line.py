"""The line between browser and hub as something that a test can cut, a CONNECT proxy on the loopback, or make slow."""
import contextlib
import socket
import threading
import time


class Line:
    def __init__(self):
        self.whole = True
        self.ends = set()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self):
        """Ends every connection and refuses new ones, as a dead hub does."""
        with self.lock:
            self.whole = False
            ends, self.ends = self.ends, set()
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self):
        with self.lock:
            self.whole = True

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            threading.Thread(target=self.connect, args=(near,), daemon=True).start()

    def connect(self, near):
        with contextlib.suppress(OSError, ValueError, IndexError), near:
            head = b""
            while b"\r\n\r\n" not in head and len(head) < 65536:
                part = near.recv(4096)
                if not part:
                    return
                head += part
            method, target = head.split()[:2]
            host, port = target.decode().rsplit(":", 1)
            # Nothing but the machine itself is ever connected to.
            if method != b"CONNECT" or host not in ("127.0.0.1", "localhost", "[::1]"):
                near.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")
                return
            with socket.create_connection((host.strip("[]"), int(port)), timeout=10) as far:
                far.settimeout(None)
                with self.lock:
                    if not self.whole:
                        return
                    self.ends |= {near, far}
                near.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                back = threading.Thread(target=self.pump, args=(far, near), daemon=True)
                back.start()
                self.pump(near, far)
                back.join()
                with self.lock:
                    self.ends -= {near, far}

    @staticmethod
    def pump(source, sink):
        with contextlib.suppress(OSError):
            while part := source.recv(65536):
                sink.sendall(part)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class SlowLine:
    """A port of the loopback that leads to another one, at so many bits a second in each direction."""

    def __init__(self, port, far, bits):
        self.far, self.seconds = far, 8 / bits
        self.listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        # All connections share the line.
        ways = [Way(self.seconds), Way(self.seconds)]
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                threading.Thread(target=self.connect, args=(near, ways), daemon=True).start()

    def connect(self, near, ways):
        with contextlib.suppress(OSError), near, socket.create_connection(("127.0.0.1", self.far), timeout=10) as far:
            far.settimeout(None)
            back = threading.Thread(target=self.pump, args=(far, near, ways[1]), daemon=True)
            back.start()
            self.pump(near, far, ways[0])
            back.join()

    @staticmethod
    def pump(source, sink, way):
        with contextlib.suppress(OSError):
            while part := source.recv(4096):
                way.take(len(part))
                sink.sendall(part)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def end(self):
        # Closing alone leaves the port to the thread that waits there.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Way:
    """One direction: bytes follow each other."""

    def __init__(self, seconds):
        self.seconds, self.free, self.lock = seconds, time.monotonic(), threading.Lock()

    def take(self, count):
        with self.lock:
            self.free = max(self.free, time.monotonic()) + count * self.seconds
            wait = self.free - time.monotonic()
        if wait > 0:
            time.sleep(wait)
