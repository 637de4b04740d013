import { setTimeout as delay } from 'node:timers/promises'
import { makeRandom, type Random } from '@threadbox/testkit/repeats'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { type ChaosThread, makeChaosThread, type Phase, phases } from './chaos-thread.ts'
import { collectFindings, type Finding } from './findings.ts'
import { findDoubleBoots, findLeaks } from './leaks.ts'
import { runToEnd } from './run-to-end.ts'
import { strike, type Victim, victims } from './strike.ts'
import { forbiddenAddress, type Surroundings, secretHost, secretValue, startSurroundings } from './surroundings.ts'

/**
 * Threads that work, rest, pause, wake, fork, rewind, use the network and a secret, and are deleted, while processes of
 * the installation and sandboxes are killed, at random moments and while something changes. What was acknowledged must exist afterwards, each
 * line once; each sandbox has one boot; nothing arrives where a policy forbids it, and no secret without a grant; nothing
 * is left on the machine when everything was deleted.
 */
export type ChaosOptions = {
  seed: number
  /** Ends after this many kills, or after this long, whichever comes first. */
  kills: number
  minutes: number
  threads: number
  log: (line: string) => void
}

export type ChaosResult = {
  kills: Kill[]
  /** The same phases and measurements without a kill. */
  controls: Kill[]
  acknowledged: number
  unknown: number
  pauses: number
  deletions: number
  /** Such as `lost 0, duplicated 0, leaked 0, escaped 0, misused 0`. */
  verdict: string
  isClean: boolean
  problems: string[]
}

export type Kill = {
  victim: Victim
  /** What was under way; `any`: whatever the threads did. */
  phase: Phase | 'any'
  /** Milliseconds until a thread had run a command that reads its file and uses the network and its secret. */
  recoveryMs: number
}

type Findings = ReturnType<typeof collectFindings>

/** Longer does not count as a recovery: the run continues, and reports a problem. */
const usableWithinMs = 60_000
/** What users have and most tests do not, so that kills also meet it; idle sandboxes are frozen sooner. */
const asForUsers = {
  THREADBOX_SPARE_SANDBOXES: '1',
  THREADBOX_PREPARED_ALLOCATIONS: '2',
  THREADBOX_FREEZE_IDLE_SECONDS: '1',
}
const nothingWaits = { THREADBOX_SPARE_SANDBOXES: '0', THREADBOX_PREPARED_ALLOCATIONS: '0' }
/** Nothing is measured yet, and the machine may be busy. */
const startsWithinMs = 180_000
/** Before every such kill, the same is done without one. */
const controlEvery = 4

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = makeRandom(options.seed)
  await using surroundings = await startSurroundings()
  await using installation = await startInstallation({
    hostEnvironment: { ...surroundings.hostEnvironment, ...asForUsers },
    serverEnvironment: { THREADBOX_UNDO_SECONDS: '1' },
    memorySnapshots: 3,
  })
  const allowed = await reachForbidden(installation, surroundings)
  const ending = new AbortController()
  const threads = await makeThreads(installation, { ...options, surroundings, random })
  const findings = collectFindings()
  const result: ChaosResult = {
    kills: [],
    controls: [],
    acknowledged: 0,
    unknown: 0,
    pauses: 0,
    deletions: 0,
    verdict: '',
    isClean: false,
    problems: [],
  }
  const working = threads.map((thread) => thread.work(ending.signal))
  const escapes = async (): Promise<Finding[]> => {
    const count = (await surroundings.arrived()).forbidden - allowed
    const names = surroundings.forbiddenNames().map((name) => `a question for ${name}`)
    return [...(count === 0 ? [] : [`${count} bytes and connections`]), ...names].map((what) => ({
      kind: 'escaped',
      what: `${what} where no policy allows it`,
    }))
  }
  await disturb(installation, { options, random, threads, result, findings, escapes })
  ending.abort()
  await Promise.all(working)
  for (const thread of threads) {
    findings.add(await thread.verify(usableWithinMs), 'at the end')
    result.acknowledged += thread.counts.acknowledged
    result.unknown += thread.counts.unknown
    result.pauses += thread.counts.pauses
    result.deletions += thread.counts.deletions
    await thread.delete()
  }
  await removeForks(installation)
  await installation.host.kill('SIGTERM')
  await installation.host.restart(nothingWaits)
  findings.add([...(await untilClean(installation)), ...(await escapes())], 'after everything was deleted')
  return { ...result, verdict: findings.summary(), isClean: findings.isClean(), problems: findings.problems() }
}

