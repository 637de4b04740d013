import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeGuestState } from '../ground/guest-state.ts'
import { makeLauncher } from '../launch/launcher.ts'
import { makePipePool } from '../launch/pipe-pool.ts'
import { findPrograms } from '../launch/programs.ts'
import { isZombie, readProcess } from '../processes/process-table.ts'
import { startKernel } from './kernel.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kernel-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Listens as a kernel does, and reports in ZMTP that a socket is ready. */
const listens = `
import json, os, socket, sys, time
ip = json.load(open(sys.argv[2]))['ip']
def listen(port):
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f'{ip}-{port}')
    listening.listen()
    return listening
def ready(listening):
    peer = listening.accept()[0]
    peer.sendall(bytes([0xff] + [0] * 8 + [0x7f, 3, 0]) + b'NULL' + bytes(48) + bytes([4, 6, 5]) + b'READY')
    return peer
shell, iopub = listen(1), listen(2)
`

test('a kernel that ends between its first message and its reply is reported, and not waited for', {
  timeout: 20_000,
}, async () => {
  const program = `${listens}
asking, hearing = ready(shell), ready(iopub)
while b'kernel_info_request' not in asking.recv(1 << 16): pass
hearing.sendall(bytes([0, 5]) + b'noise')
print('the last that it says', flush=True)
os._exit(3)
`
  await expect(start(program)).rejects.toMatchObject({
    code: 'kernel.not-started',
    message: expect.stringContaining('it ended with exit code 3. the last that it says'),
  })
})

test('a kernel that ends while its socket is held and silent is reported, and not waited for', {
  timeout: 20_000,
}, async () => {
  const program = `${listens}
holds, held = os.pipe()
if os.fork() == 0:
    peer = shell.accept()
    os.write(held, b'.')
    time.sleep(600)
os.read(holds, 1)
os._exit(4)
`
  await expect(start(program)).rejects.toMatchObject({
    code: 'kernel.not-started',
    message: expect.stringContaining('it ended with exit code 4'),
  })
})

test('all connections of a kernel that failed to start are closed, including those that were ready', {
  timeout: 20_000,
}, async () => {
  const program = `${listens}
holds, held = os.pipe()
if os.fork() == 0:
    os.setsid()
    asking, hearing = ready(shell), iopub.accept()[0]
    os.write(held, b'.')
    while asking.recv(1 << 16) or hearing.recv(1 << 16): pass
    open(f'{sys.argv[0]}.closed', 'w')
    os._exit(0)
os.read(holds, 1)
os._exit(4)
`
  await expect(start(program)).rejects.toMatchObject({ code: 'kernel.not-started' })
  await expect.poll(() => existsSync(join(directory, 'kernel.py.closed'))).toBe(true)
})

test('a start that is abandoned ends what it has started', { timeout: 20_000 }, async () => {
  const program = `
import os, sys, time
open(f'{sys.argv[0]}.pid', 'w').write(str(os.getpid()))
time.sleep(600)
`
  const abandonment = new AbortController()
  const starting = start(program, abandonment.signal)
  const pid = () => Number(existsSync(pidFile) && readFileSync(pidFile, 'utf8'))
  const pidFile = join(directory, 'kernel.py.pid')
  await expect.poll(pid, { timeout: 10_000 }).toBeGreaterThan(0)
  const started = pid()
  abandonment.abort()
  await expect(starting).rejects.toMatchObject({
    code: 'kernel.not-started',
    message: expect.stringContaining('no cell used it'),
  })
  expect(isRunning(started)).toBe(false)
})

function isRunning(pid: number): boolean {
  const found = readProcess(pid)
  return found !== undefined && !isZombie(found)
}

async function start(program: string, signal = new AbortController().signal): Promise<unknown> {
  const kernelProgram = join(directory, 'kernel.py')
  writeFileSync(kernelProgram, program)
  const state = makeGuestState()
  state.apply({
    presented: undefined,
    body: {
      accessToken: 'a-token-that-only-this-test-knows-0123456789',
      timestampMs: 0,
      hostname: 'box',
      bootId: 'b1',
      envVars: { HOME: directory },
      defaultUser: userInfo().username,
      defaultWorkdir: directory,
      limits: { memoryBytes: 2 ** 50, processes: 30_000 },
      entropy: '',
    },
  })
  const programs = findPrograms(join(import.meta.dirname, '..'))
  const pipes = makePipePool({ scratchDirectory: directory, mkfifo: programs.mkfifo })
  const launcher = makeLauncher({ state, pipes, programs, ownEnvironment: {} })
  return await startKernel({ launcher, kernelProgram, scratchDirectory: directory, cwd: directory, signal })
}
