"""The figures of a whole box with live sources: memory, CPU, what a memory card gets, and how a month of history drains."""
import os
import time

from box import Box, Reader, Sources, history
from card import Card
from processes import Failed, Hub, say

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PROGRAMS = os.path.join(ROOT, ".build/release")
# A box with live sources: nobody watching, somebody watching; and how much history it has to tell.
QUIET_SECONDS, WATCHED_SECONDS, BACKLOG_DAYS = 600, 600, 30
BACKLOG_MB_MAX = 100


class Boxes:
    """A part of the benchmark, which has the folder and puts down the figures."""

    @property
    def box_program(self):
        return os.environ.get("TRACKME_BENCH_AGENT") or os.path.join(PROGRAMS, "trackme-agent")

    def agent_live(self):
        """Memory, CPU, and what a memory card gets, at one heart rate and one position a second."""
        folder = self.path("agent-live")
        os.makedirs(folder)
        with Card(folder) as card, Hub(PROGRAMS, self.path("agent-live-hub"), 1) as hub, Sources(folder) as sources:
            if not card.device:
                self.note("only root can mount a file as a card: what ext4 adds to the writes is not measured")
            with Box(self.box_program, hub, sources, card.folder) as box:
                box.start()
                time.sleep(3)
                box.open_page()
                time.sleep(12)
                self.measure(box, card, "", QUIET_SECONDS)
                self.put(box_rss_mb=box.memory(), box_rss_max_mb=box.memory("VmHWM"))
                with Reader(hub):
                    # Until the hub has told the box that somebody watches.
                    time.sleep(30)
                    self.measure(box, card, "_watched", WATCHED_SECONDS)

    def agent_offline(self):
        """What a memory card gets while no hub answers, when every sample goes to the disk within 10 s; and where the card's file system writes
        its journal each minute."""
        for name, options in (("offline", "noatime"), ("offline_commit_60", "noatime,commit=60")):
            folder = self.path(f"agent-{name}")
            os.makedirs(folder)
            with Card(folder, options) as card, Hub(PROGRAMS, self.path(f"agent-{name}-hub"), 1) as hub, Sources(folder) as sources:
                with Box(self.box_program, hub, sources, card.folder) as box:
                    hub.stop()
                    box.start()
                    time.sleep(30)
                    self.measure(box, card, f"_{name}", QUIET_SECONDS)

    def measure(self, box, card, name, seconds):
        def look():
            return [time.monotonic(), box.cpu, box.written, card.written, box.sealed]

        before = look()
        time.sleep(seconds)
        box.check()
        spent, used, counted, written, sealed = (after - first for after, first in zip(look(), before))
        days = spent / 86_400
        self.put(**{
            f"box{name}_cpu_percent": 100 * used / spent, f"box{name}_process_write_mb_a_day": counted / days / 1e6,
            f"box{name}_segments_mb_a_day": sealed / days / 1e6})
        if card.device:
            self.put(**{
                f"box{name}_card_mb_a_day": written / days / 1e6,
                f"box{name}_write_amplification": written / sealed if sealed else None})

    def backlog(self):
        """How old live samples are at somebody who watches while a month of history drains, and how fast it does."""
        folder, nmea, ble = self.path("backlog"), self.path("history.nmea"), self.path("history.btsnoop")
        os.makedirs(folder)
        say(f"making {BACKLOG_DAYS} days of history")
        history(nmea, ble, BACKLOG_DAYS)
        with Hub(PROGRAMS, self.path("backlog-hub"), 1) as hub, Sources(folder) as sources:
            with Box(self.box_program, hub, sources, folder) as box:
                hub.stop()
                box.fill(nmea, ble)
                size, samples = sum(map(os.path.getsize, box.files)) / 1e6, int(box.total("count"))
                self.put(backlog_buffer_mb=size, backlog_samples=samples)
                if samples < 2 * BACKLOG_DAYS * 86_400:
                    raise Failed(f"only {samples} samples of {BACKLOG_DAYS} days at 1 Hz + 1 Hz are in the buffer")
                hub.start()
                with Reader(hub) as reader:
                    start = time.time()
                    box.start()
                    time.sleep(2)
                    # What is being collected meanwhile waits for moments.
                    while (waiting := box.waiting) > 2:
                        box.check()
                        if time.time() - start > 600:
                            raise Failed(f"{waiting} segments wait after 10 minutes")
                        time.sleep(0.2)
                    end = time.time()
                    self.put(
                        backlog_drain_s=end - start, backlog_times_real_time=round(BACKLOG_DAYS * 86_400 / (end - start)),
                        backlog_rss_max_mb=box.memory("VmHWM"))
                    time.sleep(20)
                # Both sources tell within 3 s of the start; from then on each second has two samples.
                delays = reader.between(start + 3, end)
                self.put(
                    backlog_live_expected=2 * int(end - start - 3), backlog_live_delivered=len(delays),
                    backlog_live_delay_max_s=max(delays, default=None), backlog_rss_after_mb=box.memory())
        if size >= BACKLOG_MB_MAX:
            raise Failed(f"{BACKLOG_DAYS} days at 1 Hz + 1 Hz take {size:.0f} MB; under {BACKLOG_MB_MAX} MB are allowed")
