import { runs } from '@threadbox/protocol/guest'
import { hostPaths, hostSandboxSchema } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'

vi.setConfig({ testTimeout: 60_000 })

const MiB = 1024 * 1024
const order = {
  limits: { memoryBytes: 1024 * MiB, cpus: 2, processes: 128, diskBytes: 256 * MiB },
  egress: { kind: 'open' },
}

let host: TestHost
/** The misbehaving sandbox, and another one that must not be affected. A fork bomb has its own. */
let misbehaving: { sandboxId: string; bootId: string }
let neighbor: { sandboxId: string; bootId: string }

beforeAll(async () => {
  host = await startTestHost()
  misbehaving = await start()
  neighbor = await start()
  await host.run(neighbor.sandboxId, 'nohup sleep 4321 > /dev/null 2>&1 &')
})
afterAll(async () => {
  await host?.close()
})
afterEach(async () => {
  for (const { sandboxId, bootId } of [misbehaving, neighbor]) {
    const { body } = await host.request('GET', hostPaths.get(sandboxId))
    expect(hostSandboxSchema.parse(body)).toMatchObject({ actual: 'ready', bootId })
    expect(await host.run(sandboxId, 'echo alive > ~/alive && cat ~/alive')).toMatchObject({ output: 'alive\n' })
  }
  expect((await host.run(neighbor.sandboxId, 'pgrep --count sleep')).output).toBe('1\n')
})

async function start() {
  const sandboxId = host.newSandboxId()
  const bootId = host.newBootId()
  await host.request('PUT', hostPaths.get(sandboxId), order)
  const answer = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  expect(answer).toMatchObject({ status: 200 })
  return { sandboxId, bootId }
}

test('a program that takes more memory than the limit is ended and named; the sandbox keeps running', async () => {
  const result = await host.run(misbehaving.sandboxId, `python3 -c "b = b'x' * (6 << 30)"`)
  expect(result.cause).toBe(runs.EndCause.OUT_OF_MEMORY)
  expect(result.message).toContain('python3')
  const next = await host.run(misbehaving.sandboxId, '(exit 3)')
  expect(next).toMatchObject({ cause: runs.EndCause.EXITED, exitCode: 3 })
})

test('of several programs the largest is ended when memory runs out', async () => {
  await host.run(misbehaving.sandboxId, 'nohup sleep 1234 > /dev/null 2>&1 & echo')
  const eater = `python3 -c "
b = []
while True: b.append(b'x' * (16 << 20))
"`
  const result = await host.run(misbehaving.sandboxId, eater)
  expect(result.cause).toBe(runs.EndCause.OUT_OF_MEMORY)
  expect((await host.run(misbehaving.sandboxId, 'pgrep --count --full "sleep 1234"')).output).not.toBe('0\n')
})

const untraceable = `cat > /tmp/bomb.py <<'PY'
import os, time
while True:
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
    except OSError: time.sleep(0.05)
PY
env -i /usr/bin/setsid --fork python3 /tmp/bomb.py; sleep 15`

test.each([
  ['a fork bomb whose command returns immediately', ':(){ :|:& };:', /× bash/],
  ['a fork bomb of root, whose command keeps running', `sudo bash -c ':(){ :|:& };:; sleep 300'`, /× bash/],
  ['a fork bomb without environment, sessions or parents', untraceable, /× python3/],
])(
  '%s is ended alone and named; other programs in the sandbox keep running',
  async (_what, command, name) => {
    const { sandboxId, bootId } = await start()
    const innocent = 'nohup sleep 5678 > /dev/null 2>&1 & echo $!'
    const pid = (await host.run(sandboxId, innocent)).output.trim()
    const result = await host.run(sandboxId, `kept=yes; ${command}`, { timeoutMs: 45_000 })
    expect(result.cause).toBe(runs.EndCause.OUT_OF_PROCESSES)
    expect(result.message).toMatch(name)
    expect(result.message).toContain('limit of 128 processes')
    const left = "ps -e --no-headers -o stat,comm | grep -cv '^Z'"
    expect(Number((await host.run(sandboxId, left)).output)).toBeLessThan(20)
    const next = await host.run(sandboxId, `ps -o args= -p ${pid}; kill ${pid}`)
    expect(next).toMatchObject({ cause: runs.EndCause.EXITED, exitCode: 0, output: 'sleep 5678\n' })
    expect(await host.request('POST', hostPaths.stop(sandboxId), { bootId })).toMatchObject({ status: 200 })
  },
  60_000,
)

test('many programs just below the process limit are left alone', async () => {
  const command =
    'for i in $(seq 100); do sleep 300 & done; sleep 6; jobs -r | wc -l; kill $(jobs -p); wait 2> /dev/null; true'
  const result = await host.run(misbehaving.sandboxId, command)
  expect(result).toMatchObject({ cause: runs.EndCause.EXITED, exitCode: 0, output: '100\n' })
})

test('G7: a full disk is a clear error, and existing files can be read, removed and written again', async () => {
  const filled = await host.run(misbehaving.sandboxId, 'head -c 400M /dev/urandom > ~/big; echo "exit $?"')
  expect(filled.output).toMatch(/(No space left on device|Disk quota exceeded)[\s\S]*exit 1/)
  const freed = await host.run(misbehaving.sandboxId, 'head -c 10 ~/big | wc -c; rm ~/big && sync && echo removed')
  expect(freed.output).toBe('10\nremoved\n')
  await expect
    .poll(async () => (await host.run(misbehaving.sandboxId, 'head -c 50M /dev/urandom > ~/next; echo $?')).output, {
      timeout: 60_000,
    })
    .toBe('0\n')
  await host.run(misbehaving.sandboxId, 'rm ~/next')
})

test('a program that opens too many files gets an error; others open theirs', async () => {
  const program = `python3 -c "
import os, sys
opened = []
try:
    while True: opened.append(os.open('/etc/passwd', os.O_RDONLY))
except OSError as error:
    print(error.strerror, len(opened))
"`
  const result = await host.run(misbehaving.sandboxId, program)
  expect(result.output).toMatch(/^Too many open files \d+\n$/)
})

test('many programs that open many files together do not exhaust the file limit of the rest', async () => {
  const program = `
import os, time
opened = []
try:
    while True:
        name = f'/tmp/many/{os.getpid()}-{len(opened)}'
        opened.append(os.open(name, os.O_RDWR | os.O_CREAT))
        if len(opened) == 20000: break
except OSError: pass
time.sleep(5)
`
  const command = `mkdir -p /tmp/many; cat > /tmp/open.py <<'PY'\n${program}\nPY
for i in 1 2 3 4 5 6; do python3 /tmp/open.py & done; sleep 6; echo still here; wait; rm -rf /tmp/many`
  const result = await host.run(misbehaving.sandboxId, command, { timeoutMs: 45_000 })
  expect(result.output).toContain('still here')
})
