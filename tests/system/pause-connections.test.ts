import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GuestSandbox, startGuestSandbox } from '../stack/guest-sandbox.ts'
import { addNeighbour, run } from './isolation/test-machine.ts'

/**
 * A TCP connection to another machine through pauses, numbers flowing both ways all the time. The other machine is a
 * namespace that knows nothing of pauses: its TCP sends again, later and later, until the sandbox answers.
 */
const peerAddress = '198.51.100.77'
const peerPort = 7000
const statusPort = 9005
/** Length of each pause in seconds. `THREADBOX_TEST_FULL=1` runs all twenty; a shorter list keeps the suite short. */
const gaps = process.env.THREADBOX_TEST_FULL === '1' ? [...Array(18).fill(4), 30, 30] : [4, 1, 4, 1, 4, 10]
/** TCP doubles its wait: after a silence of 30 s the next try may be as much later; both sides then need some time. */
const patienceMs = 90_000

type Status = { count: number; heard: number; errors: string[] }
let guest: GuestSandbox
let peer: ReturnType<typeof addNeighbour>
let listener: ReturnType<typeof spawn>

beforeAll(async () => {
  peer = addNeighbour({ name: `tp${process.pid}`, addresses: [peerAddress], address6: 'fd77:77::2' })
  guest = await startGuestSandbox()
  const program = path.join(import.meta.dirname, 'pause-story/witness.py')
  const place = ['netns', 'exec', peer.namespace, 'python3', program]
  listener = spawn('ip', [...place, 'listener', String(statusPort), peerAddress, String(peerPort)], { stdio: 'ignore' })
  await fetch(`${guest.guestUrl}/files?path=witness.py`, {
    method: 'POST',
    body: await readFile(program),
    headers: { 'content-type': 'application/octet-stream' },
  })
})
afterAll(async () => {
  await guest?.[Symbol.asyncDispose]()
  listener?.kill('SIGKILL')
  peer?.remove()
})

test(`A2: a connection to another machine loses no byte in ${gaps.length} pauses, from RAM and from disk`, {
  timeout: 1_200_000,
}, async () => {
  const caller = `nohup python3 witness.py caller ${statusPort} ${peerAddress} ${peerPort} >/dev/null 2>&1 &`
  await guest.host.run(guest.sandboxId, caller)
  await untilFlowing({ inside: -1, outside: -1 })
  const recoveries: string[] = []
  for (const [round, gap] of gaps.entries()) {
    await order(hostPaths.pause(guest.sandboxId))
    const fromDisk = round % 2 === 1
    if (fromDisk) await guest.host.killSandbox(guest.sandboxId)
    await delay(gap * 1000)
    const before = { outside: (await outside()).heard, inside: -1 }
    expect(await order(hostPaths.wake(guest.sandboxId))).toMatchObject({ from: fromDisk ? 'memory' : 'frozen' })
    const startedAt = performance.now()
    await untilFlowing({ ...before, inside: (await inside()).heard })
    recoveries.push(`${gap} s ${fromDisk ? 'disk' : 'RAM'}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
  console.log('flowing again after a pause of', recoveries.join(', '))
})

/** Both sides have heard a hundred further numbers, each the next one. */
async function untilFlowing(heard: { inside: number; outside: number }): Promise<void> {
  for (const giveUpAt = performance.now() + patienceMs; ; await delay(200)) {
    const now = await Promise.all([inside(), outside()])
    for (const { errors } of now) expect(errors).toEqual([])
    if (now[0].heard >= heard.inside + 100 && now[1].heard >= heard.outside + 100) return
    if (performance.now() > giveUpAt) throw new Error(`numbers do not flow: ${JSON.stringify(now)}`)
  }
}

async function inside(): Promise<Status> {
  const { output } = await guest.host.run(
    guest.sandboxId,
    `curl -s --retry 20 --retry-connrefused localhost:${statusPort}`,
  )
  return statusOf(output)
}

async function outside(): Promise<Status> {
  return statusOf(run(`ip netns exec ${peer.namespace} curl -s --retry 20 --retry-connrefused localhost:${statusPort}`))
}

function statusOf(text: string): Status {
  return { heard: 0, ...(JSON.parse(text) as Partial<Status>) } as Status
}

async function order(url: string): Promise<unknown> {
  const answer = await guest.host.request('POST', url, { bootId: guest.bootId })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
