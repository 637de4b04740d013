import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultSandboxLimits } from '@threadbox/domain'
import { guestPaths } from '@threadbox/protocol/guest'
import { imageSnapshot, packSkill, type SleepingQuestion } from '@threadbox/protocol/host'
import { sealText } from '@threadbox/protocol/sealing'
import { expect, test } from 'vitest'
import { type HostUnderTest, startHostUnderTest } from '../../../apps/host/src/host.test-utils.ts'
import { answeringGuest, budgets, rescueReport } from '../../../apps/host/src/memory/memory/memory.test-utils.ts'
import { type HostClient, makeHostClient } from '../../../apps/server/src/sandboxes/host/host-client.ts'
import { type Recorder, startRecorder, textOf } from './recorder.ts'

const idOf = (prefix: string, number: number) => prefix + String(number).padStart(20, '0')
const sandboxId = idOf('s', 1)
const copyId = idOf('s', 2)
const receivedId = idOf('s', 3)
const unknownId = idOf('s', 9)
const hashKey = '0123456789abcdef0123456789abcdef'
const egress = { kind: 'open' as const }
const limits = defaultSandboxLimits

type Scene = { host: HostUnderTest; client: HostClient; recorder: Recorder }

/** Records what goes over the wire during a call; a rejection is a response too. */
async function record<Value>(
  { recorder }: Scene,
  call: string,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  recorder.begin(call)
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: unknown }).code === undefined) throw error
    return undefined
  }
}

test('every call of the host goes over the wire as recorded', async () => {
  const { behaviour } = answeringGuest()
  await using host = await startHostUnderTest({
    behaviour: (request, response) => {
      if (request.url !== guestPaths.forget) return behaviour(request, response)
      response.end(JSON.stringify({ rescue: rescueReport }))
    },
  })
  await using recorder = await startRecorder(host.url)
  const client = makeHostClient({ socketPath: recorder.socketPath, gatewaySocketPath: recorder.socketPath })
  const scene: Scene = { host, client, recorder }
  try {
    await recordHost(scene)
    await recordRunning(scene)
    await recordMemory(scene)
    await recordSnapshots(scene)
    await recordCopies(scene)
    await record(scene, 'shutdown', () => client.shutdown({ keepsMemory: false }))
  } finally {
    await client.close()
  }
  await expect(textOf(recorder.exchanges)).toMatchFileSnapshot('./recorded.http')
})

async function recordHost(scene: Scene): Promise<void> {
  const { client, recorder } = scene
  const info = await record(scene, 'info', () => client.info())
  recorder.name(info?.hostId ?? '', '<host>')
  for (const exchange of recorder.exchanges) {
    exchange.response.body = exchange.response.body.replace(info?.hostId ?? '', '<host>')
  }
  await record(scene, 'machine', () => client.machine({ sandboxes: true }))
  const figures = recorder.exchanges.at(-1)?.response
  if (figures !== undefined) figures.body = figures.body.replace(/":[\d.]+/g, '":"<figure>"')
  await record(scene, 'doctor', () => client.doctor())
  const stop = new AbortController()
  await record(scene, 'events', async () => {
    for await (const event of client.events(stop.signal)) {
      expect(event).toEqual({ type: 'keepalive' })
      break
    }
  })
  stop.abort()
}

async function recordRunning(scene: Scene): Promise<void> {
  const { client } = scene
  const boot = idOf('b', 1)
  await record(scene, 'ensure', () => client.ensure(sandboxId, { limits, egress, hashKey }))
  await record(scene, 'list', () => client.list())
  await record(scene, 'get', () => client.get(sandboxId))
  await record(scene, 'get with usage', () => client.get(sandboxId, { usage: true }))
  await record(scene, 'get what is unknown', () => client.get(unknownId))
  await record(scene, 'get what is no id', () => client.get('no-id'))
  await record(scene, 'change', () => client.change(sandboxId, { limits: { ...limits, processes: 77 } }))
  await record(scene, 'start', () => client.start(sandboxId, { bootId: boot, hostname: 'box' }))
  await record(scene, 'start as another boot', () => client.start(sandboxId, { bootId: idOf('b', 2), hostname: 'box' }))
  await record(scene, 'start with no id of a boot', () => client.start(sandboxId, { bootId: 'b', hostname: 'box' }))
  await record(scene, 'start with a wrong name', () => client.start(sandboxId, { bootId: boot, hostname: 'A box' }))
  await record(scene, 'namesAsked', () => client.namesAsked(sandboxId, { since: 1 }))
  const content = new TextEncoder().encode('---\nname: skill\n---\n')
  const bytes = packSkill([{ path: 'SKILL.md', isExecutable: false, content }])
  const digest = createHash('sha256').update(bytes).digest('hex')
  const order = { bootId: boot, skills: [{ name: 'skill', digest }] }
  await record(scene, 'placeSkills that are missing', () => client.placeSkills(sandboxId, order))
  await record(scene, 'storeSkill', () => client.storeSkill(digest, bytes))
  await record(scene, 'storeSkill that is another', () => client.storeSkill(digest, bytes.subarray(1)))
  await record(scene, 'placeSkills', () => client.placeSkills(sandboxId, order))
}

async function recordMemory(scene: Scene): Promise<void> {
  const { client, host } = scene
  const boot = { bootId: idOf('b', 1) }
  const home = join((await host.disks.getDisk(sandboxId)).path, 'home/user')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'note.txt'), 'a note\n')
  await record(scene, 'pause', () => client.pause(sandboxId, { ...boot, hashKey }))
  await record(scene, 'abandonPause', () => client.abandonPause(sandboxId, boot))
  await record(scene, 'fileChanges', () => client.fileChanges(sandboxId))
  const read = async (question: SleepingQuestion) => {
    const answer = await client.sleepingFiles(sandboxId, question)
    if ('bytes' in answer) await new Response(answer.bytes).arrayBuffer()
  }
  const path = '/home/user/note.txt'
  await record(scene, 'sleepingFiles list', () => read({ kind: 'list', path: '/home/user', after: '', limit: 10 }))
  await record(scene, 'sleepingFiles entry', () => read({ kind: 'entry', path }))
  await record(scene, 'sleepingFiles entry that is missing', () => read({ kind: 'entry', path: '/home/user/none' }))
  await record(scene, 'sleepingFiles content', () => read({ kind: 'content', path, start: 2, end: 4 }))
  await record(scene, 'sleepingFiles archive', () => read({ kind: 'archive', path: '/home', only: '["user"]' }))
  await record(scene, 'wake', () => client.wake(sandboxId, boot))
  await record(scene, 'sleepingFiles of what is awake', () => read({ kind: 'entry', path }))
  await record(scene, 'demote what is awake', () => client.demote(sandboxId, { ...boot, budgets }))
  await client.pause(sandboxId, { ...boot, hashKey })
  await record(scene, 'demote', () => client.demote(sandboxId, { ...boot, budgets }))
}

