import { Sandbox as CodeSandbox } from '@e2b/code-interpreter'
import { CommandExitError, type FilesystemEvent, FileType, Sandbox, TimeoutError } from 'e2b'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GuestSandbox, startGuestSandbox } from '../stack/guest-sandbox.ts'

// The unmodified clients in their debug mode, which connects to a fixed address instead of a cloud.
let guest: GuestSandbox
let sandbox: Sandbox

beforeAll(async () => {
  guest = await startGuestSandbox()
  sandbox = await Sandbox.create({ debug: true, sandboxUrl: guest.guestUrl })
})
afterAll(async () => {
  await guest?.[Symbol.asyncDispose]()
})

/** Collects items until one matches. */
function collector<Item>() {
  const items: Item[] = []
  const waiting: { fits: (item: Item) => boolean; resolve: () => void }[] = []
  return {
    add: (item: Item) => {
      items.push(item)
      for (const wait of waiting) if (wait.fits(item)) wait.resolve()
    },
    until: async (fits: (item: Item) => boolean) => {
      if (items.some(fits)) return
      await new Promise<void>((resolve) => waiting.push({ fits, resolve }))
    },
  }
}

test('a failing command throws with its exit code, output and errors', async () => {
  const failure = await sandbox.commands.run('echo out; echo err >&2; exit 7').catch((error) => error)
  expect(failure).toBeInstanceOf(CommandExitError)
  expect(failure).toMatchObject({ exitCode: 7, stdout: 'out\n', stderr: 'err\n' })
})

test('a command that does not exist, a missing directory and an unknown user are rejected', async () => {
  await expect(sandbox.commands.run('true', { cwd: '/no/such/directory' })).rejects.toThrow(/doesn’t exist/)
  await expect(sandbox.commands.run('true', { user: 'nobody-here' })).rejects.toThrow(/no user/)
  expect(await sandbox.commands.kill(999_999)).toBe(false)
  await expect(sandbox.commands.connect(999_999)).rejects.toThrow(/No process/)
})

test('a command ends at its time limit', async () => {
  const marker = 'sleep 86399'
  await expect(sandbox.commands.run(marker, { timeoutMs: 1000 })).rejects.toThrow(TimeoutError)
  // Client and guest enforce the time limit by their own clocks.
  await sandbox.commands.run(`while pgrep --full '^${marker}'; do sleep 0.1; done`, { timeoutMs: 60_000 })
})

test('a command ends at its time limit even if its client left earlier', async () => {
  const marker = 'sleep 86398'
  const message = Buffer.from(JSON.stringify({ process: { cmd: '/bin/bash', args: ['-c', marker] } }))
  const frame = Buffer.concat([Buffer.alloc(5), message])
  frame.writeUInt32BE(message.length, 1)
  const left = new AbortController()
  const response = await fetch(`${guest.guestUrl}/process.Process/Start`, {
    method: 'POST',
    headers: {
      'content-type': 'application/connect+json',
      'connect-protocol-version': '1',
      'connect-timeout-ms': '3000',
      authorization: `Basic ${btoa('user:')}`,
    },
    body: frame,
    signal: left.signal,
  })
  const first = await response.body?.getReader().read()
  expect(Buffer.from(first?.value ?? []).toString()).toContain('"pid"')
  left.abort()
  await sandbox.commands.run(`while pgrep --full '^${marker}'; do sleep 0.1; done`, { timeoutMs: 60_000 })
})

test('commands run as the user, in the home directory, with the given environment variables', async () => {
  const { stdout } = await sandbox.commands.run('whoami; pwd; echo $GIVEN; echo $HOME', { envs: { GIVEN: 'a b' } })
  expect(stdout).toBe('user\n/home/user\na b\n/home/user\n')
  expect((await sandbox.commands.run('whoami; pwd', { user: 'root', cwd: '/etc' })).stdout).toBe('root\n/etc\n')
})

test('programs can reopen /dev/stdout and /dev/stderr', async () => {
  expect(await sandbox.commands.run('echo a > /dev/stdout; echo b > /dev/stderr')).toMatchObject({
    stdout: 'a\n',
    stderr: 'b\n',
  })
})

test('a background command takes input, is listed, and outlives its client', async () => {
  const output = collector<string>()
  const handle = await sandbox.commands.run('cat; echo ended', { background: true, stdin: true, onStdout: output.add })
  await handle.sendStdin('hello\n')
  await output.until((text) => text.includes('hello'))
  expect((await sandbox.commands.list()).map((entry) => entry.pid)).toContain(handle.pid)
  await handle.disconnect()
  const again = await sandbox.commands.connect(handle.pid)
  await again.closeStdin()
  expect((await again.wait()).stdout).toBe('ended\n')
})

test('a killed command is gone, reaped, and says that it was killed', async () => {
  const handle = await sandbox.commands.run('sleep 86398', { background: true })
  expect((await sandbox.commands.run(`kill -0 ${handle.pid}; echo $?`)).stdout).toBe('0\n')
  expect(await handle.kill()).toBe(true)
  await expect(handle.wait()).rejects.toMatchObject({ error: 'signal: killed' })
  await expect(sandbox.commands.run(`kill -0 ${handle.pid}`)).rejects.toThrow()
})

