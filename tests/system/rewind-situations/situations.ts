/** What a thread can hold at the end of a turn, and how it shows that a rewind has restored it. */
export type Situation = {
  what: string
  /** The message that makes it; `/run` if it names no tool. */
  begin: string
  /** A message that ends or changes it. */
  change: string
  /** A message with the same output after a rewind as after `begin`. */
  check: string
  /** That output; undefined: whatever it is after `begin`, such as the number of a process. */
  shows?: string
}

const later = (seconds: number) => `nohup sleep ${seconds} > /dev/null 2>&1 &`
const program = (name: string, code: string) =>
  `printf %s '${Buffer.from(code).toString('base64')}' | base64 -d > /tmp/${name}.py; nohup python3 /tmp/${name}.py > /dev/null 2>&1 & until test -e /tmp/${name}.ready; do sleep 0.02; done`

const counting = `
import http.server, pathlib
class Handler(http.server.BaseHTTPRequestHandler):
  count = 0
  def do_GET(self):
    Handler.count += 1
    self.send_response(200); self.end_headers(); self.wfile.write(b'%d' % Handler.count)
  def log_message(self, *_): pass
server = http.server.HTTPServer(('127.0.0.1', 8123), Handler)
pathlib.Path('/tmp/counting.ready').touch()
server.serve_forever()`
const holding = `
import os, pathlib, time
held = open('/tmp/held', 'w+'); held.write('only in an open file'); held.flush(); os.unlink('/tmp/held')
pathlib.Path('/tmp/holding.ready').touch()
time.sleep(100000)`
const piped = `
import os, pathlib, time
read, write = os.pipe(); os.write(write, b'in a pipe')
pathlib.Path('/tmp/piped.ready').touch()
while not os.path.exists('/dev/shm/read'): time.sleep(0.05)
pathlib.Path('/tmp/piped.out').write_bytes(os.read(read, 100))
time.sleep(100000)`

/** Files have all of it: a turn that ends so records `nothing-ran`. */
export const onDisk: Situation[] = [
  {
    what: 'an exported variable',
    begin: 'export CITY=Oslo',
    change: 'export CITY=Rome',
    check: 'echo "$CITY"',
    shows: 'Oslo\n',
  },
  { what: 'a variable', begin: 'number=12', change: 'unset number', check: 'echo "$number"', shows: '12\n' },
  {
    what: 'a function',
    begin: 'greet() { echo "hello $1"; }',
    change: 'unset -f greet',
    check: 'greet you',
    shows: 'hello you\n',
  },
  { what: 'an alias', begin: "alias say='echo said'", change: 'unalias say', check: 'say it', shows: 'said it\n' },
  {
    what: 'a directory',
    begin: 'cd /usr/share',
    change: 'cd /etc',
    check: 'pwd; cd -',
    shows: '/usr/share\n/home/user\n',
  },
  { what: 'a mask', begin: 'umask 027', change: 'umask 022', check: 'umask', shows: '0027\n' },
  {
    what: 'an option of the shell',
    begin: 'set -o noclobber; shopt -s nullglob',
    change: 'set +o noclobber; shopt -u nullglob',
    check: 'set -o | grep noclobber | tr -s "\\t " " "; shopt nullglob | tr -s "\\t " " "',
    shows: 'noclobber on\nnullglob on\n',
  },
  {
    what: 'a file in the home directory',
    begin: 'head -c 1M /dev/urandom > /home/user/data',
    change: 'rm /home/user/data',
    check: 'sha256sum < /home/user/data',
  },
  {
    what: 'a file in /tmp',
    begin: 'head -c 1M /dev/urandom > /tmp/data',
    change: 'truncate -s 1000 /tmp/data',
    check: 'sha256sum < /tmp/data',
  },
  {
    what: 'a file of root',
    begin: 'echo mine | sudo tee /etc/mine',
    change: 'sudo rm /etc/mine',
    check: 'stat -c %U /etc/mine; sudo cat /etc/mine',
    shows: 'root\nmine\n',
  },
  {
    what: 'a process that has ended',
    begin: '(sleep 0.05; echo ended > /home/user/ended) & wait',
    change: 'rm /home/user/ended',
    check: 'cat /home/user/ended; pgrep -x sleep || echo none',
    shows: 'ended\nnone\n',
  },
]

