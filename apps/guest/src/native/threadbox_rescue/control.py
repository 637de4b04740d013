"""The kernel's control server: responds to the guest from its own threads, also while a cell runs."""

import json
import os
import socket
import threading

REQUEST_LIMIT_BYTES = 1024 * 1024


def serve(path, operations):
    """Listens on a socket in the kernel's own directory, which only the user can enter.

    One JSON request per connection, one reply, both ended by a line feed. `operations` maps names to functions of
    the request.
    """
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen(8)
    start(accept, listener, operations)


def start(function, *arguments):
    threading.Thread(target=function, args=arguments, name="threadbox-control", daemon=True).start()


def accept(listener, operations):
    while True:
        try:
            connection, _ = listener.accept()
            start(answer, connection, operations)
        except (OSError, RuntimeError):
            # No descriptors or no threads are left at the moment: the guest reports that the kernel did not respond.
            threading.Event().wait(0.2)


def answer(connection, operations):
    try:
        with connection:
            connection.settimeout(10)
            request = json.loads(read_line(connection))
            connection.settimeout(None)
            try:
                reply = operations[request["operation"]](request)
            except BaseException as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
            connection.sendall(json.dumps(reply).encode("utf-8", "backslashreplace") + b"\n")
    except (OSError, ValueError):
        # The guest has disconnected.
        pass


def read_line(connection):
    line = b""
    while not line.endswith(b"\n") and len(line) < REQUEST_LIMIT_BYTES:
        piece = connection.recv(65536)
        if not piece:
            break
        line += piece
    return line
