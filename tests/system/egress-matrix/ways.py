"""Tries every way out of a sandbox, and prints which of them got a response, as JSON."""

import json
import secrets
import socket
import ssl
import struct
import sys
from concurrent.futures import ThreadPoolExecutor

PUBLIC, PRIVATE, FOREIGN = sys.argv[1:4]
ALLOWED = "allowed.site.test"
TIMEOUT = 4


def connected(host, port):
    return socket.create_connection((host, port), TIMEOUT)


def answers(made, sent, expected):
    with made:
        made.sendall(sent)
        got = b""
        while expected not in got:
            part = made.recv(65536)
            if not part:
                return False
            got += part
        return True


def echo(host, port):
    return answers(connected(host, port), b"echo this", b"echo this")


def context(protocols=()):
    made = ssl.create_default_context()
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    if protocols:
        made.set_alpn_protocols(protocols)
    return made


def tls(host, server_name, piece=65536, protocols=(), port=443):
    """Handshakes with the server name, and sends what it has in pieces of so many bytes."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context(protocols).wrap_bio(incoming, outgoing, server_hostname=server_name)
    with connected(host, port) as made:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def send():
            waiting = outgoing.read()
            for start in range(0, len(waiting), piece):
                made.sendall(waiting[start : start + piece])

        while True:
            try:
                session.do_handshake()
                send()
                return True
            except ssl.SSLWantReadError:
                send()
                part = made.recv(65536)
                if not part:
                    return False
                incoming.write(part)


def unfinished(host):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context().wrap_bio(incoming, outgoing, server_hostname=ALLOWED)
    try:
        session.do_handshake()
    except ssl.SSLWantReadError:
        pass
    with connected(host, 443) as made:
        made.settimeout(1)
        made.sendall(outgoing.read()[:-1])
        return made.recv(1) != b""


def garbage(host):
    with connected(host, 443) as made:
        made.sendall(b"\x00garbage" * 8192)
        return made.recv(4096)[:1] == b"\x16"


def http(host, *requested, target="/"):
    """Sends one request for each of these hosts at the same time; true if the last one has its response."""
    heads = "".join(f"GET {target}{index} HTTP/1.1\r\nHost: {name}\r\n\r\n" for index, name in enumerate(requested))
    last = f"asked for {target}{len(requested) - 1} of {requested[-1]}"
    return answers(connected(host, 80), heads.encode(), last.encode())


def datagram(host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.settimeout(2)
        made.sendto(b"echo this", (host, port))
        return made.recv(100) == b"echo this"


def asked(name, kind, server=None):
    """Whether a DNS response has a record of the kind that was asked for."""
    if server is None:
        with open("/etc/resolv.conf") as lines:
            server = next(line.split()[1] for line in lines if line.startswith("nameserver"))
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    question = struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.settimeout(2)
        made.sendto(question, (server, 53))
        answer = made.recv(4096)
    place = len(question)
    for _ in range(struct.unpack(">H", answer[6:8])[0]):
        while 0 < answer[place] < 0xC0:
            place += 1 + answer[place]
        place += 2 if answer[place] >= 0xC0 else 1
        found, length = struct.unpack(">H6xH", answer[place : place + 10])
        if found == kind:
            return True
        place += 10 + length
    return False


def text_of_4_kib(name):
    """Whether a DNS response over TCP has that much text."""
    with open("/etc/resolv.conf") as lines:
        server = next(line.split()[1] for line in lines if line.startswith("nameserver"))
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    question = struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", 16, 1)
    return answers(connected(server, 53), struct.pack(">H", len(question)) + question, b"x" * 128 + b"\x80" + b"x" * 128)


def turned(is_first_shown):
    """A name of its own for each call: public in the first response of its name server, private in the next ones."""
    name = f"{secrets.token_hex(8)}.turning.site.test"
    first = echo(name, 8181)
    return first if is_first_shown else echo(name, 8181)


def resolves(name):
    return socket.gethostbyname(name) != ""


def some_resolve(names):
    def one(name):
        try:
            return resolves(name)
        except OSError:
            return False

    return any([one(name) for name in names])


WAYS = {
    "TLS to an allowed name": lambda: tls(ALLOWED, ALLOWED),
    "TLS to another name": lambda: tls("other.site.test", "other.site.test"),
    "TLS to an allowed name in upper case": lambda: tls(ALLOWED.upper(), ALLOWED.upper()),
    "TLS to an allowed name with a final dot": lambda: tls(ALLOWED + ".", ALLOWED),
    "TLS to an allowed international name": lambda: tls("xn--bcher-kva.site.test", "xn--bcher-kva.site.test"),
    "TLS one level below a wildcard": lambda: tls("one.wide.site.test", "one.wide.site.test"),
    "TLS three levels below a wildcard": lambda: tls("a.b.c.wide.site.test", "a.b.c.wide.site.test"),
    "TLS to the name of a wildcard itself": lambda: tls("wide.site.test", "wide.site.test"),
    "TLS to a literal address": lambda: tls(PUBLIC, ALLOWED),
    "TLS without a server name": lambda: tls(ALLOWED, None),
    "TLS to an allowed name for another one": lambda: tls(ALLOWED, "other.site.test"),
    "TLS to another name for an allowed one": lambda: tls("other.site.test", ALLOWED),
    "a ClientHello in segments of one byte": lambda: tls(ALLOWED, ALLOWED, piece=1),
    "a ClientHello of over 16 KiB": lambda: tls(ALLOWED, ALLOWED, protocols=[f"p{index:0>250}" for index in range(80)]),
    "a ClientHello that is never finished": lambda: unfinished(ALLOWED),
    "64 KiB of garbage": lambda: garbage(ALLOWED),
    "HTTP to an allowed name": lambda: http(ALLOWED, ALLOWED),
    "HTTP to an allowed name for another one": lambda: http(ALLOWED, "other.site.test"),
    "HTTP for another name in the second request": lambda: http(ALLOWED, ALLOWED, "other.site.test"),
    "HTTP to a literal address": lambda: http(PUBLIC, ALLOWED),
    "a listed port": lambda: echo(ALLOWED, 8181),
    "an unlisted port": lambda: echo(ALLOWED, 8282),
    "an unlisted port of a literal address": lambda: echo(PUBLIC, 8181),
    "the address that stands for a name of another sandbox": lambda: tls(FOREIGN, "other.site.test"),
    "that address, for an allowed name": lambda: tls(FOREIGN, ALLOWED),
    "an IPv6 address of an allowed name": lambda: asked(ALLOWED, 28),
    "an HTTPS record of an allowed name": lambda: asked(ALLOWED, 65),
    "UDP to port 443": lambda: datagram(PUBLIC, 443),
    "DNS at a foreign server over UDP": lambda: datagram(PUBLIC, 53),
    "DNS at a foreign server over TCP": lambda: echo(PUBLIC, 53),
    "DNS at a foreign server over TLS": lambda: echo(PUBLIC, 853),
    "an address of another name": lambda: resolves("other.site.test"),
    "one of 40 random names": lambda: some_resolve([f"secret-{index}.exists.test" for index in range(40)]),
    "an allowed name that turns private": lambda: echo("private.site.test", 8181),
    "an allowed name before it turns private": lambda: turned(True),
    "an allowed name that turns private between two queries": lambda: turned(False),
    "an allowed name at the end of 12 CNAME records": lambda: echo("chain.site.test", 8181),
    "a private address at the end of 12 CNAME records": lambda: echo("private-chain.site.test", 8181),
    "4 KiB of text from an allowed name": lambda: text_of_4_kib("a.texts.wide.site.test"),
    "4 KiB of text from another name": lambda: text_of_4_kib("a.texts.other.test"),
    "a private address": lambda: echo(PRIVATE, 8181),
    "mail": lambda: echo(PUBLIC, 25),
}


def outcome(way):
    try:
        return way()
    except OSError:
        return False


with ThreadPoolExecutor(12) as pool:
    results = dict(zip(WAYS, pool.map(outcome, WAYS.values())))
print(json.dumps(results))
