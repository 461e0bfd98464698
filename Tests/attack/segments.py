"""Segments as small as can be for what they hold: the worst that fits into a person's space (docs/segment-format.md)."""
import struct

MEDIA_TYPE = "application/vnd.trackme.segments"
SAMPLES_MAX, PERIOD = 65_536, 63  # 16 a second are taken, and no more
TABLE = []
for value in range(256):
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    TABLE.append(value)


def checksum(data):
    state = 0xFFFFFFFF
    for byte in data:
        state = TABLE[(state ^ byte) & 255] ^ state >> 8
    return struct.pack("<I", state ^ 0xFFFFFFFF)


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def zigzag(value):
    return value << 1 ^ value >> 63


class Bits:
    def __init__(self):
        self.value, self.count = 0, 0

    def add(self, value, count):
        self.value |= value << self.count
        self.count += count

    def sized(self, value):
        width = value.bit_length()
        self.add(width, 7)
        self.add(value, width)

    def bytes(self):
        return self.value.to_bytes((self.count + 7) // 8, "little")


def column(start, rate, count):
    """Heart rates a step of PERIOD milliseconds apart, all the same: 21 bits for 128 of them."""
    bits = Bits()
    for block in range(0, count, 128):
        size = min(128, count - block)
        bits.add(2, 2)  # contact detected, no energy, no RR intervals
        bits.add(0, 3)
        if block == 0:
            bits.sized(zigzag(start))
        if block or size > 1:
            bits.add(1 << 5, 8)  # no residuals, the step stays
        if block == 0 and size > 1:
            bits.sized(zigzag(PERIOD))
        if block == 0:
            bits.sized(zigzag(rate))
        if block or size > 1:
            bits.add(0, 8)  # no residuals, the value stays
    return bits.bytes()


def segment(stream, person, sequence, start, rate=60, count=SAMPLES_MAX):
    """- start: milliseconds since 1970. stream, person: 16 bytes each."""
    body = column(start, rate, count)
    data = (bytes([1, 0x10]) + stream + person + number(sequence) + number(zigzag(start)) + number((count - 1) * PERIOD) + number(count)
            + bytes([1]) + number(count) + number(len(body)) + body)
    return data + checksum(data)


def batch(segments):
    return b"".join(struct.pack("<I", len(one)) + one for one in segments)
