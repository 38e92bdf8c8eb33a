"""The protocol of Colmi/QRing rings from the ring's side: bytes in, bytes out, no Bluetooth.

Packets have 16 bytes: [0] the command, [15] the sum of the others modulo 256; a reply with bit 7
of [0] set is an error. Byte layouts are those that the clients for these rings agree on.
"""
from datetime import datetime, timedelta

SET_TIME, BATTERY, SUPPORT, STEPS, TOTAL, LIVE = 0x01, 0x03, 0x3C, 0x43, 0x48, 0x73


def packet(command, *payload):
    body = bytes([command, *payload]).ljust(15, b"\0")
    return body + bytes([sum(body) & 0xFF])


def is_whole(bytes_):
    return len(bytes_) == 16 and bytes_[15] == sum(bytes_[:15]) & 0xFF


def bcd(number):
    return number // 10 << 4 | number % 10


def from_bcd(byte):
    if byte >> 4 > 9 or byte & 15 > 9:
        raise ValueError(f"not a binary-coded decimal: {byte:02x}")
    return (byte >> 4) * 10 + (byte & 15)


def error(command):
    return packet(command | 0x80, 0xEE)


def time_in(request) -> datetime:
    """The wall-clock time of a set-time request; ValueError if it is none."""
    year, *rest = (from_bcd(b) for b in request[1:7])
    return datetime(2000 + year, *rest)


def battery(percent, charging):
    return packet(BATTERY, percent, int(charging))


def total(steps, calories, metres):
    """Today's own totals: steps, running steps, calories, metres, big-endian."""
    return packet(TOTAL, *steps.to_bytes(3), 0, 0, 0, *calories.to_bytes(3), *metres.to_bytes(3))


def support(asks_for_bond):
    return packet(SUPPORT, 0, 0x08 if asks_for_bond else 0)


def set_time_reply():
    # What a ring says it is able to do; nobody but the maker's own app looks at it.
    return packet(SET_TIME, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0x30)


def live(steps, calories, metres):
    """Sent unasked while the wearer walks: today's totals, big-endian."""
    return packet(LIVE, 0x12, *steps.to_bytes(3), *calories.to_bytes(3), *metres.to_bytes(3))


def unasked_battery(percent, charging):
    """Sent unasked, also between step packets (captured: tahnok/colmi_r02_client, issue 27)."""
    return packet(LIVE, 0x0C, percent, int(charging))


def day(of, slots, tens_of_calories):
    """The answer to a steps request: a header and a record a slot, or "no data"."""
    if not slots:
        return [packet(STEPS, 0xFF)]
    records = [packet(STEPS, 0xF0, len(slots), int(tens_of_calories))]
    for n, (index, slot) in enumerate(sorted(slots.items())):
        calories = slot.calories // 10 if tens_of_calories else slot.calories
        records.append(packet(
            STEPS, bcd(of.year % 100), bcd(of.month), bcd(of.day), index, n, len(slots),
            *min(calories, 0xFFFF).to_bytes(2, "little"), *slot.steps.to_bytes(2, "little"),
            *slot.metres.to_bytes(2, "little")))
    return records


def day_asked(request, today):
    """The date of a steps request, None when it is older than the ring's memory of 8 days."""
    return today - timedelta(days=request[1]) if request[1] <= 7 else None
