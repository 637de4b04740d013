import { createHash, randomBytes } from 'node:crypto'
import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import { type HostApi, type HostEvent, packSkill } from '@threadbox/protocol/host'
import { sealText } from '@threadbox/protocol/sealing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

export type HostApiSubject = { api: HostApi; close(): PromiseLike<void> }

const limits = defaultSandboxLimits
const egress = { kind: 'open' as const }
const budgets = { timeBudgetMs: 10_000, totalBytes: 1_000_000, variableBytes: 100_000 }
const newBoot = () => makeId('boot', randomBytes)
const newSnapshot = () => makeId('snapshot', randomBytes)

/** The code of the error that a call fails with; undefined if it succeeds. */
const codeOf = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error: { code?: unknown }) => error.code ?? error,
  )

/**
 * The contract that the server relies on when it sends orders to a host, for any host. Uses at most two sandboxes at a
 * time.
 */
export function hostApiSuite(options: { name: string; setup: () => Promise<HostApiSubject> }): void {
  describe(`the contract of the host: ${options.name}`, () => {
    let subject: HostApiSubject
    let api: HostApi
    const made: string[] = []
    const newSandbox = async () => {
      const sandboxId = makeId('sandbox', randomBytes)
      made.push(sandboxId)
      await api.ensure(sandboxId, { limits, egress })
      return sandboxId
    }
    const newBooted = async () => {
      const [sandboxId, bootId] = [await newSandbox(), newBoot()]
      await api.start(sandboxId, { bootId, hostname: 'box' })
      return { sandboxId, bootId }
    }
    const scene: Scene = { api: () => api, made, newSandbox, newBooted }
    beforeAll(async () => {
      subject = await options.setup()
      api = subject.api
    })
    afterEach(async () => {
      for (const sandboxId of made.splice(0)) await api.delete(sandboxId)
    })
    afterAll(async () => subject?.close())
    describeSandboxes(scene)
    describeBoots(scene)
    describeMemory(scene)
    describeDisks(scene)
  })
}

type Scene = {
  api(): HostApi
  /** Sandboxes to delete after the test. */
  made: string[]
  newSandbox(): Promise<string>
  newBooted(): Promise<{ sandboxId: string; bootId: string }>
}

function describeSandboxes({ api, newSandbox, newBooted }: Scene): void {
  test('a sandbox is created once; a repeated order returns it with the limits of the last order', async () => {
    const sandboxId = await newSandbox()
    const again = await api().ensure(sandboxId, { limits: { ...limits, processes: 77 }, egress })
    expect(again).toMatchObject({ sandboxId, actual: 'stopped', bootId: null, limits: { processes: 77 } })
    const changed = await api().change(sandboxId, { limits: { ...limits, processes: 78 } })
    expect(changed).toMatchObject({ limits: { processes: 78 }, egress })
    expect(await api().get(sandboxId)).toMatchObject({ sandboxId, limits: { processes: 78 } })
    expect((await api().list()).filter((one) => one.sandboxId === sandboxId)).toHaveLength(1)
  })

  test('an unknown sandbox is not found and can be deleted; orders about it are rejected', async () => {
    const [unknown, bootId, snapshotId] = [makeId('sandbox', randomBytes), newBoot(), newSnapshot()]
    expect(await api().get(unknown)).toBeUndefined()
    expect(await api().delete(unknown)).toBeUndefined()
    expect(await api().removeSnapshot(unknown, snapshotId)).toBeUndefined()
    const sealedSecrets = await sealText('[]', (await api().info()).sealingKey)
    const refused = [
      api().change(unknown, { limits }),
      api().start(unknown, { bootId, hostname: 'box' }),
      api().stop(unknown, { bootId }),
      api().pause(unknown, { bootId }),
      api().abandonPause(unknown, { bootId }),
      api().wake(unknown, { bootId }),
      api().demote(unknown, { bootId, budgets }),
      api().fileChanges(unknown),
      api().takeSnapshot(unknown, { snapshotId, memory: null, sharesMemory: true }),
      api().snapshots(unknown),
      api().rewind(unknown, { snapshotId, keepId: newSnapshot(), memory: null, bootId: null }),
      api().namesAsked(unknown, { since: 1 }),
      api().clean(unknown, { sealedSecrets }),
      api().placeSkills(unknown, { bootId, skills: [] }),
      api().sleepingFiles(unknown, { kind: 'entry', path: '/' }),
    ]
    const codes = await Promise.all(refused.map(codeOf))
    expect(codes).toEqual(refused.map(() => 'sandbox.not-found'))
  })

  test('an order without an ID is rejected before anything is done', async () => {
    expect(await codeOf(api().get('no-id'))).toBe('host.request-invalid')
    const sandboxId = await newSandbox()
    expect(await codeOf(api().start(sandboxId, { bootId: 'b', hostname: 'box' }))).toBe('host.request-invalid')
    expect(await api().get(sandboxId)).toMatchObject({ actual: 'stopped', bootId: null })
  })

  test('deleting a sandbox ends its boot', async () => {
    const { sandboxId, bootId } = await newBooted()
    await api().delete(sandboxId)
    expect(await api().get(sandboxId)).toBeUndefined()
    expect((await api().list()).map((one) => one.sandboxId)).not.toContain(sandboxId)
    expect(await codeOf(api().stop(sandboxId, { bootId }))).toBe('sandbox.not-found')
  })
}

