/** Sets up state that only memory can hold. */
export const setUpCell = `
import hashlib, sqlite3, threading, time, os
import numpy as np

class Counter:
    def __init__(self): self.value = 0
    def up(self):
        self.value += 1
        return self.value

def twice(x): return 2 * x
counter = Counter()
numbers = (n * n for n in range(10**9))
next(numbers)
add = (lambda k: lambda x: x + k)(40)
database = sqlite3.connect(':memory:')
database.execute('create table t (x)')
database.execute('insert into t values (1)')
big = np.random.default_rng(7).integers(0, 255, 300 * 1024 * 1024, dtype=np.uint8)
big_digest = hashlib.sha256(big).hexdigest()
_private = {'mine': [1, 2, 3]}
ticks = 0
def tick():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.02)
ticker = threading.Thread(target=tick, daemon=True)
ticker.start()
print(os.getpid())
`

/** Runs through every pause; ends when a file appears. */
export const longCell = `
steps = 0
while not os.path.exists('/tmp/end-of-cell'):
    steps += 1
    time.sleep(0.02)
print('steps', steps > 100)
`

/** What must be true afterwards. */
export const checkCell = `
before = ticks
time.sleep(0.2)
print(os.getpid())
print(twice(21), counter.up(), next(numbers), next(numbers), add(2))
print(database.execute('select x from t').fetchall(), _private)
print(hashlib.sha256(big).hexdigest() == big_digest, ticker.is_alive(), ticks > before)
`