test('output of a hundred thousand lines arrives complete', async () => {
  const { stdout } = await sandbox.commands.run('seq 100000', { timeoutMs: 60_000 })
  expect(stdout.trimEnd().split('\n')).toHaveLength(100_000)
})

test('a terminal echoes, resizes, and ends with its shell', async () => {
  const seen: string[] = []
  const output = collector<string>()
  const terminal = await sandbox.pty.create({
    cols: 80,
    rows: 24,
    onData: (data) => {
      seen.push(Buffer.from(data).toString())
      output.add(seen.join(''))
    },
  })
  await sandbox.pty.resize(terminal.pid, { cols: 101, rows: 33 })
  await sandbox.pty.sendInput(terminal.pid, Buffer.from('echo $((6*7))-$TERM; stty size\n'))
  await output.until((text) => text.includes('42-xterm-256color') && text.includes('33 101'))
  await sandbox.pty.sendInput(terminal.pid, Buffer.from('exit 5\n'))
  await expect(terminal.wait()).rejects.toMatchObject({ exitCode: 5 })
})

test('a missing file, a directory read as a file and a file listed as a directory are rejected', async () => {
  await expect(sandbox.files.read('missing.txt')).rejects.toThrow(/doesn’t exist/)
  await expect(sandbox.files.read('/home/user')).rejects.toThrow(/is a directory/)
  await sandbox.files.write('plain.txt', 'x')
  await expect(sandbox.files.list('plain.txt')).rejects.toThrow(/not a directory/)
  expect(await sandbox.files.exists('missing.txt')).toBe(false)
})

test('files are written with their parents, read, listed, renamed, described and removed', async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 256)
  expect(await sandbox.files.write('deep/er/data.bin', bytes.buffer)).toEqual({
    path: '/home/user/deep/er/data.bin',
    name: 'data.bin',
    type: 'file',
  })
  expect(await sandbox.files.read('deep/er/data.bin', { format: 'bytes' })).toEqual(bytes)
  await sandbox.files.write([
    { path: 'deep/one.txt', data: 'one' },
    { path: 'deep/two.txt', data: 'two' },
  ])
  await sandbox.files.rename('deep/one.txt', 'other/uno.txt')
  expect((await sandbox.files.list('deep', { depth: 2 })).map((entry) => entry.path)).toEqual([
    '/home/user/deep/er',
    '/home/user/deep/er/data.bin',
    '/home/user/deep/two.txt',
  ])
  expect(await sandbox.files.getInfo('deep/er/data.bin')).toMatchObject({
    type: FileType.FILE,
    size: 300_000,
    owner: 'user',
    permissions: '-rw-r--r--',
  })
  expect(await sandbox.files.makeDir('made')).toBe(true)
  expect(await sandbox.files.makeDir('made')).toBe(false)
  await sandbox.files.remove('deep')
  expect(await sandbox.files.exists('deep')).toBe(false)
  expect(await sandbox.files.read('other/uno.txt')).toBe('one')
})

test('a watched directory reports writes, moves and removals, also in subdirectories', async () => {
  await sandbox.files.write('watched/sub/file.txt', 'first')
  const events = collector<FilesystemEvent>()
  const watch = await sandbox.files.watchDir('watched', events.add, { recursive: true })
  await sandbox.files.write('watched/sub/file.txt', 'second')
  await events.until(({ name, type }) => name === 'sub/file.txt' && type === 'write')
  await sandbox.files.write('watched/new.txt', '')
  await events.until(({ name, type }) => name === 'new.txt' && type === 'create')
  await sandbox.files.rename('watched/new.txt', 'watched/newer.txt')
  await events.until(({ name, type }) => name === 'new.txt' && type === 'rename')
  await sandbox.files.remove('watched/newer.txt')
  await events.until(({ name, type }) => name === 'newer.txt' && type === 'remove')
  await watch.stop()
})

test('code keeps its variables, shows rich results, and reports errors', async () => {
  const interpreter = await CodeSandbox.create({ debug: true, sandboxUrl: guest.codeUrl })
  await interpreter.runCode('answer = 6 * 7')
  const result = await interpreter.runCode('print("working"); answer')
  expect(result).toMatchObject({ text: '42', logs: { stdout: ['working\n'] } })
  const failed = await interpreter.runCode('1 / 0')
  expect(failed.error).toMatchObject({ name: 'ZeroDivisionError', value: 'division by zero' })
  const chart = await interpreter.runCode('import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()')
  expect(chart.results[0]?.png?.startsWith('iVBOR')).toBe(true)
  const context = await interpreter.createCodeContext({ cwd: '/tmp' })
  const other = await interpreter.runCode('import os; print(os.getcwd()); "answer" in globals()', { context })
  expect(other).toMatchObject({ text: 'False', logs: { stdout: ['/tmp\n'] } })
  const given = await interpreter.runCode('import os; os.environ["ONCE"]', { envs: { ONCE: 'x' } })
  expect(given.text).toBe('x')
  expect((await interpreter.runCode('import os; "ONCE" in os.environ')).text).toBe('False')
})
