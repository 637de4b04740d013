"""After a memory image became two processes: makes this one's generators differ from the other's."""

import sys


def reseed(request):
    """The interpreter's hash seed cannot be changed while it runs. Generators that the user made are left alone."""
    entropy = bytes.fromhex(request["entropy"])
    done = []
    if "random" in sys.modules:
        sys.modules["random"].seed(entropy)
        done.append("random")
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        words = [int.from_bytes(entropy[i : i + 4], "little") for i in range(0, len(entropy) - 3, 4)]
        numpy.seed(words)
        done.append("numpy.random")
    if "ssl" in sys.modules:
        sys.modules["ssl"].RAND_add(entropy, float(len(entropy)))
        done.append("ssl")
    if "tempfile" in sys.modules:
        sys.modules["tempfile"]._name_sequence = None
        done.append("tempfile")
    if "uuid" in sys.modules:
        sys.modules["uuid"]._last_timestamp = None
        done.append("uuid")
    return {"reseeded": done}
