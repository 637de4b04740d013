import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '@threadbox/testkit/repeats'
import { sandboxIdsOf, type TestInstallation } from '../stack/installation.ts'
import { deleteOnce, linesOfFork, rewindTurn } from './chaos-copies.ts'
import { type ChaosNetwork, makeChaosNetwork } from './chaos-network.ts'
import type { Finding } from './findings.ts'
import { persist, runToEnd } from './run-to-end.ts'
import type { Surroundings } from './surroundings.ts'

/** During which a kill can happen, besides a moment of whatever the threads do. */
export const phases = [
  'policy',
  'grant',
  'revoke',
  'start',
  'save',
  'rest',
  'pause',
  'wake',
  'fork',
  'rewind',
  'delete',
] as const
export type Phase = (typeof phases)[number]

/** A thread that does things and remembers what the product acknowledged. */
export type ChaosThread = {
  /** Works until aborted; every failed request is one that a person would see, and is retried. */
  work(signal: AbortSignal): Promise<void>
  /** Calls `strike` while something is under way, which is then repeated until it was acknowledged. */
  during<Result>(phase: Phase, strike: () => Promise<Result>): Promise<Result>
  /** Reads the file with all lines and compares it with what was acknowledged, and uses the network and the secret. */
  verify(withinMs: number): Promise<Finding[]>
  sandboxId(): Promise<string | undefined>
  delete(): Promise<void>
  counts: { acknowledged: number; unknown: number; pauses: number; deletions: number }
}

type Promised = { acknowledged: Set<string>; unknown: Set<string> }

const commandTimeoutMs = 60_000
/** Idle sandboxes are frozen after a second. */
const restsAfterMs = 1500
/** By then the work of a phase has ended, except on a busy machine: a kill comes at any moment before. */
const phaseMs: Record<Phase, number> = {
  policy: 150,
  grant: 150,
  revoke: 150,
  start: 800,
  save: 1000,
  rest: 2500,
  pause: 600,
  wake: 400,
  fork: 900,
  rewind: 800,
  delete: 600,
}

const encoded = (program: string) => readFileSync(path.join(import.meta.dirname, 'sandbox', program)).toString('base64')
const install = ['hostile.py', 'use.py'].map((name) => `echo ${encoded(name)} | base64 -d > ~/${name}`).join('; ')

export type ChaosThreadOptions = {
  surroundings: Surroundings
  index: number
  random: Random
  /** Undefined: this thread never gets it. */
  secretId: string | undefined
  /** What stands for the secret in another sandbox, shared by all threads: one without a grant tries to use it. */
  placeholders: { latest: string }
}

