import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import { isFull, repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GuestSandbox, startGuestSandbox } from '../stack/guest-sandbox.ts'
import { addNeighbor, type Neighbor, run } from './isolation/test-machine.ts'

/**
 * TCP connections to another machine through pauses. On one, numbers flow both ways all the time; on the other there is
 * one question at a time, so that only the sandbox can resend what was lost. The other machine is a namespace that does
 * not know of the pauses: its TCP retransmits at growing intervals until the sandbox responds.
 */
const peerAddress = '198.51.100.80'
const flow = { inside: 'caller', outside: 'listener', port: 7000, statusPort: 9005 }
const talk = { inside: 'asker', outside: 'answerer', port: 7001, statusPort: 9006 }
const pauses = repeats({ what: 'pauses of connections to another machine', byDefault: 4, full: 20 })
/**
 * Length of each pause in seconds; alternately from RAM and from disk. The last ones exceed the timeout of most
 * programs.
 */
const gaps = Array.from({ length: pauses }, (_, index) =>
  isFull ? (index < pauses - 2 ? 4 : 30) : ([1, 1, 4, 6][index] ?? 1),
)
/**
 * TCP doubles its wait: after a silence of 30 s the next attempt can be as much later; both sides then need some time.
 */
const recoveryTimeoutMs = 90_000
/** Beyond the peer’s own wait: for the processor, and for a packet of the new start that is lost on a busy machine. */
const slackMs = 15_000

/**
 * How many numbers arrived: from the peer in the sandbox, from the sandbox at the peer, and in response to questions.
 */
type Received = { toSandbox: number; toPeer: number; answers: number }
const directions = ['toSandbox', 'toPeer', 'answers'] as const
let guest: GuestSandbox
let peer: Neighbor
const listeners: ChildProcess[] = []

beforeAll(async () => {
  peer = await addNeighbor({ subnet: 80, addresses: [peerAddress], address6: 'fd77:80::2' })
  guest = await startGuestSandbox()
  const program = path.join(import.meta.dirname, 'pause-story/witness.py')
  for (const { outside, port, statusPort } of [flow, talk]) {
    const place = ['netns', 'exec', peer.namespace, 'python3', program]
    const args = [...place, outside, String(statusPort), peerAddress, String(port)]
    listeners.push(spawn('ip', args, { stdio: 'ignore' }))
  }
  await fetch(`${guest.guestUrl}/files?path=witness.py`, {
    method: 'POST',
    body: await readFile(program),
    headers: { 'content-type': 'application/octet-stream' },
  })
})
afterAll(async () => {
  await guest?.[Symbol.asyncDispose]()
  for (const listener of listeners) listener.kill('SIGKILL')
  await peer?.remove()
})

test(`A2: connections to another machine lose no byte in ${gaps.length} pauses, from RAM and from disk`, {
  timeout: 1_200_000,
}, async () => {
  for (const { inside, port, statusPort } of [flow, talk]) {
    const caller = `nohup python3 witness.py ${inside} ${statusPort} ${peerAddress} ${port} >/dev/null 2>&1 &`
    await guest.host.run(guest.sandboxId, caller)
  }
  await untilFlowing({ toSandbox: -1, toPeer: -1, answers: -1 })
  const rows: string[] = []
  for (const [round, gap] of gaps.entries()) {
    await order(hostPaths.pause(guest.sandboxId))
    const fromDisk = round % 2 === 1
    if (fromDisk) await guest.host.killSandbox(guest.sandboxId)
    await delay(gap * 1000)
    expect(await order(hostPaths.wake(guest.sandboxId))).toMatchObject({ from: fromDisk ? 'memory' : 'frozen' })
    const wokenAt = performance.now()
    const peerWaitMs = peerTimerMs()
    const ms = await untilFlowing(await received(), wokenAt)
    rows.push([gap, fromDisk ? 'disk' : 'RAM', peerWaitMs, ...directions.map((direction) => ms[direction])].join('\t'))
    for (const direction of directions) expect(ms[direction], direction).toBeLessThan(peerWaitMs + slackMs)
  }
  expect(rows).toHaveLength(gaps.length)
  const head = 'pause s\tfrom\tpeer sends again in ms\tpeer to sandbox ms\tsandbox to peer ms\tquestion to answer ms'
  console.log(
    [`no byte lost in ${rows.length} of ${gaps.length} pauses; first news after the wake:`, head, ...rows].join('\n'),
  )
})

