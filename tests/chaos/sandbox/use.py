"""
Uses the network as a program that retries: resolves an allowed name, connects to it, and sends a request with the
secret. Arguments: the token of the thread, and whether the secret is expected to be inserted (`real` or `other`).
Prints `usable` when both have succeeded.
"""

import os
import socket
import ssl
import sys
import time

TOKEN, EXPECTED = sys.argv[1:3]
UNTIL = time.monotonic() + 30


def echo():
    with socket.create_connection(("allowed.site.test", 8181), 2) as made:
        made.settimeout(2)
        made.sendall(f"{TOKEN}\n".encode())
        return made.recv(64) != b""


def secret():
    context = ssl.create_default_context()
    with socket.create_connection(("api.site.test", 443), 2) as plain:
        plain.settimeout(2)
        with context.wrap_socket(plain, server_hostname="api.site.test") as made:
            value = os.environ.get("API_TOKEN", "none")
            head = f"GET /{TOKEN} HTTP/1.1\r\nHost: api.site.test\r\nAuthorization: Bearer {value}\r\n"
            made.sendall(f"{head}Connection: close\r\n\r\n".encode())
            got = b""
            while part := made.recv(4096):
                got += part
            return got.endswith(EXPECTED.encode())


for name, attempt in (("echo", echo), ("secret", secret)):
    startedAt, attempts, problem = time.monotonic(), 0, ""
    while True:
        attempts += 1
        try:
            if attempt():
                break
            problem = "refused"
        except OSError as error:
            problem = repr(error)
        if time.monotonic() > UNTIL:
            print(f"not usable: {name}: {problem}")
            sys.exit(1)
        time.sleep(0.03)
    print(f"{name}: {round((time.monotonic() - startedAt) * 1000)} ms, {attempts} attempts {problem}", file=sys.stderr)
print("usable")
