"""The kernel that values belong to, or are restored into."""


class Runtime:
    namespace = None
    shell = None
