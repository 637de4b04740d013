import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { makeId } from '@threadbox/domain'
import { type HostSandbox, hostPaths, hostSandboxSchema } from '@threadbox/protocol/host'
import { expect } from 'vitest'
import type { SmallHost } from '../small-host/small-host.ts'
import type { Deed, Story } from './host-load.ts'

/** The findings after one cut, by the state of the sandboxes. */
export type CutFindings = {
  hot: number
  cold: number
  deleted: number
  lostWakes: number
  files: number
  undecided: number
  unknownEnds: number
}

type AfterCut = { host: SmallHost; dataDirectory: string; position: number; randomBytes: (length: number) => Buffer }

/** What is certain of a sandbox at a position, and what had begun without a response yet. */
type Certain = { last: Deed | undefined; pending: Deed | undefined; files: Map<string, string> }

export async function expectAfterCut(cut: AfterCut, stories: readonly Story[]): Promise<CutFindings> {
  const found: CutFindings = { hot: 0, cold: 0, deleted: 0, lostWakes: 0, files: 0, undecided: 0, unknownEnds: 0 }
  const { body } = await cut.host.request('GET', hostPaths.list())
  const present = new Map(
    (body as { sandboxes: unknown[] }).sandboxes.map((one) => {
      const sandbox = hostSandboxSchema.parse(one)
      return [sandbox.sandboxId, sandbox]
    }),
  )
  await expectNothingHalfMade(cut, present)
  // In parallel: each concerns one sandbox.
  const expectStory = async (story: Story) => {
    const certain = certainAt(story, cut.position)
    const sandbox = present.get(story.sandboxId)
    if (sandbox === undefined) {
      expectMayBeGone(story, certain)
      found.deleted += certain.last?.kind === 'deleted' ? 1 : 0
      return
    }
    expect(certain.last?.kind, `${story.sandboxId} was deleted and is back`).not.toBe('deleted')
    if (certain.last === undefined) return
    await expectSandbox(cut, { story, certain, sandbox, found })
  }
  await Promise.all(stories.map(expectStory))
  return found
}

function certainAt({ deeds }: Story, position: number): Certain {
  const answered = deeds.filter((deed) => deed.answered <= position)
  const files = answered.flatMap((deed) => (deed.kind === 'wrote' ? [[deed.name, deed.hash] as const] : []))
  return {
    last: answered.findLast((deed) => deed.kind !== 'wrote'),
    pending: deeds.find((deed) => deed.kind !== 'wrote' && deed.begun <= position && deed.answered > position),
    files: new Map(files),
  }
}

function expectMayBeGone({ sandboxId, deeds }: Story, { last, pending }: Certain): void {
  const mayBeGone = last === undefined || last.kind === 'deleted' || pending?.kind === 'deleted'
  expect(mayBeGone, `${sandboxId} is gone after ${JSON.stringify(deeds)}`).toBe(true)
}

async function expectSandbox(
  cut: AfterCut,
  options: { story: Story; certain: Certain; sandbox: HostSandbox; found: CutFindings },
): Promise<void> {
  const { certain, sandbox, found } = options
  const { last, pending } = certain
  const { sandboxId } = sandbox
  const isPausedForSure = last?.kind === 'paused' && pending === undefined
  const isActiveForSure = (last?.kind === 'started' || last?.kind === 'woken') && pending === undefined
  if (isPausedForSure) expect(sandbox, sandboxId).toMatchObject({ actual: 'paused', bootId: last.bootId })
  if (isActiveForSure) expect(sandbox.actual, sandboxId).toBe('stopped')
  expect(['paused', 'stopped']).toContain(sandbox.actual)
  if (pending !== undefined) found.undecided += 1
  // A deletion that had begun continues after the start: the sandbox can be listed and then gone.
  if (pending?.kind === 'deleted' && (await isBeingDeleted(cut, sandboxId))) {
    found.deleted += 1
    return
  }
  if (sandbox.actual === 'paused') {
    found.hot += 1
    await wakeHot(cut, sandbox)
  } else {
    found.cold += 1
    if (pending?.kind === 'woken') found.lostWakes += 1
    await startCold(cut, { sandbox, isActiveForSure, found })
  }
  const hashes = await hashesOf(cut.host, sandboxId)
  for (const [name, hash] of certain.files) {
    expect(hashes.get(name), `${name} of ${sandboxId}, answered before the cut`).toBe(hash)
    found.files += 1
  }
}

/** Asks with an order that changes nothing: it names a boot that never was. */
async function isBeingDeleted({ host, randomBytes }: AfterCut, sandboxId: string): Promise<boolean> {
  const { body } = await host.request('POST', hostPaths.pause(sandboxId), { bootId: makeId('boot', randomBytes) })
  const { error } = body as { error?: { code?: string } }
  return error?.code === 'sandbox.not-found' || error?.code === 'sandbox.deleting'
}

/** A sandbox that wakes hot has exactly the disk that it remembers. */
async function wakeHot({ host }: AfterCut, { sandboxId, bootId }: HostSandbox): Promise<void> {
  const woken = await host.request('POST', hostPaths.wake(sandboxId), { bootId })
  expect(woken, `waking ${sandboxId}`).toMatchObject({ status: 200, body: { from: 'memory' } })
  const { output } = await host.run(sandboxId, 'echo "$n $(cat count) $(ls file-* | wc -l) $PWD"')
  const [inMemory = '', ...onDisk] = output.trim().split(' ')
  expect(Number(inMemory)).toBeGreaterThan(0)
  expect(onDisk, `${sandboxId}: disk against memory`).toEqual([inMemory, inMemory, '/home/user'])
}

async function startCold(
  cut: AfterCut,
  options: { sandbox: HostSandbox; isActiveForSure: boolean; found: CutFindings },
): Promise<void> {
  const { sandboxId, lastBootEnd } = options.sandbox
  if (options.isActiveForSure) {
    // The driver’s record of a boot that had just begun can be lost; then the cause is reported as unknown and not
    // guessed.
    expect(['machine-restarted', 'unknown'], JSON.stringify(lastBootEnd)).toContain(lastBootEnd?.cause)
    if (lastBootEnd?.cause === 'unknown') options.found.unknownEnds += 1
    expect(lastBootEnd?.detail, sandboxId).not.toBe('')
  }
  const bootId = makeId('boot', cut.randomBytes)
  const started = await cut.host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  expect(started, `starting ${sandboxId}`).toMatchObject({ status: 200, body: { actual: 'ready', bootId } })
}

async function hashesOf(host: SmallHost, sandboxId: string): Promise<Map<string, string>> {
  const { output } = await host.run(sandboxId, 'cd ~; for f in file-*; do [ -e "$f" ] && sha256sum "$f"; done; true')
  const lines = output.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => line.split(/\s+/).toReversed() as [string, string]))
}

/** Every disk and memory image belongs to a sandbox. */
async function expectNothingHalfMade(
  { dataDirectory }: AfterCut,
  present: ReadonlyMap<string, HostSandbox>,
): Promise<void> {
  const pool = path.join(dataDirectory, 'disks/pool')
  const names = async (part: string) => await readdir(path.join(pool, part)).catch(() => [])
  const paused = [...present.values()].filter((one) => one.actual === 'paused').map((one) => one.sandboxId)
  expect((await names('memory')).toSorted()).toEqual(paused.toSorted())
  expect((await names('disks')).filter((name) => !present.has(name))).toEqual([])
}
