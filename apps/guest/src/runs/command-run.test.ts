import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { runs } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(() => guest[Symbol.asyncDispose]())

const { EndCause } = runs

test('an unknown or forgotten execution cannot be read, acknowledged or stopped', async () => {
  await expect(guest.read('never')).rejects.toThrow(/not found: it was discarded/)
  await guest.run('true', { key: 'once' })
  await guest.runs.forget({ key: 'once' })
  await guest.runs.forget({ key: 'once' })
  await expect(guest.read('once')).rejects.toThrow(/not found: it was discarded/)
  await expect(guest.runs.acknowledge({ key: 'once' })).rejects.toThrow(/not found: it was discarded/)
  await expect(guest.runs.stop({ key: 'once' })).rejects.toThrow(/not found: it was discarded/)
})

test.each([
  ['an empty key', { key: '', command: 'true' }],
  ['a key with a line break', { key: 'a\nb', command: 'true' }],
  ['a NUL in the command', { key: 'k', command: 'echo \0' }],
  ['a variable name that is none', { key: 'k', command: 'true', envs: { 'A;rm': 'x' } }],
  ['a directory that does not exist', { key: 'k', command: 'true', cwd: '/no/such' }],
  ['a session name that leads elsewhere', { key: 'k', command: 'true', session: '../x' }],
])('%s is refused', async (_what, request) => {
  await expect(guest.runs.startCommand(request)).rejects.toThrow(/invalid_argument/)
})

test('G1: directory, variables, functions, aliases and options carry over to the next command', async () => {
  await guest.run(`mkdir -p 'a dir' && cd 'a dir' && export K='v "1"'; plain=$'two\\nlines'; list=(1 '2 3')
    declare -A table=([a]=b); greet() { echo "hello $1"; }; alias hey='echo aliased'; shopt -s extglob; set -o pipefail`)
  const { text, ended } = await guest.run(`pwd; echo "$K|$plain|\${list[1]}|\${table[a]}"; greet you; hey
    [[ aaa == +(a) ]] && echo extended; false | true || echo piped; bash -c 'echo "$K|$plain"'`)
  expect(text).toBe(`${guest.directory}/a dir\nv "1"|two\nlines|2 3|b\nhello you\naliased\nextended\npiped\nv "1"|\n`)
  expect(ended.cwd).toBe(`${guest.directory}/a dir`)
})

test('G1: the state also carries over when the command ends by exit, by set -e, or with a trap of its own', async () => {
  expect((await guest.run('A=1; exit 3')).ended.exitCode).toBe(3)
  expect((await guest.run('B=2; set -e; false; echo unreached')).ended.exitCode).toBe(1)
  expect((await guest.run('trap "echo bye" EXIT; C=3; exit 4')).text).toBe('bye\n')
  expect((await guest.run('false; echo "$A$B$C"')).text).toBe('123\n')
})

test('a value that is not UTF-8, and a variable that was unset, are kept unchanged', async () => {
  await guest.run(`bytes=$'\\xff\\xfe'; export gone=1`)
  await guest.run('unset gone')
  const { output, text } = await guest.run('printf %s "$bytes"; echo "[$gone]"')
  expect(output.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]))
  expect(text).toMatch(/\[\]\n$/)
})

test('variables from the host or the request are not saved as the session’s own', async () => {
  await guest.runs.startCommand({ key: 'k', command: 'echo "$GIVEN $ONCE"', envs: { ONCE: 'now' } })
  expect((await guest.read('k')).text).toBe('by the host now\n')
  await guest.handshake({ envVars: { GIVEN: 'newly' } }, testToken)
  expect((await guest.run('echo "$GIVEN [$ONCE]"')).text).toBe('newly []\n')
})

test('the session still exists after the guest was restarted', async () => {
  await guest.run('cd /usr; kept=yes')
  await guest.handshake({ bootId: 'b2' }, testToken)
  expect((await guest.run('pwd; echo $kept')).text).toBe('/usr\nyes\n')
})

test('a deleted directory does not prevent the next command from running', async () => {
  await guest.run('mkdir gone && cd gone && rmdir ../gone')
  expect((await guest.run('echo runs')).text).toBe('runs\n')
})

test('a command that is killed leaves the session unchanged', async () => {
  await guest.run('kept=before')
  expect((await guest.run('kept=after; kill -9 $$')).ended).toMatchObject({
    cause: EndCause.SIGNALLED,
    signal: 'SIGKILL',
  })
  expect((await guest.run('echo $kept')).text).toBe('before\n')
})

test('parallel commands get a copy each, and the one that ends later does not undo the other', async () => {
  await guest.run('mkfifo gate; shared=0')
  const slow = await guest.start('echo "$shared"; shared=slow; read -r line < gate')
  expect((await guest.run('echo "$shared"; shared=quick')).text).toBe('0\n')
  await guest.run('echo go > gate')
  expect((await guest.read(slow)).text).toBe('0\n')
  expect((await guest.run('echo $shared')).text).toBe('quick\n')
  expect((await guest.run('echo [$shared]', { session: 'other' })).text).toBe('[]\n')
})

