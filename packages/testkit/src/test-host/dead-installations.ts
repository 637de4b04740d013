import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { kill } from './kill.ts'
import { removeLeftovers } from './leftovers.ts'
import { removeMounts } from './mounts.ts'
import { claim, isClaimed } from './process-claim.ts'
import { isPresent, testRoot } from './test-machine.ts'

/** The file in a directory below `testRoot` that names its process. */
export const ownerFile = 'owner'

/**
 * Removes the installations of killed test runs, whose process is gone: their daemons, sandboxes, mounts, files and
 * addresses. A machine has addresses for sixteen installations.
 */
export async function removeDeadInstallations(): Promise<void> {
  for (const installation of await readdir(testRoot).catch(() => [])) {
    const dataDirectory = path.join(testRoot, installation)
    const owner = path.join(dataDirectory, ownerFile)
    if (!(await isPresent(owner)) || (await isClaimed(owner))) continue
    // Two test files may find it at the same time.
    const removal = path.join(testRoot, 'removals', installation)
    await mkdir(path.dirname(removal), { recursive: true })
    if (!(await claim(removal))) continue
    if (await isClaimed(owner)) continue
    for (const pid of await processesOf(dataDirectory)) kill(pid)
    await removeLeftovers({ installation, dataDirectory, diskDirectory: '' })
    await removeMounts(dataDirectory)
    await rm(dataDirectory, { recursive: true, force: true })
    await rm(removal, { force: true })
  }
}

/** The daemons that were started for an installation: its data directory is in their environment. */
async function processesOf(dataDirectory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const environments = await Promise.all(
    pids.map(async (pid) => ({ pid, text: await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '') })),
  )
  return environments.flatMap(({ pid, text }) => (text.includes(`=${dataDirectory}`) ? [pid] : []))
}
