"""The kernel that values belong to, or come back into."""


class Runtime:
    namespace = None
    shell = None
