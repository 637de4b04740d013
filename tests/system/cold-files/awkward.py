"""Makes files of every kind that a copy might not carry over, in a directory of the user."""

import os

os.makedirs(b"/home/user/awkward/below", exist_ok=True)
os.chdir("/home/user/awkward")


def write(name, data=b"data\n"):
    with open(name, "wb") as file:
        file.write(data)


write("empty", b"")
write("bytes", bytes(range(256)) * 1000)
write(b"not \xff\xfe utf-8")
write(b"line\nbreak and  spaces ")
write(b"l" * 255)
write("-leading-dash")
os.symlink("bytes", "link")
os.symlink("/nowhere/at/all", "dangling")
os.symlink(b"not \xff\xfe utf-8", b"link to \xff")
os.symlink("loop", "loop")
os.symlink("below", "directory-link")
write("one-name")
os.link("one-name", "second-name")
os.link("one-name", "below/third-name")
os.link("link", "link-with-two-names")
os.mkfifo("pipe", 0o640)
with open("sparse", "wb") as file:
    file.seek(1 << 30)
    file.write(b"end")
write("old")
os.utime("old", ns=(1, 123_456_789))
write("before-1970")
os.utime("before-1970", ns=(-5_000_000_001, -5_000_000_001))
write("future")
os.utime("future", ns=(4_102_444_800_987_654_321, 4_102_444_800_987_654_321))
write("unreadable")
os.chmod("unreadable", 0)
write("setuid")
os.chmod("setuid", 0o6755)
os.chmod("below", 0o3771)
os.makedirs("/".join(["deep" * 50] * 15), exist_ok=True)
write("with-attributes")
os.setxattr("with-attributes", "user.comment", "naïve".encode())
os.setxattr("with-attributes", "user.empty", b"")
os.setxattr("with-attributes", "user.bytes", bytes(range(256)))
os.setxattr("below", "user.of-a-directory", b"yes")
