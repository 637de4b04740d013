"""A remote-controlled process: executes the Python that arrives on its control socket.
usage: puppet.py NAME            runs until it is ended
       puppet.py NAME --tell     reads Python from standard input and has the running one execute it"""

import os
import socket
import sys
import tempfile

name = sys.argv[1]
control = f"/tmp/puppet-{name}"


def listening(port, address="127.0.0.1", kind=socket.SOCK_STREAM):
    bound = socket.socket(socket.AF_INET, kind)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((address, port))
    if kind == socket.SOCK_STREAM:
        bound.listen()
    return bound


def tcp_pair(port):
    listener = listening(port)
    here = socket.create_connection(("127.0.0.1", port))
    there, _ = listener.accept()
    listener.close()
    return here, there


def deleted(path):
    file = open(path, "w+b")
    file.write(b"only here" * 1000)
    file.flush()
    os.unlink(path)
    return file


if "--tell" in sys.argv:
    with socket.socket(socket.AF_UNIX) as teller:
        teller.connect(control)
        teller.sendall(sys.stdin.read().encode())
        teller.shutdown(socket.SHUT_WR)
        answer = teller.makefile().read()
    if answer != "done":
        sys.exit(f"{name}: {answer}")
else:
    orders = socket.socket(socket.AF_UNIX)
    orders.bind(control)
    orders.listen()
    while True:
        told, _ = orders.accept()
        with told:
            text = told.makefile().read()
            try:
                exec(text, globals())
                told.sendall(b"done")
            except Exception as error:
                told.sendall(repr(error).encode())