function describeBoots({ api, newSandbox, newBooted }: Scene): void {
  test('O3: a repeated start returns the same boot; while it exists, orders about another boot are rejected', async () => {
    const { sandboxId, bootId } = await newBooted()
    const first = await api().get(sandboxId)
    expect(first).toMatchObject({ actual: 'ready', bootId })
    const again = await api().start(sandboxId, { bootId, hostname: 'box' })
    expect(again).toMatchObject({ actual: 'ready', bootId, bootStartedAt: first?.bootStartedAt })
    const other = newBoot()
    const refused = [
      api().start(sandboxId, { bootId: other, hostname: 'box' }),
      api().stop(sandboxId, { bootId: other }),
      api().pause(sandboxId, { bootId: other }),
      api().wake(sandboxId, { bootId: other }),
      api().placeSkills(sandboxId, { bootId: other, skills: [] }),
    ]
    expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => 'sandbox.other-boot'))
    expect(await api().get(sandboxId)).toMatchObject({ actual: 'ready', bootId })
  })

  test('a stopped boot has ended by order; stopping it again succeeds, and it cannot be paused', async () => {
    const { sandboxId, bootId } = await newBooted()
    const stopped = await api().stop(sandboxId, { bootId })
    const ended = { actual: 'stopped', bootId: null, lastBootEnd: { bootId, cause: 'stopped' } }
    expect(stopped).toMatchObject(ended)
    expect(await api().stop(sandboxId, { bootId })).toMatchObject(ended)
    expect(await codeOf(api().pause(sandboxId, { bootId }))).toBe('sandbox.not-running')
    expect(await codeOf(api().wake(sandboxId, { bootId }))).toBe('sandbox.not-running')
  })

  test('the event stream reports when a boot is ready and when it has ended', async () => {
    const stop = new AbortController()
    const seen: HostEvent[] = []
    const followed = Promise.withResolvers<void>()
    const following = (async () => {
      for await (const event of api().events(stop.signal)) {
        seen.push(event)
        followed.resolve()
      }
    })().catch(() => undefined)
    await followed.promise
    const { sandboxId, bootId } = await newBooted()
    await api().stop(sandboxId, { bootId })
    const told = () =>
      seen.flatMap((event) => ('sandboxId' in event && event.sandboxId === sandboxId ? [event.type] : []))
    await expect.poll(told).toEqual(expect.arrayContaining(['boot-ready', 'boot-ended']))
    const end = seen.find((event) => event.type === 'boot-ended' && event.sandboxId === sandboxId)
    expect(end).toMatchObject({ bootId, cause: 'stopped' })
    stop.abort()
    await following
  })

  test('skill packages that the host lacks are listed, and available once they were sent', async () => {
    const { sandboxId, bootId } = await newBooted()
    const content = new TextEncoder().encode(`---\nname: ${sandboxId}\n---\n`)
    const bytes = packSkill([{ path: 'SKILL.md', isExecutable: false, content }])
    const digest = createHash('sha256').update(bytes).digest('hex')
    const order = { bootId, skills: [{ name: 'skill', digest }] }
    expect(await api().placeSkills(sandboxId, order)).toEqual({ missing: [digest] })
    await api().storeSkill(digest, bytes)
    expect(await api().placeSkills(sandboxId, order)).toEqual({ missing: [] })
    expect(await codeOf(api().placeSkills(await newSandbox(), order))).toBe('sandbox.not-running')
  })
}

