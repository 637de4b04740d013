/**
 * Kinds of Python objects and what a demotion must do with them. `code` creates the variable `name` (and can create
 * more); `check` is an expression that must be true in a fresh kernel after the replay. `lost` kinds list the words
 * that their reason must contain.
 */
export type RescueKind = { name: string; code: string } & (
  | { check: string; method?: 'data' | 'source' | 'import' }
  | { lost: RegExp }
)

export const rescueKinds: RescueKind[] = [
  { name: 'integer', code: 'integer = 2 ** 70', check: 'integer == 2 ** 70' },
  { name: 'floats', code: 'floats = [0.1, float("inf"), -0.0]', check: 'str(floats) == "[0.1, inf, -0.0]"' },
  { name: 'not_a_number', code: 'not_a_number = float("nan")', check: 'not_a_number != not_a_number' },
  { name: 'text', code: 'text = "zwölf \\ud800 Boxkämpfer"', check: 'text == "zwölf \\ud800 Boxkämpfer"' },
  { name: 'raw', code: 'raw = bytes(range(256))', check: 'raw == bytes(range(256))' },
  { name: 'array_of_bytes', code: 'array_of_bytes = bytearray(b"ab")', check: 'array_of_bytes == bytearray(b"ab")' },
  { name: 'nothing', code: 'nothing = None', check: 'nothing is None' },
  { name: 'dots', code: 'dots = ...', check: 'dots is ...' },
  { name: 'complex_number', code: 'complex_number = 1 + 2j', check: 'complex_number == 1 + 2j' },
  {
    name: 'nested',
    code: 'nested = {"b": [1, (2, {3})], "a": {"x": None}}',
    check: 'nested == {"b": [1, (2, {3})], "a": {"x": None}} and list(nested) == ["b", "a"]',
  },
  { name: 'words', code: 'words = {"x", "y", "z", ("t", 1)}', check: 'words == {"x", "y", "z", ("t", 1)}' },
  {
    name: 'frozen',
    code: 'frozen = frozenset([1, frozenset([2])])',
    check: 'frozen == frozenset([1, frozenset([2])])',
  },
  { name: '_private', code: '_private = "kept too"', check: '_private == "kept too"' },
  {
    name: 'cyclic',
    code: 'cyclic = [1]\ncyclic.append(cyclic)',
    check: 'cyclic[1] is cyclic and cyclic[0] == 1',
  },
  {
    name: 'second_name',
    code: 'first_name = [1, 2]\nsecond_name = first_name',
    check: 'second_name is first_name and second_name == [1, 2]',
  },
  {
    name: 'holder_of_shared',
    code: 'shared_inner = {"n": 1}\nholder_of_shared = [shared_inner, shared_inner]',
    check: 'holder_of_shared[0] is holder_of_shared[1] is shared_inner',
  },
  { name: 'span', code: 'span = range(3, 30, 7)', check: 'span == range(3, 30, 7)' },
  { name: 'cut', code: 'cut = slice(1, None, 2)', check: 'cut == slice(1, None, 2)' },
  {
    name: 'queue_of_two',
    code: 'from collections import deque, OrderedDict, defaultdict, Counter, ChainMap\nqueue_of_two = deque([1, 2], maxlen=2)',
    check: 'list(queue_of_two) == [1, 2] and queue_of_two.maxlen == 2',
  },
  {
    name: 'by_default',
    code: 'by_default = defaultdict(list, a=[1])',
    check: 'by_default["a"] == [1] and by_default["new"] == []',
  },
  { name: 'tally', code: 'tally = Counter("abca")', check: 'tally["a"] == 2 and type(tally) is Counter' },
  {
    name: 'ordered',
    code: 'ordered = OrderedDict(b=1, a=2)',
    check: 'list(ordered) == ["b", "a"] and type(ordered) is OrderedDict',
  },
  {
    name: 'moment',
    code: 'import datetime as dt, zoneinfo\nmoment = dt.datetime(2026, 1, 2, 3, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))',
    check: 'moment.isoformat() == "2026-01-02T03:00:00+01:00" and moment.tzinfo is zoneinfo.ZoneInfo("Europe/Berlin")',
  },
  {
    name: 'exact_number',
    code: 'from decimal import Decimal\nfrom fractions import Fraction\nexact_number = (Decimal("1.10"), Fraction(1, 3))',
    check: 'str(exact_number) == "(Decimal(\'1.10\'), Fraction(1, 3))"',
  },
  { name: 'path', code: 'from pathlib import Path\npath = Path("/tmp/x")', check: 'path == Path("/tmp/x")' },
  { name: 'identity', code: 'import uuid\nidentity = uuid.UUID(int=7)', check: 'identity == uuid.UUID(int=7)' },
  {
    name: 'pattern',
    code: 'import re\npattern = re.compile("a(b+)", re.I)',
    check: 'pattern.match("ABB").group(1) == "BB"',
  },
  {
    name: 'error_value',
    code: 'try:\n    1 / 0\nexcept ZeroDivisionError as caught:\n    error_value = caught',
    check: 'type(error_value) is ZeroDivisionError and error_value.args == ("division by zero",)',
  },
  {
    name: 'buffer_in_memory',
    code: 'import io\nbuffer_in_memory = io.StringIO("abc")\nbuffer_in_memory.read(1)',
    check: 'buffer_in_memory.read() == "bc"',
  },
  { name: 'iterator', code: 'iterator = iter([1, 2, 3])\nnext(iterator)', check: 'list(iterator) == [2, 3]' },
  {
    name: 'function',
    code: 'def function(n, *, by=2):\n    "doc"\n    return n * by',
    check: 'function(4) == 8 and function.__doc__ == "doc"',
    method: 'source',
  },
  {
    name: 'source_of_function',
    code: 'def source_of_function():\n    return 1  # a remark',
    check: '"# a remark" in __import__("inspect").getsource(source_of_function)',
    method: 'source',
  },
  { name: 'anonymous', code: 'anonymous = lambda n: n + 1', check: 'anonymous(1) == 2', method: 'source' },
  {
    name: 'with_closure',
    code: 'def make_counter():\n    count = 0\n    def up():\n        nonlocal count\n        count += 1\n        return count\n    def look():\n        return count\n    return up, look\nwith_closure, look_at_closure = make_counter()\nwith_closure()',
    check: 'with_closure() == 2 and look_at_closure() == 2 and with_closure() == 3 and look_at_closure() == 3',
  },
  {
    name: 'recursive_function',
    code: 'def make_recursive():\n    def factorial(n):\n        return 1 if n < 2 else n * factorial(n - 1)\n    return factorial\nrecursive_function = make_recursive()',
    check: 'recursive_function(5) == 120',
  },
  {
    name: 'uses_globals',
    code: 'total = 10\ndef uses_globals():\n    global total\n    total += 1\n    return total',
    check: 'uses_globals() == 11 and total == 11',
  },
  {
    name: 'with_default_and_attribute',
    code: 'def with_default_and_attribute(items=[]):\n    items.append(1)\n    return items\nwith_default_and_attribute.mark = "m"\nwith_default_and_attribute()',
    check: 'with_default_and_attribute() == [1, 1] and with_default_and_attribute.mark == "m"',
  },
  {
    name: 'partial',
    code: 'import functools\npartial = functools.partial(function, by=3)',
    check: 'partial(2) == 6 and partial.func is function',
  },
  {
    name: 'cached_function',
    code: '@functools.lru_cache(maxsize=7)\ndef cached_function(n):\n    return n + 1',
    check: 'cached_function(1) == 2 and cached_function.cache_parameters()["maxsize"] == 7',
  },
  {
    name: 'coroutine_function',
    code: 'async def coroutine_function():\n    return 5',
    check: '(await coroutine_function()) == 5',
  },
  {
    name: 'Point',
    code: 'from dataclasses import dataclass, field\n@dataclass(order=True)\nclass Point:\n    x: int\n    y: int = 0\n    tags: list = field(default_factory=list)',
    check: 'Point(1) == Point(1, 0, []) and Point(1) < Point(2)',
    method: 'source',
  },
  { name: 'point', code: 'point = Point(1, 2, ["a"])', check: 'point == Point(1, 2, ["a"]) and type(point) is Point' },
  {
    name: 'Node',
    code: 'class Node:\n    registry = []\n    def __init__(self, value, parent=None):\n        self.value, self.parent, self.children = value, parent, []\n        if parent: parent.children.append(self)\n        Node.registry.append(self)\n    def copy(self):\n        return Node(self.value, self.parent)\n    @property\n    def depth(self):\n        return 0 if self.parent is None else self.parent.depth + 1\n    @classmethod\n    def make(cls): return cls(0)\n    @staticmethod\n    def three(): return 3',
    check: 'Node.make().depth == 0 and Node.three() == 3',
    method: 'source',
  },
  {
    name: 'tree',
    code: 'tree = Node(1)\nleaf = Node(2, tree)',
    check:
      'tree.children[0] is leaf and leaf.parent is tree and leaf.depth == 1 and type(tree) is Node and Node.registry[0] is tree',
  },
  {
    name: 'Derived',
    code: 'class Base:\n    def hello(self): return "base"\nclass Derived(Base):\n    def hello(self): return super().hello() + "!"',
    check: 'Derived().hello() == "base!" and Derived.__mro__[1] is Base',
    method: 'source',
  },
  {
    name: 'Slotted',
    code: 'class Slotted:\n    __slots__ = ("a",)\nslotted = Slotted()\nslotted.a = 3',
    check: 'slotted.a == 3 and type(slotted) is Slotted and not hasattr(slotted, "__dict__")',
  },
  {
    name: 'Colour',
    code: 'import enum\nclass Colour(enum.Enum):\n    RED = 1\n    GREEN = 2\n    ALSO_RED = 1\n    def shout(self): return self.name + "!"',
    check: 'Colour(2) is Colour.GREEN and Colour.ALSO_RED is Colour.RED and Colour.RED.shout() == "RED!"',
    method: 'source',
  },
  { name: 'member', code: 'member = Colour.GREEN', check: 'member is Colour.GREEN' },
  {
    name: 'Flags',
    code: 'class Flags(enum.IntFlag):\n    A = 1\n    B = 2\nflags = Flags.A | Flags.B',
    check: 'flags == 3 and flags & Flags.B',
  },
  {
    name: 'Abstract',
    code: 'import abc\nclass Abstract(abc.ABC):\n    @abc.abstractmethod\n    def act(self): ...\nAbstract.register(int)',
    check: 'isinstance(1, Abstract) and Abstract.__abstractmethods__ == {"act"}',
  },
  {
    name: 'Pair',
    code: 'from typing import NamedTuple, NewType, TypeVar, Generic\nclass Pair(NamedTuple):\n    a: int\n    b: str = "x"\npair = Pair(1)',
    check: 'pair == Pair(1, "x") and pair.b == "x" and type(pair) is Pair',
  },
  {
    name: 'named',
    code: 'from collections import namedtuple\nNamed = namedtuple("Named", "a b")\nnamed = Named(1, 2)',
    check: 'named.a == 1 and type(named) is Named',
  },
  { name: 'UserId', code: 'UserId = NewType("UserId", int)', check: 'UserId(5) == 5 and UserId.__supertype__ is int' },
  {
    name: 'Box',
    code: 'T = TypeVar("T")\nclass Box(Generic[T]):\n    def __init__(self, v: T): self.v = v\nbox = Box[int](4)',
    check: 'box.v == 4 and type(box) is Box and Box.__parameters__[0] is T',
  },
  {
    name: 'Meta',
    code: 'class Meta(type):\n    def __call__(cls, *a): return super().__call__(*a)\nclass OfMeta(metaclass=Meta):\n    v = 6\nof_meta = OfMeta()',
    check: 'type(OfMeta) is Meta and of_meta.v == 6',
  },
  { name: 'bound', code: 'bound = tree.copy', check: 'bound.__self__ is tree and bound().value == 1' },
  {
    name: 'generator_of_chance',
    code: 'import random\ngenerator_of_chance = random.Random(5)\nexpected_chance = random.Random(5).random()',
    check: 'generator_of_chance.random() == expected_chance',
  },
  { name: 'np', code: 'import numpy as np, pandas as pd', check: 'np.__name__ == "numpy"', method: 'import' },
  {
    name: 'big_array',
    code: 'big_array = np.arange(3_000_000, dtype="i4").reshape(3, -1)',
    check: 'big_array[2, 5] == 2_000_005 and big_array.flags.writeable',
  },
  {
    name: 'fortran',
    code: 'fortran = np.asfortranarray(np.arange(6.0).reshape(2, 3))',
    check: 'fortran.flags.f_contiguous and fortran[1, 0] == 3',
  },
  {
    name: 'readonly',
    code: 'readonly = np.arange(40_000)\nreadonly.flags.writeable = False',
    check: 'not readonly.flags.writeable and readonly[-1] == 39_999',
  },
  {
    name: 'of_objects',
    code: 'of_objects = np.array([1, "a", None, [2]], dtype=object)',
    check: 'list(of_objects) == [1, "a", None, [2]]',
  },
  {
    name: 'structured',
    code: 'structured = np.array([(1, "a")], dtype=[("n", "i4"), ("s", "U2")])',
    check: 'structured["s"][0] == "a"',
  },
  { name: 'scalar', code: 'scalar = np.float32(1.5)', check: 'scalar == 1.5 and scalar.dtype == "f4"' },
  {
    name: 'view',
    code: 'whole = np.zeros(1000)\nview = whole[10:20:2]\nmirrored = whole[::-1]',
    check: '(view.__setitem__(0, 5), whole[10] == 5, mirrored[989] == 5)[1:] == (True, True)',
  },
  {
    name: 'legacy_chance',
    code: 'legacy_chance = np.random.default_rng(3)\nexpected_legacy = np.random.default_rng(3).integers(1 << 40)',
    check: 'legacy_chance.integers(1 << 40) == expected_legacy',
  },
  {
    name: 'frame',
    code: 'frame = pd.DataFrame({"n": range(5), "f": [0.5, None, 1, 2, 3], "t": list("abcde"), "d": pd.date_range("2026-01-01", periods=5, tz="UTC")})\nframe.attrs["source"] = "test"\nexpected_frame = frame.copy(deep=True)',
    check:
      'frame.equals(expected_frame) and frame.attrs == {"source": "test"} and (frame.dtypes == expected_frame.dtypes).all()',
  },
  {
    name: 'categorical',
    code: 'categorical = pd.Series(pd.Categorical(["lo", "hi", "lo"], categories=["lo", "mid", "hi"], ordered=True))',
    check:
      'list(categorical) == ["lo", "hi", "lo"] and categorical.cat.ordered and list(categorical.cat.categories) == ["lo", "mid", "hi"]',
  },
  {
    name: 'multi_index',
    code: 'multi_index = pd.DataFrame({"v": range(4)}, index=pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["k", "n"]))',
    check: 'multi_index.loc[("b", 1), "v"] == 2 and multi_index.index.names == ["k", "n"]',
  },
  {
    name: 'copied_frame',
    code: 'original_frame = pd.DataFrame({"a": np.arange(10)})\ncopied_frame = original_frame[:]',
    check: '(copied_frame.__setitem__("a", 0), original_frame["a"].sum())[1] == 45',
  },
  { name: 'intervals', code: 'intervals = pd.interval_range(0, 3)', check: 'list(intervals.left) == [0, 1, 2]' },
  {
    name: 'polars_frame',
    code: 'import polars as pl\npolars_frame = pl.DataFrame({"a": [1, None, 3], "s": ["x", "y", None]})',
    check: 'polars_frame.equals(pl.DataFrame({"a": [1, None, 3], "s": ["x", "y", None]}))',
  },
  {
    name: 'arrow_table',
    code: 'import pyarrow as pa\narrow_table = pa.table({"a": [1, None, 3], "s": ["x", "y", None]})',
    check: 'arrow_table.equals(pa.table({"a": [1, None, 3], "s": ["x", "y", None]}))',
  },
  {
    name: 'estimator',
    code: 'from sklearn.linear_model import LogisticRegression\nestimator = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])\nexpected_answer = estimator.predict_proba([[1.2]]).tolist()',
    check: 'estimator.predict_proba([[1.2]]).tolist() == expected_answer',
  },
  {
    name: 'sparse',
    code: 'import scipy.sparse\nsparse = scipy.sparse.csr_matrix(np.eye(3))',
    check: '(sparse.toarray() == np.eye(3)).all()',
  },
  {
    name: 'expression',
    code: 'import sympy\nsymbol = sympy.Symbol("x")\nexpression = sympy.sin(symbol) ** 2',
    check: 'expression.diff(symbol) == 2 * sympy.sin(symbol) * sympy.cos(symbol)',
  },
  {
    name: 'graph',
    code: 'import networkx as nx\ngraph = nx.path_graph(4)\ngraph.nodes[0]["w"] = 1',
    check: 'list(graph.edges) == [(0, 1), (1, 2), (2, 3)] and graph.nodes[0]["w"] == 1',
  },
  {
    name: 'picture',
    code: 'from PIL import Image\npicture = Image.new("RGB", (3, 2), (1, 2, 3))',
    check: 'picture.size == (3, 2) and picture.getpixel((2, 1)) == (1, 2, 3)',
  },
  {
    name: 'Model',
    code: 'import pydantic\nclass Model(pydantic.BaseModel):\n    n: int\n    tags: list[str] = []\nmodel = Model(n="5")',
    check: 'model == Model(n=5) and type(model) is Model and Model(n="7").n == 7',
  },
  { name: 'print_to', code: 'import sys\nprint_to = sys.stdout', check: 'print_to is sys.stdout' },
  { name: 'own_shell', code: 'own_shell = [get_ipython()]', check: 'own_shell[0] is get_ipython()' },
  {
    name: 'json.added_by_test',
    code: 'import json\ndef added_by_test(): return "patched"\njson.added_by_test = added_by_test',
    check: 'json.added_by_test() == "patched"',
  },
  {
    name: 'fractions.Fraction.half',
    code: 'Fraction.half = lambda self: self / 2',
    check: 'Fraction(1, 2).half() == Fraction(1, 4)',
  },
  {
    name: 'set_on_main',
    code: 'import __main__\n__main__.set_on_main = [7]',
    check: 'set_on_main == [7] and __import__("__main__").set_on_main is set_on_main',
  },

  { name: 'generator', code: 'generator = (n for n in range(3))\nnext(generator)', lost: /generator/ },
  { name: 'holds_generator', code: 'holds_generator = {"deep": [generator]}', lost: /contains a generator/ },
  { name: 'coroutine', code: 'coroutine = coroutine_function()', lost: /coroutine/ },
  { name: 'lock', code: 'import threading\nlock = threading.Lock()', lost: /lock/ },
  {
    name: 'holds_lock',
    code: 'class HoldsLock:\n    def __init__(self): self.guard = threading.RLock()\nholds_lock = HoldsLock()',
    lost: /contains an? RLock: a lock/,
  },
  { name: 'event', code: 'event = threading.Event()', lost: /lock/ },
  {
    name: 'thread',
    code: 'thread = threading.Thread(target=event.wait, daemon=True)\nthread.start()',
    lost: /thread ends with its process/,
  },
  {
    name: 'executor',
    code: 'from concurrent.futures import ThreadPoolExecutor\nexecutor = ThreadPoolExecutor(1)',
    lost: /workers/,
  },
  { name: 'sock', code: 'import socket\nsock = socket.socket()', lost: /socket closes/ },
  { name: 'opened', code: 'opened = open("/etc/hostname")', lost: /open file/ },
  { name: 'database', code: 'import sqlite3\ndatabase = sqlite3.connect(":memory:")', lost: /database handle/ },
  { name: 'duck', code: 'import duckdb\nduck = duckdb.connect()', lost: /database handle/ },
  { name: 'child', code: 'import subprocess\nchild = subprocess.Popen(["sleep", "1000"])', lost: /another process/ },
  { name: 'memory_view', code: 'memory_view = memoryview(b"abc")', lost: /view into memory/ },
  { name: 'weak', code: 'import weakref\nweak = weakref.ref(tree)', lost: /weak reference/ },
  { name: 'task', code: 'import asyncio\ntask = asyncio.ensure_future(asyncio.sleep(3600))', lost: /event loop/ },
  {
    name: 'traceback',
    code: 'try:\n    1 / 0\nexcept ZeroDivisionError as caught:\n    traceback = caught.__traceback__',
    lost: /traceback/,
  },
  { name: 'map_of_memory', code: 'import mmap\nmap_of_memory = mmap.mmap(-1, 10)', lost: /memory map/ },
  {
    name: 'refuses',
    code: 'class Refuses:\n    def __reduce__(self): raise ValueError("not me")\nrefuses = Refuses()',
    lost: /ValueError: not me/,
  },
  {
    name: 'comes_back_different',
    code: 'class Fickle:\n    def __init__(self): self.n = 1\n    def __setstate__(self, state): self.n = 2\ncomes_back_different = Fickle()',
    lost: /differs/,
  },
  {
    name: 'cannot_come_back',
    code: 'class NoReturn:\n    def __setstate__(self, state): raise OSError("no way back")\ncannot_come_back = NoReturn()\ncannot_come_back.n = 1',
    lost: /no way back/,
  },
  {
    name: 'nested_too_deeply',
    code: 'nested_too_deeply = []\nfor _ in range(100_000): nested_too_deeply = [nested_too_deeply]',
    lost: /nested too deeply/,
  },
  {
    name: 'over_budget',
    code: 'over_budget = pd.DataFrame({"x": np.random.default_rng(1).random(3_000_000)})',
    lost: /more than the limit of \d+ bytes/,
  },
]
