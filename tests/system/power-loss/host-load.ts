import { makeId } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { sandboxPids } from '@threadbox/testkit'
import type { SmallHost } from '../small-host/small-host.ts'

/** An order for a sandbox, and its positions on the disk: begun after the one, completed before the other. */
export type Deed = { begun: number; answered: number } & (
  | { kind: 'started' | 'paused' | 'woken'; bootId: string }
  | { kind: 'wrote'; name: string; hash: string }
  | { kind: 'deleted' }
)
export type Story = { sandboxId: string; deeds: Deed[] }

const MiB = 1024 * 1024
const limits = { memoryBytes: 512 * MiB, cpus: 1, processes: 128, diskBytes: 128 * MiB }

type Load = {
  host: SmallHost
  dataDirectory: string
  position: () => Promise<number>
  random: () => number
  randomBytes: (length: number) => Buffer
}

/**
 * Some sandboxes at work: they write and sync files, are paused, woken from their frozen copy or their image, deleted.
 * Each sandbox’s shell counts the files and writes the count without syncing it: memory and disk that do not belong
 * together differ in it.
 */
export async function workOn(load: Load, options: { workers: number; rounds: number }): Promise<Story[]> {
  const stories: Story[] = []
  const work = async (worker: number) => {
    for (let life = 0; life < 2; life++) {
      const story: Story = { sandboxId: makeId('sandbox', load.randomBytes), deeds: [] }
      stories.push(story)
      const isDeleted = life === 0
      await live(load, { story, rounds: isDeleted ? 1 : options.rounds, isDeleted, endsAsleep: worker % 2 === 0 })
    }
  }
  await Promise.all(Array.from({ length: options.workers }, (_, worker) => work(worker)))
  return stories
}

async function live(
  load: Load,
  options: { story: Story; rounds: number; isDeleted: boolean; endsAsleep: boolean },
): Promise<void> {
  const { sandboxId, deeds } = options.story
  const bootId = makeId('boot', load.randomBytes)
  const { host } = load
  const done = async <T extends object>(deed: T, order: () => Promise<void>) => {
    const begun = await load.position()
    // Recorded before it is done: a cut in the middle has to allow for it.
    const entry = { ...deed, begun, answered: Number.POSITIVE_INFINITY } as unknown as Deed
    deeds.push(entry)
    await order()
    entry.answered = await load.position()
  }
  await done({ kind: 'started', bootId }, async () => {
    await expectDone(host, 'PUT', hostPaths.get(sandboxId), { limits, egress: { kind: 'none' } })
    await expectDone(host, 'POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  })
  await host.run(sandboxId, 'n=0; cd ~')
  for (let round = 0; round < options.rounds; round++) {
    for (let file = 0; file < 3; file++) await writeOne(load, { sandboxId, done })
    await done({ kind: 'paused', bootId }, () => expectDone(host, 'POST', hostPaths.pause(sandboxId), { bootId }))
    if (load.random() < 0.5) await endFrozenCopy(load, sandboxId)
    if (options.endsAsleep && round === options.rounds - 1) continue
    await done({ kind: 'woken', bootId }, () => expectDone(host, 'POST', hostPaths.wake(sandboxId), { bootId }))
    await writeOne(load, { sandboxId, done })
  }
  if (!options.isDeleted) return
  await done({ kind: 'deleted' }, () => expectDone(host, 'DELETE', hostPaths.get(sandboxId)))
}

/** One synced file with a known hash, and the count of files in the shell and, not synced, in a file. */
async function writeOne(
  load: Load,
  options: { sandboxId: string; done: (deed: object, order: () => Promise<void>) => Promise<void> },
): Promise<void> {
  const bytes = 1000 + Math.floor(load.random() * 400_000)
  const deed = { kind: 'wrote', name: '', hash: '' }
  const begun = await load.position()
  const written = await load.host.run(
    options.sandboxId,
    `n=$((n+1)); echo $n > count; head -c ${bytes} /dev/urandom > file-$n && sync file-$n && sha256sum file-$n`,
  )
  const [hash, name] = written.output.trim().split(/\s+/)
  if (written.exitCode !== 0 || hash === undefined || name === undefined) throw new Error(written.output)
  await options.done({ ...deed, name, hash, begun }, async () => undefined)
}

async function endFrozenCopy({ host, dataDirectory }: Load, sandboxId: string): Promise<void> {
  using events = await host.events()
  const pids = await sandboxPids({ dataDirectory, sandboxId })
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  if (pids.length > 0) await events.next((event) => event.type === 'frozen-dropped' && event.sandboxId === sandboxId)
}

async function expectDone(host: SmallHost, method: string, path: string, body?: unknown): Promise<void> {
  const answer = await host.request(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
}