function describeMemory({ api, newBooted }: Scene): void {
  test('C4: a paused boot keeps its ID until it is woken; pausing or waking it twice succeeds', async () => {
    const { sandboxId, bootId } = await newBooted()
    const first = await api().pause(sandboxId, { bootId })
    expect(first).toMatchObject({ sandbox: { actual: 'paused', bootId }, manifestProblem: '' })
    expect(first.manifest).not.toBeNull()
    expect(first.sandbox.paused).not.toBeNull()
    const again = await api().pause(sandboxId, { bootId })
    expect(again).toMatchObject({ sandbox: { actual: 'paused', bootId, paused: first.sandbox.paused } })
    expect(await api().abandonPause(sandboxId, { bootId })).toEqual({ wasUnderWay: false })
    expect(await codeOf(api().start(sandboxId, { bootId, hostname: 'box' }))).toBe('sandbox.paused')
    expect(await codeOf(api().placeSkills(sandboxId, { bootId, skills: [] }))).toBe('sandbox.paused')
    const woken = await api().wake(sandboxId, { bootId })
    expect(woken).toMatchObject({ sandbox: { actual: 'ready', bootId, paused: null } })
    expect(['frozen', 'memory']).toContain(woken.from)
    expect(await api().wake(sandboxId, { bootId })).toMatchObject({ from: 'awake', sandbox: { actual: 'ready' } })
  })

  test('A3: only the memory of a paused boot can be discarded; the boot has then ended, and a second order reports that', async () => {
    const { sandboxId, bootId } = await newBooted()
    expect(await codeOf(api().demote(sandboxId, { bootId, budgets }))).toBe('sandbox.not-paused')
    await api().pause(sandboxId, { bootId })
    const demoted = await api().demote(sandboxId, { bootId, budgets })
    const ended = { actual: 'stopped', bootId: null, lastBootEnd: { bootId, cause: 'stopped' } }
    expect(demoted).toMatchObject({ sandbox: ended, problem: '' })
    expect(demoted.rescue).not.toBeNull()
    const again = await api().demote(sandboxId, { bootId, budgets })
    expect(again).toMatchObject({ sandbox: ended, rescue: null })
    expect(again.problem).not.toBe('')
  })

  test('stopping a paused boot ends it without waking it', async () => {
    const { sandboxId, bootId } = await newBooted()
    await api().pause(sandboxId, { bootId })
    const stopped = await api().stop(sandboxId, { bootId })
    expect(stopped).toMatchObject({ actual: 'stopped', bootId: null, lastBootEnd: { bootId, cause: 'stopped' } })
  })
}