/** Only memory has it: a turn that ends so keeps its memory. */
export const inMemory: Situation[] = [
  {
    what: 'a background process',
    begin: later(40_001),
    change: 'pkill -f "sleep 40001"',
    check: 'pgrep -xf "sleep 40001"',
  },
  {
    what: 'a loop of the shell',
    begin: '(while :; do sleep 40002; done) > /dev/null 2>&1 & disown',
    change: 'kill $(ps -o ppid= -p $(pgrep -xf "sleep 40002")); pkill -xf "sleep 40002"',
    check: 'ps -o ppid= -p $(pgrep -xf "sleep 40002")',
  },
  {
    what: 'a process that is stopped',
    // In a session of its own: gVisor sends SIGHUP to the command when a process of its group is stopped.
    begin:
      'nohup setsid sleep 40003 > /dev/null 2>&1 & until pkill -STOP -xf "sleep 40003"; do sleep 0.02; done; until grep -q "T (stopped)" /proc/$(pgrep -xf "sleep 40003")/status; do sleep 0.02; done',
    change: 'pkill -KILL -xf "sleep 40003"',
    check: 'grep -o "T (stopped)" /proc/$(pgrep -xf "sleep 40003")/status',
    shows: 'T (stopped)\n',
  },
  {
    what: 'a job that waits for its time',
    begin: 'nohup sh -c "sleep 40004; echo done" > /dev/null 2>&1 &',
    change: 'pkill -f "sleep 40004"',
    check: 'pgrep -f "sleep 40004" | head -1',
  },
  {
    what: 'an idle server, queried since then',
    begin: `${program('counting', counting)}; curl -s 127.0.0.1:8123`,
    change: 'curl -s 127.0.0.1:8123; curl -s 127.0.0.1:8123; pkill -f countin[g]; rm /tmp/counting.ready',
    check: 'curl -s 127.0.0.1:8123',
    shows: '2',
  },
  {
    what: 'a deleted open file',
    begin: program('holding', holding),
    change: 'pkill -f holdin[g]; rm /tmp/holding.ready',
    check: 'cat /proc/$(pgrep -f "python3 /tmp/holdin[g]")/fd/3',
    shows: 'only in an open file',
  },
  {
    what: 'bytes in a pipe',
    begin: program('piped', piped),
    change: 'pkill -f pipe[d]; rm -f /tmp/piped.ready /tmp/piped.out',
    check:
      'touch /dev/shm/read; until test -s /tmp/piped.out; do sleep 0.05; done; cat /tmp/piped.out; rm /dev/shm/read',
    shows: 'in a pipe',
  },
  {
    what: 'a file in /dev/shm',
    begin: 'head -c 1M /dev/urandom > /dev/shm/data',
    change: 'rm /dev/shm/data',
    check: 'sha256sum < /dev/shm/data',
  },
  {
    what: 'a file of root in /dev',
    begin: 'echo in memory | sudo tee /dev/mine > /dev/null',
    change: 'sudo rm /dev/mine',
    check: 'cat /dev/mine',
    shows: 'in memory\n',
  },
]

/** What a Python kernel holds; it is kept from the first cell on. */
export const inKernel: Situation[] = [
  {
    what: 'a kernel that was used and is empty',
    begin: '/python print(1)',
    change: '/python print(2)',
    check: "/python print(In[1], 'print(2)' in In)",
    shows: 'print(1) False\n',
  },
  {
    what: 'an import',
    begin: '/python import json',
    change: '/python del json',
    check: '/python print(json.__name__)',
    shows: 'json\n',
  },
  {
    what: 'a changed import',
    begin: '/python import string; string.digits = "none"',
    change: '/python string.digits = "0"',
    check: '/python print(string.digits)',
    shows: 'none\n',
  },
  {
    what: 'a variable of Python',
    begin: '/python value = {"list": [1, 2]}; same = value["list"]',
    change: '/python value["list"].append(3)',
    check: '/python print(value, same is value["list"])',
    shows: "{'list': [1, 2]} True\n",
  },
  {
    what: 'a generator',
    begin: '/python numbers = iter(range(10)); print(next(numbers))',
    change: '/python print(next(numbers), next(numbers))',
    check: '/python print(next(numbers))',
    shows: '1\n',
  },
  {
    what: 'an open file of Python',
    begin: '/python handle = open("/home/user/text", "w+"); handle.write("buffered")',
    change: '/python handle.close()',
    check: '/python handle.seek(0); print(handle.read())',
    shows: 'buffered\n',
  },
]
