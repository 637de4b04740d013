import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { boundaries } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxIdsOf, startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { kernelOf as kernelOfSandbox } from '../stack/sandbox-kernels.ts'
import { viewTerminal } from '../stack/terminal-view.ts'

/** Idle sandboxes of real gVisor that are frozen in memory, and what lets them continue. */
const idleSeconds = 1
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ hostEnvironment: { THREADBOX_FREEZE_IDLE_SECONDS: String(idleSeconds) } })
})
afterAll(() => installation?.[Symbol.asyncDispose]())

type Subject = { thread: TestThread; sandboxId: string }

/** A thread whose sandbox is awake. */
async function awake(): Promise<Subject> {
  const before = await sandboxIdsOf(installation)
  const thread = await installation.newThread()
  await run(thread, 'true')
  const sandboxId = (await sandboxIdsOf(installation)).find((id) => !before.includes(id)) ?? ''
  return { thread, sandboxId }
}

async function run(thread: TestThread, command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  return calls[0]?.output.tail ?? ''
}

async function python(thread: TestThread, code: string): Promise<string> {
  const { calls } = await thread.say(`/python ${code}`)
  return calls[0]?.output.tail ?? ''
}

const kernelOf = ({ sandboxId }: Subject) => kernelOfSandbox(installation.host, sandboxId)
const isFrozen = async (subject: Subject) => (await kernelOf(subject)).isFrozen

async function untilFrozen(subject: Subject): Promise<void> {
  await expect.poll(() => isFrozen(subject), { timeout: 30_000, interval: 50 }).toBe(true)
}

async function staysAwake(subject: Subject): Promise<void> {
  for (let waited = 0; waited < 4 * idleSeconds; waited += 0.25) {
    expect(await isFrozen(subject)).toBe(false)
    await delay(250)
  }
}

async function cpuTicks(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ')
  return Number(fields[11]) + Number(fields[12])
}

const stateOf = async ({ thread }: Subject) => (await installation.client.threads.get(thread.id)).sandbox.state

test('C4: an idle sandbox is frozen, uses no processor, stays awake for its people, and the next command finds what was in memory and the right time', async () => {
  const subject = await awake()
  const { thread } = subject
  await run(thread, 'word=kept; cd /tmp')
  await python(thread, 'value = object(); number = id(value)')
  await untilFrozen(subject)
  const { pid } = await kernelOf(subject)
  const before = await cpuTicks(pid)
  await delay(5000)
  expect(await isFrozen(subject)).toBe(true)
  // The sandbox’s kernel keeps a few timers of its own: a hundredth of a processor at most.
  expect((await cpuTicks(pid)) - before).toBeLessThanOrEqual(5)
  expect(await stateOf(subject)).toBe('active')
  const askedAt = Date.now()
  const [seen, word] = (await run(thread, 'date +%s%3N; echo $word $PWD')).split('\n')
  expect(word).toBe('kept /tmp')
  expect(Number(seen)).toBeGreaterThanOrEqual(askedAt - 50)
  expect(Number(seen)).toBeLessThanOrEqual(Date.now() + 50)
  expect(await python(thread, 'print(id(value) == number)')).toContain('True')
  expect((await kernelOf(subject)).pid).toBe(pid)
  await untilFrozen(subject)
})

