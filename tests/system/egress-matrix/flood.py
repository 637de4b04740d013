"""Asks for many names, each until there is a response. Prints codes and addresses of the responses, as JSON."""

import json
import select
import socket
import struct
import sys
import time
from collections import Counter

SUFFIX, MARK, FIRST, LAST = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
BURST, PER_SECOND, AGAIN, IN_FLIGHT, SERVER_FAILURE = 200, 90, 8, 32, 2

with open("/etc/resolv.conf") as lines:
    server = next(line.split()[1] for line in lines if line.startswith("nameserver"))
asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
asking.connect((server, 53))


def question(number):
    name = f"{MARK}-{number}.{SUFFIX}"
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack(">HHHHHH", number, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", 1, 1)


waiting = list(range(FIRST, LAST))
sent, codes, addresses = {}, Counter(), set()
began, asked = time.monotonic(), 0
while waiting or sent:
    now = time.monotonic()
    waiting += [number for number, at in sent.items() if now - at > AGAIN]
    sent = {number: at for number, at in sent.items() if now - at <= AGAIN}
    while waiting and asked < BURST + (now - began) * PER_SECOND and len(sent) < IN_FLIGHT:
        number = waiting.pop()
        asking.send(question(number))
        sent[number] = now
        asked += 1
    if not select.select([asking], [], [], 0.05)[0]:
        continue
    answer = asking.recv(4096)
    number, flags, _, count = struct.unpack(">HHHH", answer[:8])
    if sent.pop(number, None) is None:
        continue
    if flags & 15 == SERVER_FAILURE:
        waiting.insert(0, number)
        continue
    codes[flags & 15] += 1
    if count == 1:
        addresses.add(socket.inet_ntoa(answer[-4:]))
print(json.dumps({"codes": codes, "addresses": sorted(addresses)}))