async function recordSnapshots(scene: Scene): Promise<void> {
  const { client } = scene
  const [first, second] = [idOf('d', 1), idOf('d', 2)]
  const take = (snapshotId: string, sharesMemory: boolean) =>
    client.takeSnapshot(sandboxId, { snapshotId, memory: null, sharesMemory })
  await record(scene, 'takeSnapshot', () => take(first, true))
  await record(scene, 'takeSnapshot that shares no memory', () => take(second, false))
  await record(scene, 'takeSnapshot with no id', () => take('x', true))
  await record(scene, 'snapshots', () => client.snapshots(sandboxId))
  await record(scene, 'snapshotChanges', () => client.snapshotChanges(sandboxId, first))
  await record(scene, 'snapshotChanges since the image', () => client.snapshotChanges(sandboxId, imageSnapshot))
  await record(scene, 'rewind', () =>
    client.rewind(sandboxId, { snapshotId: first, keepId: second, memory: null, bootId: null }),
  )
  await record(scene, 'removeSnapshotMemory', () => client.removeSnapshotMemory(sandboxId, first))
  await record(scene, 'removeSnapshot', () => client.removeSnapshot(sandboxId, second))
  await record(scene, 'removeSnapshot of what is unknown', () => client.removeSnapshot(unknownId, second))
}

async function recordCopies(scene: Scene): Promise<void> {
  const { client } = scene
  const [original, copy] = [idOf('b', 3), idOf('b', 4)]
  await client.start(sandboxId, { bootId: original, hostname: 'box' })
  const source = { sandboxId, snapshotId: null }
  const order = { source, bootId: copy, hostname: 'copy', limits, egress, hashKey }
  await record(scene, 'fork', () => client.fork(copyId, order))
  const { sealingKey = '' } = (await record(scene, 'info again', () => client.info())) ?? {}
  const sealedSecrets = await sealText(JSON.stringify(['a secret text']), sealingKey)
  await record(scene, 'preserve', () =>
    client.preserve(copyId, { bootId: copy, hashKey, budgets, sealedSecrets, redact: [] }),
  )
  await record(scene, 'stop what is not the boot', () => client.stop(copyId, { bootId: original }))
  await record(scene, 'stop', () => client.stop(copyId, { bootId: copy }))
  await record(scene, 'clean', () => client.clean(copyId, { sealedSecrets }))
  const packed = await record(scene, 'sendDisk', async () => new Response(await client.sendDisk(copyId)).arrayBuffer())
  await record(scene, 'delete', () => client.delete(copyId))
  await record(scene, 'delete what is unknown', () => client.delete(unknownId))
  const { imageId } = (await client.get(sandboxId)) ?? { imageId: '' }
  await record(scene, 'receiveDisk', () =>
    client.receiveDisk(receivedId, { imageId, limits }, new Blob([packed ?? '']).stream()),
  )
  await record(scene, 'receiveDisk of another image', () =>
    client.receiveDisk(unknownId, { imageId: 'another', limits }, new Blob([packed ?? '']).stream()),
  )
}
