import { type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'

const samples = 12

/** A new thread's first command: from sending the message to the first byte of output in the event stream. */
export async function firstOutput(stage: Stage): Promise<Figure[]> {
  const figure: Figure = {
    id: 'first-output',
    title: 'First command of a new thread, to its first byte',
    unit: 'ms',
    samples: [],
    floorSamples: [],
    floorTitle: 'runsc run of /bin/echo over a copy of the same image, to its first byte',
    target: { maxRatio: 1.6 },
  }
  for (let round = 0; round < samples; round++) {
    await stage.untilSparesWait()
    figure.floorSamples.push(await stage.raw.firstByteMs())
    const thread = await stage.newThread()
    figure.samples.push(await untilFirstByte(thread))
    await stage.client.threads.delete(thread.id)
  }
  return [figure]
}

async function untilFirstByte(thread: Awaited<ReturnType<Stage['newThread']>>): Promise<number> {
  let firstByte: number | undefined
  const start = performance.now()
  await thread.say('/run echo ready', {
    onEvent: (event) => {
      if (firstByte !== undefined) return
      const isOutput =
        event.type === 'output-appended' ||
        ((event.type === 'entry-updated' || event.type === 'entry-added') &&
          event.entry.kind === 'tool-call' &&
          event.entry.output.sizeBytes > 0)
      if (isOutput) firstByte = performance.now()
    },
  })
  if (firstByte === undefined) throw new Error('the first command of a new thread printed nothing')
  return firstByte - start
}

/**
 * A command that does nothing, in a thread whose sandbox is awake, next to the same call made directly to the guest.
 */
export async function activeCommand(stage: Stage): Promise<Figure[]> {
  const { thread, sandboxId } = await stage.newAwakeThread()
  const figure: Figure = {
    id: 'active-command',
    title: 'Command `true` in an active thread, from message to end of turn',
    unit: 'ms',
    samples: [],
    floorSamples: [],
    floorTitle: 'the same command as a call to the guest through the gateway',
    target: { maxRatio: 1.5, maxP50: 40 },
  }
  for (let round = 0; round < 60; round++) {
    figure.floorSamples.push(await timed(() => stage.host.run(sandboxId, 'true')))
    figure.samples.push(await timeOfTurn(thread))
    await stage.untilSnapshotTaken(thread.id)
  }
  await stage.client.threads.delete(thread.id)
  return [figure]
}

/** Milliseconds from sending a message with `true` until its turn has ended. */
export async function timeOfTurn(thread: Awaited<ReturnType<Stage['newThread']>>): Promise<number> {
  let start = 0
  let endedAt = 0
  await thread.say('/run true', {
    onSend: () => {
      start = performance.now()
    },
    onEvent: (event) => {
      if (event.type === 'turn-updated' && event.turn.status !== 'running') endedAt = performance.now()
    },
  })
  return endedAt - start
}
