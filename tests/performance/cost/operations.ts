import type { TestThread } from '../../stack/installation.ts'
import { rawSnapshotsMs } from '../floors/raw-disk.ts'
import type { RawMemory } from '../floors/raw-memory.ts'
import type { RawSandbox } from '../floors/raw-sandbox.ts'
import { dropFrozen, untilCold } from '../scenarios/pausing.ts'
import type { CostStage } from './cost-stage.ts'
import type { Operation } from './operation.ts'

const MiB = 1024 * 1024
const calls = 10

export type OperationDependencies = {
  stage: CostStage
  /** Bare containers: one whose process holds next to nothing, and one that holds as much as the Python kernel. */
  small: RawMemory
  large: RawMemory
  boot: RawSandbox
  place: { imageRoot: string; diskDirectory: string }
}

/** Everything whose cost is measured, in this order. Threads that several share are made with the first of these. */
export async function makeOperations(parts: OperationDependencies): Promise<Operation[]> {
  const { thread, sandboxId } = await parts.stage.newAwakeThread()
  return [
    newThread(parts),
    ...messages(parts, thread),
    ...(await pythonMessages(parts)),
    ...pauses(parts, { thread, sandboxId }),
    ...(await coldWakes(parts)),
    ...copies(parts, thread),
  ]
}

function newThread({ stage, small, place }: OperationDependencies): Operation {
  let made: TestThread | undefined
  return {
    id: 'new-thread',
    title: 'new thread, first command',
    act: async () => {
      made = await stage.newThread()
      await succeed(made, '/run true')
    },
    clean: async () => {
      if (made !== undefined) await stage.removeThread(made)
    },
    floor: {
      title: 'runsc restore, runsc exec of true, btrfs subvolume snapshot',
      act: async () => {
        await small.restoreMs()
        await small.execMs('/bin/true')
        await rawSnapshotsMs(place)
      },
    },
  }
}

function messages({ stage, small, place }: OperationDependencies, thread: TestThread): Operation[] {
  const say = async (text: string) => {
    await succeed(thread, text)
    await stage.untilSnapshotTaken(thread.id)
  }
  let written = 0
  return [
    {
      id: 'run-true',
      title: '/run true',
      times: 5,
      act: () => say('/run true'),
      floor: { title: 'runsc exec of true', act: () => small.execMs('/bin/true') },
    },
    {
      id: 'write',
      title: 'command that writes 1 MiB',
      times: 5,
      act: () => say(`/run head -c ${MiB} /dev/urandom > ~/file-${written++}`),
      floor: {
        title: 'runsc exec of the same, btrfs subvolume snapshot',
        act: async () => {
          await small.execMs('/bin/sh', '-c', `head -c ${MiB} /dev/urandom > /root/file-${written++}`)
          await rawSnapshotsMs(place)
        },
      },
    },
    {
      id: 'agent-turn',
      title: `agent turn of ${calls} calls`,
      act: async () => {
        const call = { calls: [{ name: 'run_command', input: { command: 'true' } }] }
        stage.model.reply(...Array.from({ length: calls }, () => call), { text: 'Done.' })
        await succeed(thread, 'Run it ten times.')
        await stage.untilSnapshotTaken(thread.id)
      },
      floor: {
        title: `${calls} × runsc exec of true, btrfs subvolume snapshot`,
        act: async () => {
          for (let call = 0; call < calls; call++) await small.execMs('/bin/true')
          await rawSnapshotsMs(place)
        },
      },
    },
  ]
}

async function pythonMessages({ stage, large, place }: OperationDependencies): Promise<Operation[]> {
  const { thread } = await stage.newAwakeThread()
  await succeed(thread, '/python import os; held = bytearray(os.urandom(1 << 20)) * 100')
  await stage.untilSnapshotTaken(thread.id)
  return [
    {
      id: 'cell',
      title: 'Python cell, 1 MB of 100 changed',
      times: 3,
      act: async () => {
        await succeed(thread, '/python held[:1 << 20] = os.urandom(1 << 20)')
        await stage.untilSnapshotTaken(thread.id)
      },
      floor: {
        title: 'runsc pause, checkpoint and resume of a process with 100 MB, btrfs subvolume snapshot',
        act: async () => {
          await large.saveMs()
          await large.resumeMs()
          await rawSnapshotsMs(place)
        },
      },
    },
  ]
}

