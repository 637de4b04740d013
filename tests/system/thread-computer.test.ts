import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxIdsOf, startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

/** The product without a model, used through its public API: a thread and its sandbox, from message to message. */
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ serverEnvironment: { THREADBOX_UNDO_SECONDS: '2' } })
})
afterAll(() => installation[Symbol.asyncDispose]())

/** Runs a command in the thread and returns its output. Fails if the command does. */
async function output(thread: TestThread, command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  expect(calls[0], command).toMatchObject({ status: 'succeeded', result: { kind: 'command', exitCode: 0 } })
  return calls[0]?.output.tail ?? ''
}

/** Runs a cell and returns its output. */
async function cell(thread: TestThread, code: string): Promise<string> {
  const { calls } = await thread.say(`/python ${code}`)
  expect(calls[0], code).toMatchObject({ status: 'succeeded', result: { kind: 'python', traceback: null } })
  return calls[0]?.output.tail ?? ''
}

const sandboxIds = () => sandboxIdsOf(installation)

test('O3: a message that needs no command starts no sandbox; the first command starts one', async () => {
  const before = await sandboxIds()
  const thread = await installation.newThread()
  const { entries } = await thread.say('What can you do?')
  expect(entries.some((entry) => entry.kind === 'notice' && entry.code === 'connect-model')).toBe(true)
  expect(await sandboxIds()).toEqual(before)
  expect((await installation.client.threads.get(thread.id)).sandbox.state).toBe('fresh')

  expect(await output(thread, 'uname -s')).toBe('Linux\n')
  expect(await sandboxIds()).toHaveLength(before.length + 1)
  expect((await installation.client.threads.get(thread.id)).sandbox.state).toBe('active')
})

describe('what one message sets holds in the next', () => {
  let thread: TestThread
  beforeAll(async () => {
    thread = await installation.newThread()
  })

  test('G5: exported variables and the working directory', async () => {
    await output(thread, 'export CITY=Oslo && mkdir -p /tmp/work && cd /tmp/work')
    expect(await output(thread, 'echo "$CITY $PWD"; python3 -c "import os; print(os.environ[\'CITY\'])"')).toBe(
      'Oslo /tmp/work\nOslo\n',
    )
    await output(thread, 'cd')
  })

  test('G5: shell functions and an activated virtual environment', async () => {
    await output(
      thread,
      'greet() { echo "hello $1"; }; python3 -m venv --without-pip .venv && source .venv/bin/activate',
    )
    expect(await output(thread, 'greet box; command -v python')).toBe('hello box\n/home/user/.venv/bin/python\n')
    await output(thread, 'deactivate')
  })

  test('G3: hidden files', async () => {
    await output(thread, 'echo secret > ~/.hidden')
    expect(await output(thread, 'cat ~/.hidden')).toBe('secret\n')
  })

  test('G5: background processes, with their process id', async () => {
    const pid = (await output(thread, 'sleep 1000 & echo $!')).trim()
    expect(await output(thread, `kill -0 ${pid} && ps -o args= -p ${pid}`)).toBe('sleep 1000\n')
  })

  test('G1 G5: the Python kernel with functions, classes, private names, generators and open handles', async () => {
    await cell(
      thread,
      [
        'import os, sqlite3',
        'os.environ["REGION"] = "north"',
        '_private = {"a": 1}',
        'def double(n): return n * 2',
        'class Point:\n    def __init__(self, x): self.x = x',
        'numbers = (n * n for n in range(100)); next(numbers); next(numbers)',
        'database = sqlite3.connect(":memory:"); database.execute("create table t as select 42 as n")',
        'handle = open("/tmp/open.txt", "w+"); handle.write("kept")',
      ].join('\n'),
    )
    const printed = await cell(
      thread,
      [
        'handle.seek(0)',
        'print(double(21), Point(7).x, _private["a"], next(numbers), os.environ["REGION"])',
        'print(database.execute("select n from t").fetchone()[0], handle.read())',
      ].join('\n'),
    )
    expect(printed).toBe('42 7 1 4 north\n42 kept\n')
  })

  test('a failing command and one that exits keep what they had set', async () => {
    const { calls } = await thread.say('/run export KEPT=yes; exit 3')
    expect(calls[0]).toMatchObject({ result: { exitCode: 3 } })
    expect(await output(thread, 'echo $KEPT')).toBe('yes\n')
  })
})

test('C9 G2: nothing of one thread is visible in another', async () => {
  const [first, second] = await Promise.all([installation.newThread(), installation.newThread()])
  await output(first, 'export SECRET=1; echo x > /home/user/only-here.txt; echo y > /tmp/only-here.txt')
  await output(
    first,
    'python3 -m http.server 8123 >/dev/null 2>&1 & sleep 1; curl -s -o /dev/null http://127.0.0.1:8123/',
  )
  await output(first, 'uv pip install --quiet cowsay')
  expect(await output(first, 'python3 -c "import cowsay; print(cowsay.__name__)"')).toBe('cowsay\n')

  expect(
    await output(second, 'echo "[$SECRET]"; ls /home/user/only-here.txt /tmp/only-here.txt 2>&1 | grep -c "No such"'),
  ).toBe('[]\n2\n')
  expect(await output(second, 'ps -eo args= | grep -c "[h]ttp.server" || true')).toBe('0\n')
  expect(await output(second, 'curl -s -m 2 http://127.0.0.1:8123/ || echo refused')).toBe('refused\n')
  expect(await output(second, 'python3 -c "import cowsay" 2>&1 | tail -1')).toContain('No module named')
})

test('C10: a deleted thread can be restored, and is gone from the machine after the deadline', async () => {
  const thread = await installation.newThread()
  const before = await sandboxIds()
  await output(thread, 'echo precious > keep.txt; sleep 1000 &')
  const [sandboxId] = (await sandboxIds()).filter((id) => !before.includes(id))
  await installation.client.threads.delete(thread.id)
  await installation.client.threads.restore(thread.id)
  expect(await output(thread, 'cat keep.txt; pgrep -c sleep')).toBe('precious\n1\n')

  await installation.client.threads.delete(thread.id)
  await expect.poll(sandboxIds, { timeout: 30_000 }).not.toContain(sandboxId)
  const leftOver = async () =>
    (await installation.host.leftovers()).filter((leftover) => leftover.includes(sandboxId ?? '?'))
  await expect.poll(leftOver, { timeout: 30_000 }).toEqual([])
  // Its record is deleted last.
  const codeOfThread = () => installation.client.threads.get(thread.id).catch((error: { code: string }) => error.code)
  await expect.poll(codeOfThread, { timeout: 30_000 }).toBe('thread.not-found')
})