test('starting the same key again starts nothing', async () => {
  const request = { key: 'same', command: 'echo x >> effects' }
  const [first, second] = await Promise.all([guest.runs.startCommand(request), guest.runs.startCommand(request)])
  expect([first.existed, second.existed].toSorted()).toEqual([false, true])
  await guest.read('same')
  await guest.runs.startCommand(request)
  expect((await guest.run('cat effects')).text).toBe('x\n')
})

test('every byte arrives once, whatever it is, and a reader continues where it stopped', async () => {
  const { output } = await guest.run('head -c 3000000 /dev/urandom | tee copy', { key: 'bytes' })
  const digest = createHash('sha256').update(output).digest('hex')
  expect((await guest.run('sha256sum copy')).text.slice(0, 64)).toBe(digest)
  expect((await guest.read('bytes', { offset: 2_999_990 })).output).toEqual(output.subarray(2_999_990))
  await guest.runs.acknowledge({ key: 'bytes', offset: 2_000_000n })
  expect((await guest.read('bytes', { offset: 2_000_000 })).output).toEqual(output.subarray(2_000_000))
})

test('an execution without a reader waits at its limit and then continues without loss', async () => {
  await guest.start('seq 10000000', 'flood')
  const size = async () =>
    (await guest.runs.list({})).runs.find((execution) => execution.key === 'flood')?.outputSize ?? 0n
  for (let before = -1n; before !== (await size()); ) {
    before = await size()
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  expect(await size()).toBeLessThan(70n * 1024n * 1024n)
  let lines = 0
  let last = ''
  for await (const { event } of guest.runs.read({ key: 'flood' })) {
    if (event.case !== 'output') continue
    const text = last + Buffer.from(event.value.data).toString('latin1')
    const parts = text.split('\n')
    last = parts.pop() ?? ''
    for (const part of parts) if (Number(part) === lines + 1) lines += 1
    await guest.runs.acknowledge({ key: 'flood', offset: event.value.offset + BigInt(event.value.data.length) })
  }
  expect(lines).toBe(10_000_000)
}, 60_000)

test('an execution ends with its shell; what a background process prints later still belongs to it', async () => {
  const { text, ended } = await guest.run('mkfifo gate; (read -r line < gate; echo late) & echo early', { key: 'k' })
  expect(text).toBe('early\n')
  expect(ended.stillRunning).toHaveLength(1)
  await guest.run('echo go > gate')
  while (!(await guest.read('k')).text.includes('late')) await new Promise((resolve) => setTimeout(resolve, 10))
})

test('a background process can keep printing after its execution was forgotten', async () => {
  await guest.run('mkfifo gate; (read -r line < gate; echo late; touch survived) &', { key: 'k' })
  await guest.runs.forget({ key: 'k' })
  expect((await guest.run('echo go > gate; until [ -e survived ]; do sleep 0.01; done; echo yes')).text).toBe('yes\n')
})

/** Delay that a busy machine adds to a wait of 300 ms and a read of all processes: Stop takes both. */
async function machineDelayMs(): Promise<number> {
  const startedAt = performance.now()
  await promisify(execFile)('sh', ['-c', 'sleep 0.3; pgrep --full "^nothing of this name" || true'])
  return Math.max(0, performance.now() - startedAt - 300)
}

test('C9: Stop ends everything of its command within a second, and nothing of an earlier one', async () => {
  await guest.run('sleep 86001 & echo $! > service.pid')
  const stubborn = `trap '' TERM; (trap '' TERM; sleep 86002) & setsid bash -c "trap '' TERM; sleep 86003" & echo up; wait`
  const key = await guest.start(stubborn)
  for await (const { event } of guest.runs.read({ key })) if (event.case === 'output') break
  const before = performance.now()
  const [stopped, delayMs] = await Promise.all([guest.runs.stop({ key }), machineDelayMs()])
  expect(stopped.wasRunning).toBe(true)
  expect(performance.now() - before - 3 * delayMs).toBeLessThan(1_000)
  expect((await guest.read(key)).ended.cause).toBe(EndCause.STOPPED)
  expect(
    (await guest.run("pgrep --full '^sleep 8600[23]' || echo none; kill -0 $(cat service.pid) && echo alive")).text,
  ).toBe('none\nalive\n')
  await guest.run('kill $(cat service.pid)')
  expect((await guest.runs.stop({ key })).wasRunning).toBe(false)
})

test('a command ends at its time limit', async () => {
  const { ended } = await guest.run('sleep 86004', { timeoutMs: 200 })
  expect(ended.cause).toBe(EndCause.TIMEOUT)
})

test('standard output and standard error are one stream, and programs can open both again', async () => {
  expect((await guest.run('echo a; echo b >&2; echo c > /dev/stdout; echo d > /dev/stderr')).text).toBe('a\nb\nc\nd\n')
})

test('a command much longer than one argument may be runs', async () => {
  const { text } = await guest.run(`x='${'y'.repeat(400_000)}'; echo \${#x}`)
  expect(text).toBe('400000\n')
  expect(readFileSync(`${guest.directory}/state/sessions/main`).length).toBeGreaterThan(400_000)
})
