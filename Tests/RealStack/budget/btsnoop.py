"""Reads the HCI trace that `btmon -w` writes: connections, and the ATT packets sent on each.

The file is btsnoop with Linux' monitor records (datalink 2001): see doc/btsnoop.txt in BlueZ's source.
"""
import struct
from collections import Counter

EVENT, ACL_OUT, ACL_IN = 3, 4, 5
DISCONNECTED, LE_META = 0x05, 0x3E
LE_CONNECTED = (0x01, 0x0A)         # LE Connection Complete, LE Enhanced Connection Complete
ATT = 4                             # the L2CAP channel
# Microseconds from the year 0, in which the file counts, to 1970.
EPOCH = 0x00E03AB44A676000 - 946684800 * 1_000_000


class Connection:
    def __init__(self, start):
        self.start = start          # seconds since 1970
        self.end = None             # None: still up at the end of the trace
        self.last_packet = start    # of ATT, in either direction
        self.sent = Counter()       # ATT opcode -> packets


def records(path):
    """(seconds since 1970, kind, packet) for each record of the trace."""
    with open(path, "rb") as file:
        magic, version, datalink = struct.unpack(">8sII", file.read(16))
        if magic != b"btsnoop\0" or version != 1 or datalink != 2001:
            raise ValueError(f"{path} is no trace of btmon")
        while len(header := file.read(24)) == 24:
            _, size, flags, _, time = struct.unpack(">IIIIq", header)
            if len(packet := file.read(size)) == size:
                yield (time - EPOCH) / 1e6, flags & 0xFFFF, packet


def connections(path):
    """Every LE connection in the trace, in the order in which they were made."""
    made, up = [], {}
    for time, kind, packet in records(path):
        if kind == EVENT and packet[0] == LE_META and packet[2] in LE_CONNECTED and packet[3] == 0:
            made.append(Connection(time))
            up[int.from_bytes(packet[4:6], "little") & 0xFFF] = made[-1]
        elif kind == EVENT and packet[0] == DISCONNECTED:
            if gone := up.pop(int.from_bytes(packet[3:5], "little") & 0xFFF, None):
                gone.end = time
        elif kind in (ACL_OUT, ACL_IN) and len(packet) >= 9:
            handle, _, _, channel = struct.unpack_from("<HHHH", packet)
            continued = handle >> 12 & 3 == 1
            if channel == ATT and not continued and (link := up.get(handle & 0xFFF)):
                link.last_packet = time
                if kind == ACL_OUT:
                    link.sent[packet[8]] += 1
    return made
