"""A whole box on this machine: `trackme-agent run` with a real gpsd behind a pseudo-terminal and a played bluetoothd, a reading a second each."""
import datetime
import http.client
import json
import os
import pty
import shutil
import signal
import socket
import sqlite3
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import tty
import urllib.parse

from processes import Failed, cpu, free_port, read, resident

HERE = os.path.dirname(os.path.realpath(__file__))
STRAP = "C4:01:02:03:04:05"
BTSNOOP_EPOCH = 0x00DC_DDB3_0F2F_8000  # microseconds from the year 0, where its axis begins, to 1970


def sentence(body):
    total = 0
    for character in body:
        total ^= ord(character)
    return f"${body}*{total:02X}\r\n"


def epoch(when, index):
    """What a receiver says of one second of a walk."""
    clock, step = f"{when:%H%M%S.%f}"[:9], index % 40_000
    place = f"45{28 + step * 0.00031:09.6f},N,009{13 + step * 0.00047 + index * 7919 % 13 / 1e5:09.6f},E"
    return (
        sentence(f"GPGGA,{clock},{place},1,09,0.9,{120 + index % 7 / 10:.1f},M,48.0,M,,")
        + sentence("GPGSA,A,3,04,05,09,12,17,19,24,25,29,,,,1.6,0.9,1.3")
        + sentence(f"GPRMC,{clock},A,{place},{5.8 + index % 17 / 10:.1f},{40 + index % 23:.1f},{when:%d%m%y},,,A"))


def captured(microseconds, flags, packet):
    """A record of a btsnoop file; flags: 0 sent, 1 received, 3 an event."""
    return struct.pack(">IIIIQ", len(packet), len(packet), flags, 0, BTSNOOP_EPOCH + microseconds) + packet


def attribute(microseconds, flags, pdu):
    """An ATT PDU in L2CAP, in HCI's ACL data."""
    return captured(microseconds, flags, struct.pack("<BHHHH", 2, 0x2040, len(pdu) + 4, len(pdu), 4) + pdu)


def strap_found(microseconds):
    """A capture's beginning: the strap is connected, and tells that its readings come from handle 0x10."""
    connected = bytes([4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1]) + bytes.fromhex(STRAP.replace(":", ""))[::-1] + bytes([24, 0, 0, 0, 42, 0, 0])
    return (
        b"btsnoop\0" + struct.pack(">II", 1, 1002) + captured(microseconds, 3, connected)
        + attribute(microseconds, 0, bytes([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28]))
        + attribute(microseconds, 1, bytes([0x09, 7, 0x0F, 0, 0x10, 0x10, 0, 0x37, 0x2A, 0x12, 0, 0x02, 0x13, 0, 0x38, 0x2A])))


def reading(microseconds, index):
    """What a strap says each second of a day: the rate with skin contact, and the last beat's interval with its noise."""
    rate = 62 + index // 600 % 40 + index * 7 % 5
    interval = 60 * 1024 // rate + index * 37 % 61 - 30
    return attribute(microseconds, 1, struct.pack("<BHBBH", 0x1B, 0x10, 0x16, rate, interval))