/** All but the last get the secret; the last tries to use the placeholders of the others. */
async function makeThreads(
  installation: TestInstallation,
  options: { threads: number; surroundings: Surroundings; random: Random },
): Promise<ChaosThread[]> {
  const { surroundings, random } = options
  const { id } = await installation.client.secrets.create({
    name: 'API_TOKEN',
    value: secretValue,
    owner: 'person',
    hosts: [secretHost],
  })
  const placeholders = { latest: 'none' }
  const threads: ChaosThread[] = []
  for (let index = 0; index < options.threads; index++) {
    const secretId = index > 0 && index === options.threads - 1 ? undefined : id
    threads.push(await makeChaosThread(installation, { surroundings, index, random, secretId, placeholders }))
  }
  return threads
}

/** Shows that what no policy of these threads allows responds, and is counted. */
async function reachForbidden(installation: TestInstallation, surroundings: Surroundings): Promise<number> {
  const { id: threadId } = await installation.newThread()
  const connect = `python3 -c "import socket; socket.create_connection(('${forbiddenAddress}', 443), 30).sendall(b'x')"`
  const call = await runToEnd(installation, { threadId, command: connect, withinMs: startsWithinMs })
  const { forbidden } = await surroundings.arrived()
  if (forbidden === 0) throw new Error(`the forbidden host can’t be reached at all: ${JSON.stringify(call)}`)
  await installation.client.threads.delete(threadId)
  return forbidden
}

async function disturb(
  installation: TestInstallation,
  context: {
    options: ChaosOptions
    random: Random
    threads: ChaosThread[]
    result: ChaosResult
    findings: Findings
    escapes: () => Promise<Finding[]>
  },
): Promise<void> {
  const { options, random, threads, result, findings, escapes } = context
  const deadline = Date.now() + options.minutes * 60_000
  for (let number = 1; number <= options.kills && Date.now() < deadline; ) {
    await delay(random.between(100, 1500))
    const thread = random.oneOf(threads)
    const isControl = result.controls.length < number / controlEvery
    const victim = isControl ? 'nothing' : random.oneOf(victims)
    const phase = random.next() < 0.5 ? random.oneOf(phases) : 'any'
    const act = () => strike(installation, { victim, thread })
    const struckAt = await (phase === 'any' ? act() : thread.during(phase, act))
    if (struckAt === undefined) continue
    const missing = await thread.verify(usableWithinMs)
    const recoveryMs = Math.round(performance.now() - struckAt)
    result[isControl ? 'controls' : 'kills'].push({ victim, phase, recoveryMs })
    const found = findings.add(
      [...missing, ...(await escapes()), ...(await findDoubleBoots(installation))],
      `after kill ${number} (${victim}, ${phase})`,
    )
    const lines = found.map(({ kind, what }) => `\n  ${kind}: ${what}`).join('')
    options.log(`kill ${number}: ${victim}, during ${phase}, recovered after ${recoveryMs} ms${lines}`)
    if (!isControl) number += 1
  }
}

/** Those whose response was lost in a kill. */
async function removeForks({ client }: TestInstallation): Promise<void> {
  for (const { id } of (await client.threads.list({})).threads) await client.threads.delete(id)
}

/** Deleted threads can be restored for a second; after that nothing of them can be on the machine. */
async function untilClean(installation: TestInstallation): Promise<Finding[]> {
  let left: string[] = []
  for (let attempt = 0; attempt < 200; attempt++) {
    left = await findLeaks(installation)
    if (left.length === 0) return []
    await delay(100)
  }
  return left.map((what) => ({ kind: 'leaked', what }))
}
