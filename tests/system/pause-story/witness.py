"""A process that can be asked whether it is still the same: keeps state in memory and traffic flowing, and serves what
it has seen on http://127.0.0.1:PORT as JSON. usage: witness.py ROLE PORT [ADDRESS PORT]"""

import hashlib
import http.server
import json
import os
import socket
import struct
import sys
import tempfile
import threading
import time

role, port = sys.argv[1], int(sys.argv[2])
state = {"role": role, "pid": os.getpid(), "token": os.urandom(8).hex(), "count": 0, "errors": []}
orders = []


def count():
    while True:
        state["count"] += 1
        time.sleep(0.01)


def converse(here, there):
    """Exchanges numbers; each side fails loudly when one is missing, duplicated or out of order."""
    threading.Thread(target=answer, args=(there,), daemon=True).start()
    ask(here)


def answer(connection):
    expected = 0
    with connection, connection.makefile("rwb") as stream:
        for line in stream:
            if int(line) != expected:
                state["errors"].append(f"asked {line!r}, expected {expected}")
            expected += 1
            stream.write(line)
            stream.flush()
    state["errors"].append("the asking side has closed")


def ask(connection):
    """One question at a time: while a side awaits the reply, neither side sends anything."""
    with connection, connection.makefile("rwb") as stream:
        number = 0
        try:
            while True:
                stream.write(b"%d\n" % number)
                stream.flush()
                line = stream.readline()
                if line != b"%d\n" % number:
                    state["errors"].append(f"heard {line!r}, expected {number}")
                    return
                number += 1
                state["count"] = number
                time.sleep(0.005)
        except OSError as error:
            state["errors"].append(str(error))


def tcp():
    listener = socket.create_server(("127.0.0.1", 0))
    here = socket.create_connection(listener.getsockname())
    converse(here, listener.accept()[0])


def unix():
    path = os.path.join(tempfile.mkdtemp(), "socket")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    here = socket.socket(socket.AF_UNIX)
    here.connect(path)
    converse(here, listener.accept()[0])


def both_ways(connection):
    """Sends numbers and receives the other side's, neither waiting for the other."""
    state["heard"] = 0

    def hear():
        with connection.makefile("rb") as stream:
            for line in stream:
                if int(line) != state["heard"]:
                    state["errors"].append(f"heard {line!r}, expected {state['heard']}")
                state["heard"] += 1
        state["errors"].append("the other side has closed")

    threading.Thread(target=hear, daemon=True).start()
    try:
        while True:
            connection.sendall(b"%d\n" % state["count"])
            state["count"] += 1
            time.sleep(0.01)
    except OSError as error:
        state["errors"].append(str(error))


def connect():
    while True:
        try:
            return socket.create_connection((sys.argv[3], int(sys.argv[4])))
        except ConnectionRefusedError:  # The other side is still starting.
            time.sleep(0.1)


def accept(*option):
    connection = socket.create_server((sys.argv[3], int(sys.argv[4]))).accept()[0]
    if option:
        connection.setsockopt(*option)
    return connection


def impatient():
    """After a PUT, closes the connection when nothing was acknowledged for a second."""
    connection = accept()
    orders.append(lambda: connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000))
    both_ways(connection)


def abrupt():
    """A kill resets its connection instead of closing it."""
    both_ways(accept(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)))


def deleted():
    """Holds an unlinked file open; reads its content again on each request."""
    file = open(os.path.join(tempfile.mkdtemp(), "gone"), "w+b")
    file.write(os.urandom(1 << 20))
    file.flush()
    os.unlink(file.name)

    def digest():
        file.seek(0)
        return hashlib.sha256(file.read()).hexdigest()

    state["digest"] = digest
    count()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = {key: value() if callable(value) else value for key, value in state.items()}
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        state["count"] += 1
        self.do_GET()

    def do_PUT(self):
        for order in orders:
            order()
        self.do_GET()

    def log_message(self, *args):
        pass


work = {
    "counter": count,
    "tcp": tcp,
    "unix": unix,
    "deleted": deleted,
    "caller": lambda: both_ways(connect()),
    "listener": lambda: both_ways(accept()),
    "impatient": impatient,
    "abrupt": abrupt,
    "asker": lambda: ask(connect()),
    "answerer": lambda: answer(accept()),
}.get(role)
if work:
    threading.Thread(target=work, daemon=True).start()
http.server.ThreadingHTTPServer(("127.0.0.1", port), Answer).serve_forever()
