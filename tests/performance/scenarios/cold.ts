import { emptyFigure, type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'
import { untilCold } from './pausing.ts'

/**
 * A thread whose memory was discarded: its next command, and, if it had a Python kernel, its next cell, which uses a
 * rescued variable. Both begin with a boot over the disk.
 */
export async function cold(stage: Stage): Promise<Figure[]> {
  const command = emptyFigure({
    id: 'wake-cold',
    title: 'Message to a cold thread until its command has ended',
    floorTitle: 'runsc run of /bin/echo over a copy of the same image, to its first byte',
    target: { maxP50: 5000 },
    aimP50: 600,
  })
  const cell = emptyFigure({
    id: 'cell-cold',
    title: 'First Python cell of a cold thread, using an earlier variable',
    floorTitle: 'the same boot, and the modules of a Jupyter kernel imported in an awake sandbox',
    target: null,
  })
  const [inShell, inPython] = [await stage.newAwakeThread(), await stage.newAwakeThread()]
  await inPython.thread.say('/python held = 41')
  for (const { thread } of [inShell, inPython]) {
    await stage.client.sandboxes.change(thread.id, { policy: { hotKeep: 'strict', hotHours: 0 } })
  }
  for (let round = 0; round < stage.rounds; round++) {
    const importMs = await kernelImportMs(stage, inPython.sandboxId)
    for (const { thread } of [inShell, inPython]) {
      await stage.client.sandboxes.pause(thread.id)
      await untilCold(stage, thread)
    }
    const bootMs = await stage.raw.firstByteMs()
    command.floorSamples.push(bootMs)
    command.samples.push(await timed(() => inShell.thread.say('/run true')))
    cell.floorSamples.push(bootMs + importMs)
    cell.samples.push(
      await timed(async () => {
        const { calls } = await inPython.thread.say('/python held + 1')
        if (calls[0]?.status !== 'succeeded') throw new Error(`the variable is gone: ${calls[0]?.output.tail}`)
      }),
    )
  }
  for (const { thread } of [inShell, inPython]) await stage.client.threads.delete(thread.id)
  return [command, cell]
}

/** What any start of a Jupyter kernel in a sandbox takes. */
export async function kernelImportMs({ host }: Stage, sandboxId: string): Promise<number> {
  return await timed(async () => {
    const { exitCode, output } = await host.run(sandboxId, 'python3 -c "import ipykernel.kernelapp"')
    if (exitCode !== 0) throw new Error(output)
  })
}
