import { type TestThread, testThread } from '../../stack/installation.ts'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import { rawSnapshotsMs } from '../floors/raw-disk.ts'
import { makeRawMemory } from '../floors/raw-memory.ts'
import type { Stage } from '../stage.ts'
import { holdIn, placeOf } from './pausing.ts'

const held = { megabytes: 64 }

/** A thread that holds 64 MiB is saved as an agent while it runs, and threads are started from the agent. */
export async function agents(stage: Stage): Promise<Figure[]> {
  return await measure(stage, { keepsMemory: false })
}

/** The same with running programs: started threads continue from there. */
export async function agentsLive(stage: Stage): Promise<Figure[]> {
  return await measure(stage, { keepsMemory: true })
}

async function measure(stage: Stage, { keepsMemory }: { keepsMemory: boolean }): Promise<Figure[]> {
  const place = await placeOf(stage.host)
  await using raw = await makeRawMemory({ ...place, held })
  const { thread } = await stage.newAwakeThread()
  await holdIn(thread, held)
  await stage.untilSparesWait()
  const { save, stall, start } = figuresOf({ keepsMemory })
  for (let round = 0; round < stage.rounds; round++) {
    await stage.untilSnapshotTaken(thread.id)
    const { savedMs } = await raw.saveMs()
    const diskMs = await rawSnapshotsMs(place)
    const restoredMs = await raw.copyMs()
    save.floorSamples.push(savedMs + diskMs + restoredMs)
    stall.floorSamples.push(await timed(() => succeed(thread)))
    await stage.untilSnapshotTaken(thread.id)
    const captured = stage.client.agents.capture(thread.id, { keepMemory: keepsMemory })
    const said = timed(() => succeed(thread))
    let environmentId = ''
    save.samples.push(
      await timed(async () => {
        const environment = await captured
        environmentId = environment.id
        if (keepsMemory && environment.memory?.kept !== true) throw new Error(JSON.stringify(environment.memory))
      }),
    )
    stall.samples.push(await said)
    const agent = await stage.client.agents.create({ name: `Agent ${round}`, environment: { id: environmentId } })
    start.floorSamples.push(diskMs + (keepsMemory ? restoredMs : await stage.raw.firstByteMs()))
    let started = ''
    start.samples.push(
      await timed(async () => {
        started = (await stage.client.agents.start(agent.id)).id
        await succeed(testThread(stage.client, started))
      }),
    )
    await stage.client.agents.delete(agent.id)
    await stage.removeThreads(started)
  }
  await stage.removeThreads(thread.id)
  return [save, stall, start]
}

function figuresOf({ keepsMemory }: { keepsMemory: boolean }) {
  const [suffix, what] = keepsMemory ? ['-live', ' with its memory'] : ['', '']
  return {
    save: emptyFigure({
      id: `agent-capture${suffix}`,
      title: `Saving the environment of a running thread that holds 64 MiB for an agent${what}, until the copy has been scanned`,
      floorTitle: 'runsc checkpoint and restore of the same process, and a snapshot of its disk',
      target: null,
    }),
    stall: emptyFigure({
      id: `agent-capture-stall${suffix}`,
      title: 'A message to that thread, sent as the save begins, until its command has ended',
      floorTitle: 'the same when nothing is being saved',
      target: null,
    }),
    start: emptyFigure({
      id: `agent-run${suffix}`,
      title: `Starting a thread from the agent${what}, until its first command has ended`,
      floorTitle: keepsMemory
        ? 'snapshot of a disk, and runsc restore of the same process'
        : 'snapshot of a disk, and runsc run of /bin/echo over the image to its first byte',
      target: null,
      aimP50: 500,
    }),
  }
}

async function succeed(thread: TestThread): Promise<void> {
  const said = await thread.say('/run true')
  if (said.calls[0]?.status !== 'succeeded') throw new Error(JSON.stringify(said.calls[0]))
}
