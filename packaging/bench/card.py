"""A memory card: a file with ext4 on it, whose device tells every byte that reaches it, the file system's own included."""
import os
import subprocess

from processes import Failed

SIZE = 400 << 20
SECTOR = 512  # of /sys/block/*/stat


class Card:
    """`device` is None for somebody who may not mount: then the folder is an ordinary one."""

    def __init__(self, folder, options="noatime"):
        self.folder, self.device = os.path.join(folder, "card"), None
        os.makedirs(self.folder)
        if os.geteuid() != 0:
            return
        image = os.path.join(folder, "card.img")
        with open(image, "wb") as file:
            file.truncate(SIZE)
        # Blocks as on a real card, whose size makes mkfs choose them. Initialised now, because later it would be counted.
        self.do("mkfs.ext4", "-q", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
        try:
            self.do("mount", "-o", f"loop,{options}", image, self.folder)
        except Failed:
            return
        self.device = self.do("findmnt", "-no", "SOURCE", self.folder).strip().rsplit("/", 1)[-1]

    @staticmethod
    def do(*words):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{words[0]} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        return done.stdout

    @property
    def written(self):
        """Bytes so far."""
        if not self.device:
            return 0
        with open(f"/sys/block/{self.device}/stat") as stat:
            return int(stat.read().split()[6]) * SECTOR

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.device:
            subprocess.run(["umount", "-l", self.folder], check=False)