function pauses(
  { stage, small }: OperationDependencies,
  { thread, sandboxId }: { thread: TestThread; sandboxId: string },
): Operation[] {
  const pause = () => stage.client.sandboxes.pause(thread.id).then(() => undefined)
  const wake = () => succeed(thread, '/run true')
  const wakeAndSettle = async () => {
    await wake()
    await stage.untilSnapshotTaken(thread.id)
  }
  return [
    {
      id: 'pause',
      title: 'pause',
      prepare: wakeAndSettle,
      act: pause,
      clean: wakeAndSettle,
      floor: {
        title: 'runsc pause, checkpoint, sync',
        prepare: () => small.restoreMs(),
        act: () => small.saveMs(),
      },
    },
    {
      id: 'wake-frozen',
      title: 'wake from RAM, command',
      prepare: pause,
      act: wakeAndSettle,
      floor: {
        title: 'runsc resume, exec of true',
        prepare: async () => {
          await small.restoreMs()
          await small.saveMs()
        },
        act: async () => {
          await small.resumeMs()
          await small.execMs('/bin/true')
        },
      },
    },
    {
      id: 'wake-image',
      title: 'wake from the image, command',
      prepare: async () => {
        await pause()
        await dropFrozen(stage, sandboxId)
      },
      act: wakeAndSettle,
      floor: {
        title: 'runsc restore, exec of true',
        act: async () => {
          await small.restoreMs()
          await small.execMs('/bin/true')
        },
      },
    },
  ]
}

async function coldWakes({ stage, boot }: OperationDependencies): Promise<Operation[]> {
  const { thread } = await stage.newAwakeThread()
  await stage.client.sandboxes.change(thread.id, { policy: { hotKeep: 'strict', hotHours: 0 } })
  return [
    {
      id: 'wake-cold',
      title: 'cold wake, command',
      prepare: async () => {
        await stage.untilSnapshotTaken(thread.id)
        await stage.client.sandboxes.pause(thread.id)
        await untilCold(stage, thread)
      },
      act: async () => {
        await succeed(thread, '/run true')
        await stage.untilSnapshotTaken(thread.id)
      },
      floor: { title: 'runsc run of echo', act: () => boot.firstByteMs() },
    },
  ]
}

function copies({ stage, small, place }: OperationDependencies, thread: TestThread): Operation[] {
  let forked: string | undefined
  let entryId = ''
  return [
    {
      id: 'fork',
      title: 'fork of a running thread',
      act: async () => {
        forked = (await stage.client.threads.fork(thread.id)).id
      },
      clean: async () => {
        if (forked !== undefined) await stage.removeThread({ ...thread, id: forked })
      },
      floor: {
        title: 'runsc checkpoint and restore, btrfs subvolume snapshot',
        act: async () => {
          await small.saveMs()
          await small.copyMs()
          await rawSnapshotsMs(place)
        },
      },
    },
    {
      id: 'rewind',
      title: 'rewind of an awake thread',
      prepare: async () => {
        const { entries } = await thread.say('/run date > ~/note')
        entryId = entries.find(({ kind }) => kind === 'user-message')?.id ?? ''
        await stage.untilSnapshotTaken(thread.id)
      },
      act: async () => {
        await stage.client.threads.rewind(thread.id, entryId)
      },
      floor: { title: 'btrfs subvolume snapshot, twice', act: () => rawSnapshotsMs(place, 2) },
    },
  ]
}

/** Says something, and throws unless every call of the turn succeeded. */
async function succeed(thread: TestThread, text: string): Promise<void> {
  const said = await thread.say(text)
  const failed = said.calls.find((call) => call.kind === 'tool-call' && call.status !== 'succeeded')
  if (said.calls.length === 0 || failed !== undefined)
    throw new Error(`${text}: ${JSON.stringify(failed ?? said.turn)}`)
}