test.each([
  [
    'a process in the background',
    async (thread: TestThread) => void (await run(thread, 'sleep 4000 > /dev/null 2>&1 &')),
  ],
  [
    'a subshell in the background',
    async (thread: TestThread) =>
      void (await run(thread, '( while :; do read -rt 100 < /dev/zero; done ) > /dev/null 2>&1 &')),
  ],
  [
    'a server in the background',
    async (thread: TestThread) => {
      await run(thread, 'cd /tmp; nohup python3 -m http.server 8000 > /dev/null 2>&1 & sleep 1')
    },
  ],
  [
    'a thread of Python that sleeps',
    async (thread: TestThread) => {
      await python(
        thread,
        'import threading, time; threading.Thread(target=time.sleep, args=(4000,), daemon=True).start()',
      )
    },
  ],
  [
    'a task of Python that sleeps',
    async (thread: TestThread) => {
      await python(thread, 'import asyncio; task = asyncio.create_task(asyncio.sleep(4000))')
    },
  ],
  [
    'a socket of Python',
    async (thread: TestThread) => {
      await python(thread, 'import socket; s = socket.create_server(("127.0.0.1", 7000))')
    },
  ],
  [
    'a terminal',
    async (thread: TestThread) => {
      const terminal = await installation.client.terminals.open(thread.id, { cols: 80, rows: 24 })
      const { id } = terminal
      using view = await viewTerminal(installation, { threadId: thread.id, id })
      view.type('echo here-$((1+1))\r')
      await view.shows(/here-2/)
    },
  ],
])('C4: %s keeps a sandbox from being frozen', async (_, begin) => {
  const subject = await awake()
  await begin(subject.thread)
  await staysAwake(subject)
})

test('C4: a sandbox in which a process ended is frozen again', async () => {
  const subject = await awake()
  await run(subject.thread, 'sleep 3 > /dev/null 2>&1 &')
  expect(await isFrozen(subject)).toBe(false)
  await untilFrozen(subject)
})

const kills = boundaries({
  of: 'a sandbox that is frozen while it is idle',
  killed: 'a process of the host',
  at: ['gateway', 'host daemon'],
})

test.each(kills)('C5: after a kill of the %s a frozen sandbox continues with its memory', async (killed) => {
  const subject = await awake()
  await run(subject.thread, 'word=kept')
  await python(subject.thread, 'value = "kept too"')
  await untilFrozen(subject)
  const { pid } = await kernelOf(subject)
  if (killed === 'gateway') process.kill(await installation.host.gatewayPid(), 'SIGKILL')
  else {
    await installation.host.kill('SIGKILL')
    await installation.host.restart()
  }
  await expect.poll(() => run(subject.thread, 'echo $word'), { timeout: 30_000 }).toBe('kept\n')
  expect(await python(subject.thread, 'print(value)')).toContain('kept too')
  expect((await kernelOf(subject)).pid).toBe(pid)
  await untilFrozen(subject)
})

test('C5: a host daemon that ends leaves no sandbox frozen', async () => {
  const subject = await awake()
  await run(subject.thread, 'word=kept')
  await untilFrozen(subject)
  await installation.host.kill('SIGTERM')
  expect(await isFrozen(subject)).toBe(false)
  await installation.host.restart()
  await expect.poll(() => run(subject.thread, 'echo $word'), { timeout: 30_000 }).toBe('kept\n')
})

test('C4: a frozen sandbox is paused and wakes, is forked, and is rewound', async () => {
  const subject = await awake()
  const { thread } = subject
  const { sandboxes, threads } = installation.client
  await run(thread, 'echo one > note; word=kept')
  await run(thread, 'echo two > note')
  await untilFrozen(subject)
  await sandboxes.pause(thread.id)
  expect(await stateOf(subject)).toBe('paused')
  expect(await run(thread, 'cat note; echo $word')).toBe('two\nkept\n')
  await untilFrozen(subject)
  const fork = await threads.fork(thread.id, {})
  expect(fork.forkedFrom).toMatchObject({ from: 'memory' })
  await untilFrozen(subject)
  const messages = (await thread.entries()).filter((entry) => entry.kind === 'user-message')
  await threads.rewind(thread.id, messages[2]?.id ?? '')
  expect(await run(thread, 'cat note')).toBe('one\n')
  await untilFrozen(subject)
})

test('C4: 20 messages that come while a sandbox is just being frozen all get their response', async () => {
  const subject = await awake()
  const said: string[] = []
  for (let number = 0; number < 20; number += 1) {
    said.push(await run(subject.thread, `echo ${number}`))
    await delay(idleSeconds * 1000 + 20 * number)
  }
  expect(said).toEqual(Array.from({ length: 20 }, (_, number) => `${number}\n`))
})