export async function makeChaosThread(
  installation: TestInstallation,
  { surroundings, index, random, secretId, placeholders }: ChaosThreadOptions,
): Promise<ChaosThread> {
  const { client } = installation
  const counts = { acknowledged: 0, unknown: 0, pauses: 0, deletions: 0 }
  let promised: Promised
  let threadId: string
  let network: ChaosNetwork
  let hostname = 'none yet'
  let turn: Promise<unknown> = Promise.resolve()
  let lines = 0
  /** What forks lacked. */
  const copies: Finding[] = []
  // One at a time, also between work and verification: this makes the file’s content known, and policy and grant.
  const alone = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const next = turn.then(work, work)
    turn = next.catch(() => undefined)
    return next
  }
  const create = async () => {
    promised = { acknowledged: new Set(), unknown: new Set() }
    threadId = (await persist(() => client.threads.create({}))).id
    const token = `thread-${index}-${counts.deletions}`
    network = await makeChaosNetwork({ installation, surroundings, threadId, token, secretId })
    await network.grant()
  }
  /** Beside each command, a program tries to break out, unless it runs already. */
  const run = async (command: string, withinMs = commandTimeoutMs) => {
    const placeholder = secretId === undefined ? placeholders.latest : '$(printenv API_TOKEN)'
    const hostile = `setsid -f flock -n /tmp/hostile python3 ~/hostile.py ${network.token} > /dev/null 2>&1 < /dev/null`
    const prepare = `[ -e ~/use.py ] || { ${install}; }; echo ${placeholder} > ~/placeholder; ${hostile}`
    return await runToEnd(installation, { threadId, command: `${prepare}; ${command}`, withinMs })
  }
  /** Returns the turn, if its command ended well. */
  const append = async () => {
    const line = `line-${index}-${++lines}`
    promised.unknown.add(line)
    const call = await run(`echo ${line} >> log.txt; hostname; echo \${API_TOKEN:-none}`)
    if (call?.status !== 'succeeded') return undefined
    const [name = '', placeholder = ''] = call.output.tail.split('\n')
    hostname = name
    if (network.isGranted()) placeholders.latest = placeholder
    promised.unknown.delete(line)
    promised.acknowledged.add(line)
    counts.acknowledged += 1
    return { line, turnId: call.turnId }
  }
  /** Nothing of the user runs afterwards, so the sandbox is frozen in memory soon. */
  const calm = () =>
    runToEnd(installation, { threadId, command: 'pkill -f hostile.py; true', withinMs: commandTimeoutMs })
  const fork = async () => {
    const kept = [...promised.acknowledged]
    const found = await linesOfFork({ installation, threadId }, commandTimeoutMs)
    if ('problem' in found) copies.push({ kind: 'stuck', what: `a fork of ${network.token}: ${found.problem}` })
    else copies.push(...kept.filter((line) => !found.lines.includes(line)).map(finding('lost', 'is not in a fork')))
  }
  const rewind = async () => {
    const undone = await append()
    if (undone === undefined || !(await rewindTurn({ installation, threadId }, undone.turnId))) return
    promised.acknowledged.delete(undone.line)
  }
  const pause = async () => {
    const isPaused = await client.sandboxes.pause(threadId).then(
      () => true,
      () => false,
    )
    if (isPaused) counts.pauses += 1
  }
  const remove = async () => {
    await persist(() => deleteOnce(installation, threadId))
    counts.deletions += 1
  }
  const act = async () => {
    const choice = random.next()
    if (choice < 0.5) return await alone(append)
    if (choice < 0.7) await pause()
    else if (choice < 0.74) await alone(() => remove().then(create))
    else if (choice < 0.82) await alone(() => network.changePolicy())
    else if (choice < 0.9) await alone(() => (network.isGranted() ? network.revoke() : network.grant()))
    await delay(random.between(0, 700))
  }
  const workOf: Record<Phase, { before?: () => Promise<unknown>; work: () => Promise<unknown> }> = {
    policy: { work: () => network.changePolicy() },
    grant: { before: () => network.revoke(), work: () => network.grant() },
    revoke: { before: () => network.grant(), work: () => network.revoke() },
    start: { before: () => remove().then(create), work: append },
    // Its memory is saved once the turn has ended.
    save: { before: append, work: () => delay(phaseMs.save) },
    rest: { before: calm, work: () => delay(restsAfterMs).then(append) },
    pause: { before: append, work: pause },
    wake: { before: pause, work: append },
    // Without the hostile program: what it reaches from a fork would count as reached from here.
    fork: { before: calm, work: fork },
    rewind: { before: append, work: rewind },
    delete: { work: () => remove().then(create) },
  }
  await create()
  return {
    counts,
    work: async (signal) => {
      while (!signal.aborted) await act().catch(() => delay(100))
    },
    during: (phase, strike) =>
      alone(async () => {
        const { before, work } = workOf[phase]
        await before?.()
        const working = work()
        await delay(random.between(0, phaseMs[phase]))
        const result = await strike()
        await working
        return result
      }),
    verify: (withinMs) =>
      alone(async () => {
        const found = await verify({
          run,
          outputOf: async (callId) => (await persist(() => client.threads.output(threadId, callId))).text,
          promised,
          network,
          withinMs,
        })
        return [...found, ...copies.splice(0), ...(await network.check())]
      }),
    sandboxId: async () => (await sandboxIdsOf(installation)).find((id) => hostname === `threadbox-${id.slice(1, 9)}`),
    delete: () => alone(async () => void (await persist(() => deleteOnce(installation, threadId)))),
  }
}

async function verify(options: {
  run: (command: string, withinMs: number) => ReturnType<typeof runToEnd>
  outputOf: (callId: string) => Promise<string>
  promised: Promised
  network: Pick<ChaosNetwork, 'token' | 'isGranted'>
  withinMs: number
}): Promise<Finding[]> {
  const { run, outputOf, promised, network, withinMs } = options
  const { token } = network
  const deadline = Date.now() + withinMs
  let said = ''
  for (;;) {
    const left = deadline - Date.now()
    if (left <= 0) return [{ kind: 'stuck', what: `${token} could not be used within ${withinMs} ms: ${said}` }]
    const use = `python3 ~/use.py ${token} ${network.isGranted() ? 'real' : 'other'}`
    const call = await run(`cat log.txt 2>/dev/null; ${use}`, left)
    said = call?.output.tail ?? `no response, ${call?.status ?? 'not ended'}; before: ${said}`
    if (call?.status === 'succeeded' && said.trimEnd().endsWith('usable')) {
      const lines = (await outputOf(call.id)).split('\n').filter((line) => line.startsWith('line-'))
      return compare(lines, promised).map(({ kind, what }) => ({ kind, what: `${what} (${token})` }))
    }
  }
}

function compare(found: readonly string[], { acknowledged, unknown }: Promised): Finding[] {
  const once = new Set(found)
  const duplicated = [...once].filter((line) => found.indexOf(line) !== found.lastIndexOf(line))
  const unsent = [...once].filter((line) => !acknowledged.has(line) && !unknown.has(line))
  return [
    ...[...acknowledged].filter((line) => !once.has(line)).map(finding('lost', 'was acknowledged and is gone')),
    ...duplicated.map(finding('duplicated', 'is there more than once')),
    ...unsent.map(finding('duplicated', 'was never sent')),
  ]
}

const finding = (kind: Finding['kind'], what: string) => (line: string) => ({ kind, what: `${line} ${what}` })
