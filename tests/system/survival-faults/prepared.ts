/** The prepared content of the sandbox, each item twice or more: one for the fault, one left alone. */
export const packages = `
set -e; mkdir -p ~/made; cd ~/made
wheel() { # NAME VERSION
  python3 - "$1" "$2" <<'END'
import sys, zipfile
name, version = sys.argv[1:]
info = f'{name}-{version}.dist-info'
with zipfile.ZipFile(f'{name}-{version}-py3-none-any.whl', 'w') as wheel:
    wheel.writestr(f'{name}.py', f'version = "{version}"')
    wheel.writestr(f'{info}/METADATA', f'Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n')
    wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nGenerator: made\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(f'{info}/RECORD', f'{name}.py,,\\n{info}/METADATA,,\\n{info}/WHEEL,,\\n{info}/RECORD,,\\n')
END
}
for name in byuv raised keptuv; do wheel $name 1.0; done; wheel bypip 1.0; wheel raised 2.0
uv pip install -q --offline --no-index ./byuv-1.0*.whl ./raised-1.0*.whl ./keptuv-1.0*.whl
pip install -q --no-index --no-deps ./bypip-1.0*.whl
for name in bynpm keptnpm; do
  mkdir -p $name/package; echo '{"name":"'$name'","version":"1.0.0"}' > $name/package/package.json; tar czf $name.tgz -C $name package
done
npm install --silent --global --offline --no-audit --no-fund ./bynpm.tgz ./keptnpm.tgz
for name in byapt keptapt; do
  mkdir -p deb-$name/DEBIAN
  printf 'Package: %s\\nVersion: 1.0\\nArchitecture: all\\nMaintainer: nobody <nobody@example.org>\\nDescription: made\\n' $name > deb-$name/DEBIAN/control
  dpkg-deb --build deb-$name $name.deb >/dev/null
done
sudo dpkg -i byapt.deb keptapt.deb >/dev/null`

export const files = `
mkdir -p ~/tree/inner; echo 1 > ~/tree/inner/leaf; echo 1 > ~/removed.txt; echo 1 > ~/taken-from-disk.txt
echo 1 > ~/kept.txt; ln -s kept.txt ~/link; echo 1 > /dev/shm/removed; echo 1 > /dev/shm/kept`

export const shell = `
cd /home/user/made; greet() { echo hi; }; alias ll='ls -l'; plain=1; export REMOVED=1 CHANGED=1 KEPT=1`

export const programs = `
for seconds in 1001 1002 1003 1004; do nohup sleep $seconds >/dev/null 2>&1 & done
nohup python3 -c 'import os, signal
signal.signal(signal.SIGUSR1, lambda *_: os.execvp("sleep", ["sleep", "4444"]))
while True: signal.pause()' replaced >/dev/null 2>&1 &
for name in one two; do nohup python3 puppet.py $name >/dev/null 2>&1 & done
for name in one two; do for i in $(seq 100); do [ -S /tmp/puppet-$name ] && break; sleep 0.1; done; done`

/** The state of both puppets; the second one’s ports are one hundred higher. */
export const held = (base: number) => `
ports = [listening(${base} + number) for number in range(4)]
datagrams = [listening(${base} + 10, kind=socket.SOCK_DGRAM)]
pairs = [tcp_pair(${base} + 20 + number) for number in range(3)]
units = [socket.socketpair() for _ in range(2)]
files = [deleted(f"/home/user/gone-{number}-${base}") for number in range(3)]`

export const variables = `
import numpy, pandas, threading
removed = rebound = retyped = kept = 41
mutated, kept_list = [[1], {"a": 2}], [[1], {"a": 2}]
array, kept_array = numpy.arange(1000), numpy.arange(1000)
frame, kept_frame = pandas.DataFrame({"n": [1, 2], "s": ["a", "b"]}), pandas.DataFrame({"n": [1, 2], "s": ["a", "b"]})
raw, kept_raw = bytearray(b"abc"), bytearray(b"abc")
class Account:
    def __init__(self): self.balance = 1
account, kept_account = Account(), Account()
def price(): return 1
def kept_price(): return 1
huge = bytearray(32 << 20)
lock = threading.Lock()`

/** Done while the server waits for its second check. */
export const shellFaults = 'unalias ll; unset REMOVED; export CHANGED=2'
export const systemFaults = `
pkill -KILL -f 'sleep 1001'; pkill -TERM -f 'sleep 1002'; pkill -USR1 -f 'replaced$'
pkill -KILL -f 'sleep 1003'; nohup sleep 1003 >/dev/null 2>&1 &
rm ~/removed.txt; rm -r ~/tree; rm ~/link; rm /dev/shm/removed
uv pip uninstall -q byuv; pip uninstall -q -y bypip; uv pip install -q --offline --no-index ~/made/raised-2.0*.whl
npm uninstall --silent --global bynpm; sudo dpkg --purge byapt >/dev/null
for i in $(seq 100); do pgrep -f 'sleep 4444' >/dev/null && break; sleep 0.1; done`
export const puppetFaults = (base: number) => `
import subprocess
ports[0].close()
ports[1].close(); taker = subprocess.Popen(["python3", "-m", "http.server", "${base + 1}", "--bind", "127.0.0.1"])
ports[2].close(); ports[2] = listening(${base + 2}, "0.0.0.0")
datagrams[0].close()
pairs[0][0].close()
for end in pairs[1]: end.close()
units[0][0].close()
files[0].close()
files[1].truncate(5)
while True:
    try: socket.create_connection(("127.0.0.1", ${base + 1})).close(); break
    except ConnectionRefusedError: pass`
export const variableFaults = `
del removed
rebound = 42; retyped = "41"; mutated[1]["a"] = 3; array[7] = 0; frame.loc[0, "s"] = "z"; raw[0] = 0; account.balance = 0
def price(): return 2
huge[0] = 1`
