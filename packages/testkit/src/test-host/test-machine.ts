import { access, readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

/** Where tests with real sandboxes find what `up` would install: from the environment, or in the usual places. */
export type TestMachine = { runscPath: string; imageArchive: string }

/** Everything that tests create on this machine is below this directory, except disk pools. */
export const testRoot = '/var/lib/threadbox-test'

/** The directory for disk pools. On small disks it is a separate volume: see deploy/launcher/test.sh. */
export const testVolume = '/var/lib/threadbox-test-volume'

export async function findTestMachine(): Promise<TestMachine> {
  const runscPath = await firstPresent([
    process.env.THREADBOX_RUNSC,
    '/var/lib/threadbox/tools/runsc',
    '/usr/local/bin/runsc',
    path.join(homedir(), 'go/bin/runsc'),
  ])
  const imageArchive = process.env.THREADBOX_IMAGE ?? (await newestImage('/var/cache/threadbox/images'))
  if (runscPath === undefined) throw new Error('no runsc on this machine: set THREADBOX_RUNSC')
  if (imageArchive === undefined) throw new Error('no base image on this machine: set THREADBOX_IMAGE')
  return { runscPath, imageArchive }
}

async function firstPresent(candidates: (string | undefined)[]): Promise<string | undefined> {
  for (const candidate of candidates) {
    if (candidate !== undefined && (await isPresent(candidate))) return candidate
  }
  return undefined
}

async function newestImage(directory: string): Promise<string | undefined> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.tar.zst'))
  const dated = await Promise.all(
    names.map(async (name) => {
      const file = path.join(directory, name)
      return { file, changedAt: (await stat(file)).mtimeMs }
    }),
  )
  return dated.toSorted((left, right) => right.changedAt - left.changedAt)[0]?.file
}

/** Whether a file of this name exists. */
export async function isPresent(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  )
}