test('A2: packets lost for a second are resent as soon as the timers allow', async () => {
  // Set by the guest when it booted, and part of its memory since.
  const { output } = await guest.host.run(guest.sandboxId, 'cat /proc/sys/net/ipv4/tcp_recovery')
  expect(output.trim()).toBe('0')
  const inRouter = `ip -n tbr-${guest.host.installation}`
  const names = run(`${inRouter} -brief link`).split('\n')
  const link = names.find((line) => line.startsWith(`tb${guest.host.installation}`))?.split(/[@ ]/)[0]
  run(`${inRouter} link set ${link} down; sleep 1; ${inRouter} link set ${link} up`)
  const upAt = performance.now()
  const peerWaitMs = peerTimerMs()
  const ms = await untilFlowing(await received(), upAt)
  for (const direction of directions) expect(ms[direction], direction).toBeLessThan(peerWaitMs + slackMs)
})

/**
 * Resolves when each direction has delivered a number of further values in sequence, with the time until the first of
 * them.
 */
async function untilFlowing(before: Received, startedAt = performance.now()): Promise<Received> {
  const firstMs: Partial<Received> = {}
  for (;;) {
    const now = await received()
    const passedMs = Math.round(performance.now() - startedAt)
    for (const direction of directions) if (now[direction] > before[direction]) firstMs[direction] ??= passedMs
    if (directions.every((direction) => now[direction] >= before[direction] + 50)) return firstMs as Received
    if (passedMs > recoveryTimeoutMs) throw new Error(`numbers do not flow: ${JSON.stringify({ before, now })}`)
    await delay(50)
  }
}

/**
 * The numbers received so far. A side that missed a number, received one twice, or lost its connection reports that.
 */
async function received(): Promise<Received> {
  const urls = [flow, talk].map(({ statusPort }) => `localhost:${statusPort}`).join(' ')
  const ask = `curl -s --max-time 20 --retry 5 --retry-delay 1 --retry-connrefused -w '\\n' ${urls}`
  const { output } = await guest.host.run(guest.sandboxId, ask)
  const both = { inside: output, outside: run(`ip netns exec ${peer.namespace} ${ask}`) }
  const [inside, outside] = [both.inside, both.outside].map((text) => {
    const lines = text.trim().split('\n')
    return lines.map((line) => JSON.parse(line) as { count: number; heard?: number; errors: string[] })
  })
  for (const { errors } of [...(inside ?? []), ...(outside ?? [])]) expect(errors).toEqual([])
  return { toSandbox: inside?.[0]?.heard ?? 0, toPeer: outside?.[0]?.heard ?? 0, answers: inside?.[1]?.count ?? 0 }
}

/** When the peer’s kernel retransmits what was not acknowledged; 0 if there is nothing to resend. */
function peerTimerMs(): number {
  const line = run(`ip netns exec ${peer.namespace} ss -tnoH state established sport = :${flow.port}`)
  // Printed as 1min20sec, 1.144ms (which is 1144 ms), 20sec or 144ms.
  const [, minutes = '0', seconds = '0', ms = '0'] =
    /timer:\(on,(?:(\d+)min)?(?:(\d+)(?:sec|\.))?(?:(\d+)ms)?/.exec(line) ?? []
  return Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(ms)
}

async function order(url: string): Promise<unknown> {
  const answer = await guest.host.request('POST', url, { bootId: guest.bootId })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
