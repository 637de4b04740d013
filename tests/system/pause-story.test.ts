import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createClient } from '@connectrpc/connect'
import { process as processes, runs } from '@threadbox/protocol/guest'
import { hostPaths, type WokenSandbox } from '@threadbox/protocol/host'
import { isFull, repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GuestSandbox, startGuestSandbox } from '../stack/guest-sandbox.ts'
import { checkCell, longCell, setUpCell } from './pause-story/kernel-cells.ts'

/** One sandbox with everything that only memory holds, through many pauses. */
const roles = ['counter', 'http', 'tcp', 'unix', 'deleted'] as const
type Role = (typeof roles)[number]
type Witness = { pid: number; token: string; count: number; errors: string[]; digest?: string }

const pauses = repeats({ what: 'pauses of a sandbox with everything that only memory holds', byDefault: 4, full: 20 })
/** The host daemon is killed while memory is frozen, and while it is on the disk only. */
const restartsBefore = new Set(isFull ? [5, 11, 16] : [2, 3])
let guest: GuestSandbox
let bootId: string

beforeAll(async () => {
  guest = await startGuestSandbox({ memoryBytes: 2 ** 31 })
  bootId = guest.bootId
  const program = await readFile(path.join(import.meta.dirname, 'pause-story/witness.py'))
  await fetch(`${guest.guestUrl}/files?path=witness.py`, {
    method: 'POST',
    body: program,
    headers: { 'content-type': 'application/octet-stream' },
  })
})
afterAll(async () => {
  await guest?.[Symbol.asyncDispose]()
})

test(`C4 C5 A2 G1 G5: ${pauses} pauses, from RAM and from disk, across daemon restarts, lose nothing`, async () => {
  for (const [index, role] of roles.entries())
    await run(`nohup python3 witness.py ${role} ${9000 + index} >/dev/null 2>&1 &`)
  await run(
    'for port in 9000 9001 9002 9003 9004; do curl -s --retry 30 --retry-connrefused --retry-delay 1 localhost:$port >/dev/null; done',
  )
  const terminal = await openVim()
  const [kernelPid = ''] = (await runCell('set-up', setUpCell)).split('\n')
  await guest.client.startCell({ key: 'long', code: longCell })
  let before = await witnesses()
  const durations: Record<WokenSandbox['from'], number[]> = { awake: [], frozen: [], memory: [] }

  for (let round = 0; round < pauses; round++) {
    await order('POST', hostPaths.pause(guest.sandboxId), { bootId })
    const fromDisk = round % 2 === 1
    if (fromDisk) await dropFrozenCopy()
    if (restartsBefore.has(round)) {
      await guest.host.kill('SIGKILL')
      await guest.host.restart()
    }
    const woken = (await order('POST', hostPaths.wake(guest.sandboxId), { bootId })) as WokenSandbox
    expect(woken.from, `round ${round}`).toBe(fromDisk ? 'memory' : 'frozen')
    durations[woken.from].push(Math.round(woken.durationMs))
    const after = await witnesses()
    for (const role of roles) {
      expect(after[role], `round ${round}`).toMatchObject({
        pid: before[role].pid,
        token: before[role].token,
        errors: [],
      })
      expect(after[role].digest).toBe(before[role].digest)
      expect(after[role].count, `${role} in round ${round}`).toBeGreaterThan(before[role].count)
    }
    before = after
  }
  console.log('wake from RAM', durations.frozen.join(' '), 'ms; from disk', durations.memory.join(' '), 'ms')

  await run('touch /tmp/end-of-cell')
  expect(await readOutput('long')).toBe('steps True\n')
  expect(await runCell('check', checkCell)).toBe(
    `${kernelPid}\n42 1 1 4 42\n[(1,)] {'mine': [1, 2, 3]}\nTrue True True\n`,
  )
  await terminal.type('\u001b:w! /home/user/written\r:q\r')
  expect((await run('for i in $(seq 50); do [ -s written ] && break; sleep 0.1; done; cat written')).output).toBe(
    'typed before the pauses\n',
  )
})

async function run(command: string) {
  return await guest.host.run(guest.sandboxId, command)
}

async function order(method: string, url: string, body: unknown): Promise<unknown> {
  const answer = await guest.host.request(method, url, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

/** The report of each witness; a POST is one more request, so that the one that only serves counts too. */
async function witnesses(): Promise<Record<Role, Witness>> {
  const { output } = await run(
    'sleep 0.3; for port in 9000 9001 9002 9003 9004; do curl -s -X POST -m 5 localhost:$port; echo; done',
  )
  const all = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Witness & { role: Role })
  const of = (role: Role) => {
    const witness = all.find((one) => one.role === role)
    if (witness === undefined) throw new Error(`${role} did not answer: ${output}`)
    return witness
  }
  return { counter: of('counter'), http: of('http'), tcp: of('tcp'), unix: of('unix'), deleted: of('deleted') }
}

async function runCell(key: string, code: string): Promise<string> {
  await guest.client.startCell({ key, code })
  return await readOutput(key)
}

async function readOutput(key: string): Promise<string> {
  let output = ''
  for await (const { event } of guest.client.read({ key, offset: 0n, display: 0 })) {
    if (event.case === 'output') output += Buffer.from(event.value.data).toString()
    if (event.case === 'ended') expect(event.value.cause, event.value.traceback).toBe(runs.EndCause.EXITED)
  }
  return output
}

/** vim in a terminal, with unsaved text. */
async function openVim() {
  const client = createClient(processes.Process, guest.transport)
  const controller = new AbortController()
  const stream = client.start(
    {
      process: { cmd: 'vim', args: ['-u', 'NONE'], envs: { TERM: 'xterm' } },
      pty: { size: { cols: 80, rows: 24 } },
      tag: 'vim',
    },
    { signal: controller.signal },
  )
  for await (const { event } of stream) if (event?.event.case === 'start') break
  const type = async (text: string) => {
    const process = { selector: { case: 'tag' as const, value: 'vim' } }
    await client.sendInput({ process, input: { input: { case: 'pty', value: Buffer.from(text) } } })
  }
  await type('ityped before the pauses')
  return { type }
}

/** Kills the frozen copy as memory pressure or a careless administrator would. */
async function dropFrozenCopy(): Promise<void> {
  const { body } = await guest.host.request('GET', hostPaths.get(guest.sandboxId))
  expect(body).toMatchObject({ actual: 'paused', paused: { isFrozen: true } })
  await guest.host.killSandbox(guest.sandboxId)
}
