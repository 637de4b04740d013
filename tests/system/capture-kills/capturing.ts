import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { comesTo } from '../../stack/comes-to.ts'
import { sandboxIdsOf, type TestInstallation } from '../../stack/installation.ts'

export type Moment = 'the disk is copied' | 'the copy is cleaned' | 'memory is searched'

export const polling = { timeout: 120_000, interval: 200 }
export const sortedSandboxIds = async (installation: TestInstallation) => (await sandboxIdsOf(installation)).toSorted()

/** Programs that the host daemon runs, by their names in a release. */
async function hostPrograms({ host }: TestInstallation): Promise<string[]> {
  const pid = host.pid()
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const commandLines = children
    .split(' ')
    .filter((child) => child !== '')
    .map((child) => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => ''))
  return await Promise.all(commandLines)
}

/** Starts saving a thread, and resolves when that has reached a moment, or after a time. */
export async function capturing(
  installation: TestInstallation,
  options: { threadId: string; keepMemory: boolean; until: Moment | { afterMs: number } },
): Promise<{ ended: Promise<string | undefined> }> {
  const { threadId, keepMemory, until } = options
  const disks = path.join(installation.host.diskDirectory, 'pool/disks')
  const before = await readdir(disks)
  const ended = installation.client.agents.capture(threadId, { keepMemory }).then(
    ({ id }) => id,
    () => undefined,
  )
  const runs = async (program: string) =>
    (await hostPrograms(installation)).some((line) => line.includes(`/${program}/`))
  const conditions: Record<Moment, () => Promise<boolean>> = {
    'the disk is copied': async () => (await readdir(disks)).some((disk) => !before.includes(disk)),
    'the copy is cleaned': () => runs('disk-cleaner'),
    'memory is searched': () => runs('memory-searcher'),
  }
  if (typeof until === 'string') await comesTo(conditions[until], ended)
  else await delay(until.afterMs)
  return { ended }
}
