import { emptyFigure, type Figure, timed } from '../figure.ts'
import { rawSnapshotsMs } from '../floors/raw-disk.ts'
import type { Stage } from '../stage.ts'
import { placeOf } from './pausing.ts'

/** An awake thread is rewound to before its last message, and responds to the next one over the restored files. */
export async function rewinding(stage: Stage): Promise<Figure[]> {
  const place = await placeOf(stage.host)
  const order = emptyFigure({
    id: 'rewind',
    title: 'Rewind of an awake thread, until conversation and disk are restored',
    floorTitle: 'btrfs subvolume snapshot of the image, twice: the undone state is kept too',
    target: null,
  })
  const command = emptyFigure({
    id: 'rewind-command',
    title: 'The same, plus the next message until its command has ended',
    floorTitle: 'the same, and runsc run of /bin/echo over the image to its first byte',
    target: null,
  })
  const { thread } = await stage.newAwakeThread()
  await stage.untilSparesWait()
  for (let round = 0; round < stage.rounds; round++) {
    const entryId = await sayAndSettle(stage, { thread, text: `/run echo ${round} > /home/user/note` })
    const diskMs = await rawSnapshotsMs(place, 2)
    const bootMs = await stage.raw.firstByteMs()
    const orderMs = await timed(() => stage.client.threads.rewind(thread.id, entryId))
    const commandMs = await timed(() => sayAndSucceed(thread, '/run true'))
    order.samples.push(orderMs)
    order.floorSamples.push(diskMs)
    command.samples.push(orderMs + commandMs)
    command.floorSamples.push(diskMs + bootMs)
    await stage.untilSnapshotTaken(thread.id)
  }
  await stage.removeThreads(thread.id)
  return [order, command]
}

type Thread = Awaited<ReturnType<Stage['newAwakeThread']>>['thread']

/** The message to rewind to, once the snapshot of its turn is taken. */
async function sayAndSettle(stage: Stage, { thread, text }: { thread: Thread; text: string }): Promise<string> {
  await stage.untilSnapshotTaken(thread.id)
  const { entries } = await sayAndSucceed(thread, text)
  await stage.untilSnapshotTaken(thread.id)
  const message = entries.find(({ kind }) => kind === 'user-message')
  if (message === undefined) throw new Error('the message is not in its turn')
  return message.id
}

async function sayAndSucceed(thread: Thread, text: string) {
  const said = await thread.say(text)
  if (said.calls[0]?.status !== 'succeeded') throw new Error(`${text}: ${JSON.stringify(said.calls[0])}`)
  return said
}
