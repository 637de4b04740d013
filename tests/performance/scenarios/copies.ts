import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startTestHost, startTestServer } from '@threadbox/testkit'
import { startInstallation, type TestInstallation, type TestThread } from '../../stack/installation.ts'
import { runBackup, setUpBackups } from '../../stack/run-backup.ts'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import { makeRawCopy, type RawCopy } from '../floors/raw-copy.ts'

/** Half of it can be compressed. */
const sizeMiB = 512
const fileName = 'bench-copies.bin'

/** How long a backup of one sandbox takes, with a hundredth changed, its restore, and the archive’s way out and back. */
export async function copies(): Promise<Figure[]> {
  const work = await mkdtemp(path.join(tmpdir(), 'threadbox-bench-'))
  try {
    for (const name of ['store', 'archive']) await mkdir(path.join(work, name))
    await using installation = await startInstallation({
      asInstalled: true,
      serverEnvironment: { THREADBOX_ARCHIVE_STORE: path.join(work, 'archive') },
    })
    const thread = await installation.newThread()
    await write(
      thread,
      `open('/home/user/${fileName}', 'wb').write(os.urandom(${sizeMiB} << 19) + b'text ' * ((${sizeMiB} << 19) // 5))`,
    )
    await installation.client.sandboxes.pause(thread.id)
    await using raw = await makeRawCopy({ diskDirectory: installation.host.diskDirectory, fileName })
    const backup = await backupFigures({ installation, thread, raw, store: path.join(work, 'store') })
    const archive = await archiveFigures({ installation, thread, raw })
    return [...backup, ...archive]
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

type Measured = { installation: TestInstallation; thread: TestThread; raw: RawCopy }

async function backupFigures({ installation, thread, raw, store }: Measured & { store: string }): Promise<Figure[]> {
  const recoveryKey = await setUpBackups(installation, store)
  const full = figureOf('backup-full', `A first backup, ${sizeMiB} MiB`, { out: true, maxRatio: 1 / 0.6 })
  full.floorSamples.push(await raw.outMs())
  full.samples.push(await timed(() => succeeded(installation, ['run'])))
  const changed = figureOf('backup-incremental', 'The next backup, a hundredth changed', {
    out: true,
    maxRatio: 1 / 0.5,
  })
  await write(thread, `open('/home/user/${fileName}', 'r+b').write(os.urandom((${sizeMiB} << 20) // 100))`)
  await installation.client.sandboxes.pause(thread.id)
  changed.floorSamples.push(await raw.changeMs())
  changed.samples.push(await timed(() => succeeded(installation, ['run'])))
  const restored = figureOf('backup-restore', `A restore, ${sizeMiB} MiB`, { out: false, maxRatio: 1 / 0.5 })
  restored.floorSamples.push(await raw.backMs())
  const host = await startTestHost()
  try {
    const server = await startTestServer({ host, signUp: false })
    await server.kill('SIGTERM')
    restored.samples.push(
      await timed(async () => {
        await succeeded({ host, server }, ['restore-files', store, 'newest'], recoveryKey)
        await succeeded({ host, server }, ['restore-disks'])
      }),
    )
    await server.close()
  } finally {
    await host.close()
  }
  return [full, changed, restored]
}

async function archiveFigures({ installation, thread, raw }: Measured): Promise<Figure[]> {
  const { sandboxes } = installation.client
  const out = figureOf('archive-out', `A sandbox moves to the archive, ${sizeMiB} MiB`, { out: true, maxRatio: 1.5 })
  out.floorSamples.push(await raw.outMs())
  out.samples.push(await timed(() => sandboxes.archive(thread.id)))
  const back = figureOf('archive-back', `An archived sandbox is restored, ${sizeMiB} MiB`, {
    out: false,
    maxRatio: 1.5,
  })
  back.floorSamples.push(await raw.backMs())
  back.samples.push(await timed(() => sandboxes.restore(thread.id)))
  return [out, back]
}

function figureOf(id: string, title: string, { out, maxRatio }: { out: boolean; maxRatio: number }): Figure {
  const floorTitle = out
    ? 'a snapshot, btrfs send and zstd into a file of the same disk'
    : 'zstd -d and btrfs receive of the same'
  return emptyFigure({ id, title, floorTitle, target: { maxRatio } })
}

async function write(thread: TestThread, code: string): Promise<void> {
  const { calls } = await thread.say(`/python import os\n_ = ${code}`)
  if (calls[0]?.status !== 'succeeded') throw new Error(`the sandbox did not write: ${JSON.stringify(calls[0])}`)
}

async function succeeded(...[at, words, input]: Parameters<typeof runBackup>): Promise<void> {
  const { code, output } = await runBackup(at, words, input)
  if (code !== 0) throw new Error(`backup ${words.join(' ')} failed: ${output}`)
}