function describeDisks({ api, made, newSandbox, newBooted }: Scene): void {
  test('C9: a snapshot is taken once under its ID, is listed, and does not exist after it was removed', async () => {
    const [sandboxId, snapshotId] = [await newSandbox(), newSnapshot()]
    const taken = await api().takeSnapshot(sandboxId, { snapshotId, memory: null, sharesMemory: true })
    expect(taken).toMatchObject({ snapshot: { snapshotId, memoryBytes: null }, isNew: true, memoryProblem: null })
    const again = await api().takeSnapshot(sandboxId, { snapshotId, memory: null, sharesMemory: true })
    expect(again.snapshot).toEqual(taken.snapshot)
    const listed = await api().snapshots(sandboxId)
    expect(listed.snapshots).toEqual([taken.snapshot])
    expect(listed.limitBytes).toBe(limits.diskBytes)
    const sent = await new Response(await api().sendSnapshot(sandboxId, snapshotId)).arrayBuffer()
    expect(sent.byteLength).toBeGreaterThan(0)
    await api().removeSnapshotMemory(sandboxId, snapshotId)
    await api().removeSnapshot(sandboxId, snapshotId)
    await api().removeSnapshot(sandboxId, snapshotId)
    expect((await api().snapshots(sandboxId)).snapshots).toEqual([])
  })

  test('a rewind ends the boot and keeps the current disk; a repeated order is the same rewind', async () => {
    const { sandboxId, bootId } = await newBooted()
    const [snapshotId, keepId] = [newSnapshot(), newSnapshot()]
    await api().takeSnapshot(sandboxId, { snapshotId, memory: null, sharesMemory: true })
    const order = { snapshotId, keepId, memory: null, bootId: null }
    const rewound = await api().rewind(sandboxId, order)
    const ended = { actual: 'stopped', bootId: null, lastBootEnd: { bootId, cause: 'stopped' } }
    expect(rewound).toMatchObject({ sandbox: ended, from: 'disk' })
    const kept = (await api().snapshots(sandboxId)).snapshots.map((one) => one.snapshotId)
    expect(kept).toEqual(expect.arrayContaining([snapshotId, rewound.kept.snapshotId]))
    expect((await api().rewind(sandboxId, order)).kept).toEqual(rewound.kept)
    expect((await api().snapshots(sandboxId)).snapshots).toHaveLength(kept.length)
  })

  test('a copy of a stopped sandbox is stopped, with the requested limits; a repeated order returns it', async () => {
    const [source, sandboxId] = [await newSandbox(), makeId('sandbox', randomBytes)]
    made.push(sandboxId)
    const wanted = { bootId: newBoot(), hostname: 'copy', limits: { ...limits, processes: 99 }, egress }
    const order = { source: { sandboxId: source, snapshotId: null }, ...wanted }
    const first = await api().fork(sandboxId, order)
    const copy = { sandboxId, actual: 'stopped', bootId: null, limits: { processes: 99 } }
    expect(first).toMatchObject({ sandbox: copy, from: 'disk', problem: '' })
    expect(await api().fork(sandboxId, order)).toMatchObject({ sandbox: copy, from: 'disk' })
    expect(await api().get(source)).toMatchObject({ actual: 'stopped' })
    const unknown = { ...order, source: { sandboxId: makeId('sandbox', randomBytes), snapshotId: null } }
    expect(await codeOf(api().fork(makeId('sandbox', randomBytes), unknown))).toBe('sandbox.not-found')
  })

  test('the figures of the machine name every sandbox on request, and their parts are not more than the whole', async () => {
    const { sandboxId } = await newBooted()
    const { memory, disk, sandboxes, processor } = await api().machine({ sandboxes: true })
    expect(sandboxes?.map((one) => one.sandboxId)).toContain(sandboxId)
    expect(memory.availableBytes).toBeLessThanOrEqual(memory.totalBytes)
    expect(memory.roomForBoots).toBeGreaterThanOrEqual(0)
    expect(disk.usedBytes).toBeLessThanOrEqual(disk.totalBytes)
    expect(processor.busySeconds).toBeGreaterThan(0)
    expect(await api().machine()).not.toHaveProperty('sandboxes')
  })

  test('a disk can be read, cleaned and sent while its sandbox is stopped', async () => {
    const { sandboxId, bootId } = await newBooted()
    const sealedSecrets = await sealText('[]', (await api().info()).sealingKey)
    const readRoot = () => api().sleepingFiles(sandboxId, { kind: 'entry', path: '/' })
    expect(await codeOf(readRoot())).toBe('sandbox.disk-not-readable')
    expect(await codeOf(api().clean(sandboxId, { sealedSecrets }))).toBe('environment.in-use')
    expect(await codeOf(api().sendDisk(sandboxId))).toBe('environment.in-use')
    await api().stop(sandboxId, { bootId })
    expect(await readRoot()).toMatchObject({ kind: 'entry', entry: { type: 'directory' } })
    expect(await api().clean(sandboxId, { sealedSecrets })).toMatchObject({ furtherFindings: 0 })
    const sent = await new Response(await api().sendDisk(sandboxId)).arrayBuffer()
    expect(sent.byteLength).toBeGreaterThan(0)
  })

  test('a disk is archived as it was sent, can’t start or be read, and is restored', async () => {
    const { sandboxId, bootId } = await newBooted()
    expect(await codeOf(api().diskContent(sandboxId))).toBe('environment.in-use')
    await api().stop(sandboxId, { bootId })
    const { generation, usedBytes } = await api().diskContent(sandboxId)
    const sent = await new Response(await api().sendDisk(sandboxId, { whole: true })).blob()
    expect(await codeOf(api().archive(sandboxId, { generation: 'another' }))).toBe('archive.disk-changed')
    expect(await api().archive(sandboxId, { generation })).toMatchObject({ actual: 'stopped', isArchived: true })
    expect(await api().archive(sandboxId, { generation })).toMatchObject({ isArchived: true })
    const start = () => api().start(sandboxId, { bootId: newBoot(), hostname: 'box' })
    expect(await codeOf(start())).toBe('sandbox.archived')
    expect(await codeOf(api().sendDisk(sandboxId))).toBe('disk.not-found')
    await api().restore(sandboxId, { usedBytes, imageId: 'image', limits }, sent.stream())
    expect((await api().get(sandboxId))?.isArchived ?? false).toBe(false)
    expect(await start()).toMatchObject({ actual: 'ready' })
  })
}
