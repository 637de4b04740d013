import { warmUpKey } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'
import { isZombie, listProcesses } from '../processes/process-table.ts'

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(() => guest[Symbol.asyncDispose]())

const textOf = async (command: string) => (await guest.run(command)).text

test('commands one after another have one shell, for as many commands as come', async () => {
  const shells = new Set([await textOf('echo $$'), await textOf('false; echo $$')])
  for (let count = 0; count < 40; count++) shells.add(await textOf(`last=${count}; echo $$`))
  expect(shells.size).toBeLessThan(5)
  expect(await textOf('echo $last')).toBe('39\n')
})

test('a second shell waits only after a second command, or when the shell of the first one has ended', async () => {
  const shells = async () => Number(await textOf('sleep 0.3; pgrep -c -P $PPID -x bash'))
  expect([await shells(), await shells(), await shells()]).toEqual([1, 1, 2])
  const freshLimits = { memoryBytes: 2 ** 50, processes: 30_001 }
  expect((await guest.handshake({ limits: freshLimits }, testToken)).status).toBe(200)
  expect((await guest.run('exit 3')).ended.exitCode).toBe(3)
  await expect.poll(() => guestShells()).toBe(1)
})

test('the first command has the shell of the host’s own command, and finds it as a new one', async () => {
  await using other = await startTestGuest()
  await other.handshake()
  await guest.run(':', { key: warmUpKey, session: warmUpKey })
  await guest.runs.forget({ key: warmUpKey })
  const pid = listProcesses().find((entry) => entry.parent === process.pid && entry.name === 'bash')?.pid
  const found = 'echo $$; declare -p; declare -F; shopt -p; set +o; alias; umask; trap -p; pwd; jobs; ls /proc/self/fd'
  const inOther = await other.run(found, { key: 'same' })
  const after = await guest.run(found, { key: 'same' })
  expect(Number(after.text.split('\n')[0])).toBe(pid)
  expect(lastingOf(after.text, guest)).toEqual(lastingOf(inOther.text, other))
})

/** Without what differs between any two shells. */
function lastingOf(text: string, { directory }: TestGuest): string[] {
  const differs = /^(\d{2,}$|declare \S+ (BASHPID|PPID|RANDOM|SRANDOM|EPOCH\w+|BASH_ARGV|__threadbox_\w+|_)=)/
  return text
    .replaceAll(directory, '')
    .split('\n')
    .filter((line) => !differs.test(line))
}

/** Shells of this guest, none of which runs a command. */
const guestShells = () =>
  listProcesses().filter((entry) => entry.parent === process.pid && entry.name === 'bash' && !isZombie(entry)).length

test.each([
  ['a descriptor', 'exec 7</dev/null'],
  ['a limit', 'ulimit -n 100'],
  ['a trap', 'trap "echo caught" USR1'],
  ['a background process', 'sleep 86010 &'],
  ['a function that takes the place of a builtin the shell needs', 'exec() { echo mine; }'],
  ['a variable of the shell that cannot be changed', 'readonly IFS'],
  ['a builtin that is off', 'enable -n test'],
])('a shell in which a command left %s runs no further command', async (_what, command) => {
  const used = await textOf(`${command}; echo $$`)
  const next = await textOf('[ -e /proc/$$/fd/7 ] && echo open; ulimit -n; trap -p USR1; echo $$')
  expect(next.split('\n').at(-2)).not.toBe(used.trim())
  expect(next).not.toMatch(/open|^100$|USR1/m)
  await guest.run('pkill -f "^sleep 86010"; true')
})

test('a function that is called like the empty command is not called by the shell itself', async () => {
  await textOf(':() { echo called >> ~/called; }')
  await textOf('true')
  expect(await textOf('cat ~/called 2>/dev/null; echo none')).toBe('none\n')
})

test('what belongs to one command is gone in the next one, which the same shell runs', async () => {
  const inOneShell = async () => {
    const shell = await textOf(
      'set -eu -- a b; IFS=,; sleep 0 & wait; pushd / >/dev/null; cd; trap ":" DEBUG ERR; echo $$',
    )
    const next = await textOf('echo "$#[$IFS]$SECONDS$-$OPTIND"; dirs -p | wc -l; jobs; false; echo "$unknown$$"')
    return next.split('\n').at(-2) === shell.trim() ? next.replace(shell, '') : undefined
  }
  // A shell whose process can’t be inspected in time, on a busy machine, is not used again.
  let seen: string | undefined
  for (let attempt = 0; seen === undefined && attempt < 20; attempt++) seen = await inOneShell()
  expect(seen).toBe('0[ \t\n]0hBc1\n1\n')
})

test('given values of one command do not exist in the next', async () => {
  await guest.runs.startCommand({ key: 'k', command: 'echo "$ONCE"', envs: { ONCE: 'now' } })
  expect((await guest.read('k')).text).toBe('now\n')
  expect(await textOf('echo "[$ONCE]"; GIVEN=mine')).toBe('[]\n')
  expect(await textOf('echo "$GIVEN"')).toBe('by the host\n')
})

test.each(['break', 'continue', 'return', 'set -n', 'set -t', 'unset -f $(compgen -A function)', 'exec true'])(
  'a stray `%s` runs once and ends its command only',
  async (command) => {
    await guest.run(`echo x >> effects; ${command}`)
    await guest.run(`${command}\necho x >> effects`)
    expect(await textOf('grep -c x effects')).toMatch(/^[12]\n$/)
  },
)

test('options that change how the shell reads or prints apply, and do not show how the shell gets its commands', async () => {
  await guest.run(
    'set -o noclobber; set -o noglob; alias cd=false export=false; export() { echo mine; }; shopt -s nullglob',
  )
  expect(await textOf('set -x; echo on')).toMatch(/^\+* ?echo on\non\n$/)
  expect(await textOf('echo *')).toMatch(/^(\++ echo '\*'\n)\*\n$/)
  expect(await textOf('set +x; : > "$HOME/../dev/null"; echo $-; cd / || echo aliased')).toMatch(
    /fh?.*C.*\naliased\n$/s,
  )
  expect((await guest.run('kill -9 $$')).ended.signal).toBe('SIGKILL')
  expect(await textOf('echo $-; shopt -q nullglob && echo null')).toMatch(/C.*\nnull\n$/)
})

test('the message of an error names the shell and the line of the command', async () => {
  await guest.run('true')
  expect(await textOf('true\nno-such-program')).toBe('bash: line 2: no-such-program: command not found\n')
})

test('`cd -` goes back in the next command, in the same shell and in another', async () => {
  await guest.run('cd /usr; cd /etc')
  expect(await textOf('cd -')).toBe('/usr\n')
  await guest.run('kill -9 $$')
  expect(await textOf('cd -')).toBe('/etc\n')
})
