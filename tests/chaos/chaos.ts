import { setTimeout as delay } from 'node:timers/promises'
import { sandboxPids } from '@threadbox/testkit'
import { makeRandom, type Random } from '@threadbox/testkit/repeats'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { type ChaosThread, makeChaosThread } from './chaos-thread.ts'
import { collectFindings, type Finding } from './findings.ts'
import { findLeaks } from './leaks.ts'

/**
 * Threads that work, pause, wake, and are deleted, while server, host daemon, sandboxes and guests are killed at random
 * moments. What was acknowledged must exist afterwards, each line once; each sandbox has one boot; nothing is left on
 * the machine when everything was deleted.
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
  kills: Record<Victim, number>
  acknowledged: number
  unknown: number
  pauses: number
  deletions: number
  /** Milliseconds from the end of a kill until a thread had run a command, for each kill. */
  recoveryMs: number[]
  /** Such as `lost 0, duplicated 0, leaked 0`. */
  verdict: string
  isClean: boolean
  problems: string[]
}

type Findings = ReturnType<typeof collectFindings>

const victims = ['server', 'host', 'gateway', 'names', 'egress', 'sandbox', 'guest'] as const
type Victim = (typeof victims)[number]

/** Longer does not count as a recovery: the run continues, and reports a problem. */
const usableWithinMs = 60_000

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = makeRandom(options.seed)
  await using installation = await startInstallation({ serverEnvironment: { THREADBOX_UNDO_SECONDS: '1' } })
  const ending = new AbortController()
  const threads: ChaosThread[] = []
  for (let index = 0; index < options.threads; index++)
    threads.push(await makeChaosThread(installation, { index, random }))
  const findings = collectFindings()
  const result: ChaosResult = {
    kills: { server: 0, host: 0, gateway: 0, names: 0, egress: 0, sandbox: 0, guest: 0 },
    acknowledged: 0,
    unknown: 0,
    pauses: 0,
    deletions: 0,
    recoveryMs: [],
    verdict: '',
    isClean: false,
    problems: [],
  }
  const working = threads.map((thread) => thread.work(ending.signal))
  await disturb(installation, { options, random, threads, result, findings })
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
  findings.add(await untilClean(installation), 'after everything was deleted')
  return { ...result, verdict: findings.summary(), isClean: findings.isClean(), problems: findings.problems() }
}

async function disturb(
  installation: TestInstallation,
  context: { options: ChaosOptions; random: Random; threads: ChaosThread[]; result: ChaosResult; findings: Findings },
): Promise<void> {
  const { options, random, threads, result, findings } = context
  const deadline = Date.now() + options.minutes * 60_000
  for (let kill = 1; kill <= options.kills && Date.now() < deadline; ) {
    await delay(random.between(100, 1500))
    const thread = random.oneOf(threads)
    const victim = random.oneOf(victims)
    const done = await strike(installation, { victim, thread })
    if (!done) continue
    result.kills[victim] += 1
    const startedAt = performance.now()
    const missing = await thread.verify(usableWithinMs)
    result.recoveryMs.push(Math.round(performance.now() - startedAt))
    const found = findings.add([...missing, ...(await doubleBoots(installation))], `after kill ${kill} (${victim})`)
    const lines = found.map(({ kind, what }) => `\n  ${kind}: ${what}`).join('')
    options.log(`kill ${kill}: ${victim}, recovered after ${result.recoveryMs.at(-1)} ms${lines}`)
    kill += 1
  }
}

/** False if there was nothing to kill. */
async function strike(
  { host, server }: TestInstallation,
  { victim, thread }: { victim: Victim; thread: ChaosThread },
): Promise<boolean> {
  if (victim === 'server' || victim === 'host') {
    const program = victim === 'server' ? server : host
    await program.kill('SIGKILL')
    await program.restart()
    return true
  }
  if (victim === 'gateway' || victim === 'names' || victim === 'egress') {
    const pids = { gateway: host.gatewayPid, names: host.namesPid, egress: host.egressPid }
    process.kill(await pids[victim](), 'SIGKILL')
    return true
  }
  const sandboxId = await thread.sandboxId()
  if (sandboxId === undefined) return false
  if (victim === 'guest') {
    // The first process ends the whole sandbox, so the order itself never gets a response.
    await host.run(sandboxId, 'sudo kill -9 1', { timeoutMs: 2000 }).catch(() => undefined)
    return true
  }
  const pids = await sandboxPids({ dataDirectory: host.dataDirectory, sandboxId })
  await host.killSandbox(sandboxId)
  return pids.length > 0
}

async function doubleBoots({ host }: TestInstallation): Promise<Finding[]> {
  const { body } = await host.request('GET', '/v1/sandboxes')
  const { sandboxes } = body as { sandboxes: { sandboxId: string }[] }
  const counts = await Promise.all(
    sandboxes.map(async ({ sandboxId }) => ({
      sandboxId,
      pids: await sandboxPids({ dataDirectory: host.dataDirectory, sandboxId }),
    })),
  )
  return counts
    .filter(({ pids }) => pids.filter(isAlive).length > 1)
    .map(({ sandboxId, pids }) => ({ kind: 'duplicated', what: `sandbox ${sandboxId} has ${pids.length} boots` }))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
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