def history(nmea, ble, days):
    """Two logs, of one position and of one heart rate a second for so many days, ended an hour ago."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    start = now - datetime.timedelta(days=days, hours=1)
    first = int(start.timestamp()) * 1_000_000 + 400_000
    with open(ble, "wb") as out:
        out.write(strap_found(first))
        out.writelines(reading(first + index * 1_000_000, index) for index in range(days * 86_400))
    with open(nmea, "w") as out:
        for index in range(days * 86_400):
            when = start + datetime.timedelta(seconds=index)
            step = index % 40_000
            place = f"45{28 + step * 0.00031:09.6f},N,009{13 + step * 0.00047 + index * 7919 % 13 / 1e5:09.6f},E"
            out.write(sentence(f"GPRMC,{when:%H%M%S},A,{place},{5.8 + index % 17 / 10:.1f},{40 + index % 23:.1f},{when:%d%m%y},,"))


class Sources:
    """gpsd with a receiver, and a bus with a strap."""

    def __init__(self, folder):
        for program in ("/usr/sbin/gpsd", "dbus-daemon"):
            if not shutil.which(program):
                raise Failed(f"{program} is missing (Debian: gpsd, dbus, python3-dbus, python3-gi)")
        self.processes, self.over = [], threading.Event()
        self.master, slave = pty.openpty()
        tty.setraw(self.master)
        tty.setraw(slave)
        os.fchmod(slave, 0o666)
        os.set_blocking(self.master, False)
        self.slave, self.gpsd = slave, free_port()
        try:
            self.start(
                ["/usr/sbin/gpsd", "-N", "-n", "-b", "-S", str(self.gpsd), "-F", os.path.join(folder, "gpsd.sock"), os.ttyname(slave)])
            self.bus = self.start(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"]).stdout.readline().strip()
            # Debian's own Python, which python3-dbus belongs to.
            strap = self.start(
                ["/usr/bin/python3", os.path.join(HERE, "strap.py")], {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.bus})
            if strap.stdout.readline().strip() != "ready":
                raise Failed("the played strap does not start (Debian: python3-dbus, python3-gi)")
        except BaseException:
            self.stop()
            raise
        threading.Thread(target=self.feed, daemon=True).start()

    def start(self, words, env=None):
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
        self.processes.append(process)
        return process

    def feed(self):
        index = 0
        while not self.over.is_set():
            # As receivers do: at the second, for the second.
            time.sleep(1 - time.time() % 1)
            now = datetime.datetime.fromtimestamp(round(time.time()), datetime.timezone.utc)
            try:
                os.write(self.master, epoch(now, index).encode())
            except BlockingIOError:
                pass
            index += 1

    def stop(self):
        self.over.set()
        for process in self.processes:
            process.kill()
            process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Box:
    """An agent that is enrolled with a hub for its first person."""

    def __init__(self, program, hub, sources, folder):
        self.program, self.hub, self.state, self.log = program, hub, os.path.join(folder, "box"), os.path.join(folder, "box.log")
        self.page, self.process = free_port(), None
        self.environment = {
            **os.environ, "DBUS_SYSTEM_BUS_ADDRESS": sources.bus, "TRACKME_GPSD_ADDRESS": f"127.0.0.1:{sources.gpsd}",
            "TRACKME_PAGE_PORT": str(self.page), "TRACKME_VOICE_ENABLED": "false", "TRACKME_POSITION_WIFI": "false",
            "XDG_RUNTIME_DIR": folder, "RUNTIME_DIRECTORY": folder}
        address, code = hub.command("enrolment-code", f"--person={hub.people[0]}").split()[-2:]
        read([program, "enrol", address.strip("'"), code, "--state", self.state])

    def start(self, *prefix):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*prefix, self.program, "run", "--state", self.state, "--sensor", STRAP, "--transport", "bluez"], stdout=log, stderr=log,
                env=self.environment)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def check(self):
        if self.process.poll() is not None:
            raise Failed("the agent ended early: " + open(self.log).read()[-600:])

    @property
    def pid(self):
        return self.process.pid

    @property
    def cpu(self):
        return cpu(self.pid)

    def memory(self, field="VmRSS"):
        return resident(self.pid, field)

    @property
    def written(self):
        """Bytes that the kernel counts as written to the disk for this process."""
        return int(next(line for line in open(f"/proc/{self.pid}/io") if line.startswith("write_bytes")).split()[1])

    def total(self, what):
        """Of all segments. The agent shares its buffer with nobody, so a copy is asked, with its log where it has one."""
        with tempfile.TemporaryDirectory(prefix="trackme-bench.", dir="/dev/shm") as folder:
            for file in self.files:
                shutil.copy(file, folder)
            database = sqlite3.connect(f"{folder}/buffer.sqlite")
            try:
                return database.execute(f"SELECT total({what}) FROM segment").fetchone()[0]
            finally:
                database.close()

    @property
    def files(self):
        """The buffer and its log."""
        return [file for file in (f"{self.state}/buffer.sqlite-wal", f"{self.state}/buffer.sqlite") if os.path.exists(file)]

    @property
    def sealed(self):
        """Bytes of all segments."""
        return self.total("length(bytes)")

    @property
    def waiting(self):
        """Segments that the hub has not acknowledged, as the agent tells."""
        status = subprocess.run(
            [self.program, "status", "--json", "--state", self.state], env=self.environment, capture_output=True, text=True)
        if status.returncode != 0:
            raise Failed(f"the agent does not tell its status: {status.stderr.strip()[-300:]}")
        return json.loads(status.stdout)["buffer"]["unsentSegments"]

    def fill(self, nmea, ble):
        """Plays two logs into the buffer as fast as it goes. In memory, because a disk takes minutes for so many synced commits."""
        fast = tempfile.mkdtemp(prefix="trackme-bench.", dir="/dev/shm")
        state = os.path.join(fast, "box")
        try:
            shutil.move(self.state, state)
            read([self.program, "replay", "--nmea", nmea, "--ble", ble, "--speed", "max", "--once", "--state", state])
            shutil.move(state, self.state)
        finally:
            shutil.rmtree(fast, ignore_errors=True)

    def open_page(self):
        """Somebody has the box's page open."""
        def follow():
            with_page = http.client.HTTPConnection("127.0.0.1", self.page, timeout=30)
            with_page.request("GET", "/events")
            answer = with_page.getresponse()
            while answer.read1(65536):
                pass
        threading.Thread(target=lambda: ignoring(follow), daemon=True).start()


def ignoring(work):
    try:
        work()
    except (OSError, ValueError, AttributeError, http.client.HTTPException):
        pass


class Reader:
    """Somebody watches the person's live page: when the samples came, by their time."""

    def __init__(self, hub):
        self.delays, self.over = {"hr": {}, "pos": {}}, False
        path = urllib.parse.urlsplit(hub.command("link", f"--person={hub.people[0]}").split()[-1]).path
        self.context = ssl.create_default_context()
        # This is no test of the certificate, and the hub is on this machine.
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE
        self.port = hub.port
        line = self.connect()
        line.request("POST", path)
        answer = line.getresponse()
        cookie, place = answer.getheader("Set-Cookie"), answer.getheader("Location")
        answer.read()
        line.close()
        if not cookie or not place:
            raise Failed(f"the link was not accepted ({answer.status})")
        line = self.connect()
        line.connect()
        self.socket = line.sock
        line.request("GET", place.rstrip("/") + "/live", headers={"Cookie": cookie.split(";")[0], "Accept": "text/event-stream"})
        self.answer = line.getresponse()
        if self.answer.status != 200:
            raise Failed(f"the live stream was not opened ({self.answer.status})")
        threading.Thread(target=lambda: ignoring(self.follow), daemon=True).start()

    def connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=self.context)

    def follow(self):
        for line in self.answer:
            now = time.time()
            if self.over:
                return
            # History comes along, more than Python reads in time: only what is of these minutes is looked at.
            if not line.startswith(b"data: ") or not any(b"[%d" % (now // 1000 - back) in line for back in (0, 1)):
                continue
            try:
                event = json.loads(line[6:])
            except ValueError:
                continue
            for kind, delays in self.delays.items():
                for row in event.get(kind) or [] if isinstance(event, dict) else []:
                    delays.setdefault(row[0], now - row[0] / 1000)

    def between(self, start, end):
        """How old the samples of that time (UTC, seconds) were when they came."""
        return [delay for of in self.delays.values() for when, delay in list(of.items()) if start <= when / 1000 < end]

    def close(self):
        self.over = True
        self.socket.shutdown(socket.SHUT_RDWR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
