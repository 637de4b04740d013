import { execFile } from 'node:child_process'
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { kill } from './kill.ts'
import { removeMounts } from './mounts.ts'

const run = promisify(execFile)

/** What the directories of bare containers of a measurement begin with, in the pool. */
export const bareContainerPrefix = 'raw-memory-'

/** Removes what a killed measurement has left in a pool: processes, mounts, subvolumes and files of bare containers. */
export async function removeBareContainers(pool: string): Promise<void> {
  const names = await readdir(pool).catch(() => [])
  for (const name of names.filter((each) => each.startsWith(bareContainerPrefix))) {
    const directory = path.join(pool, name)
    await killProgramsOf(directory)
    await removeMounts(directory)
    // If it was killed before it had one.
    await run('btrfs', ['subvolume', 'delete', path.join(directory, 'root')]).catch(() => undefined)
    await rm(directory, { recursive: true, force: true })
  }
}

async function killProgramsOf(directory: string): Promise<void> {
  for (;;) {
    const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid)
    const commands = await Promise.all(
      pids.map(async (pid) => ({ pid, text: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') })),
    )
    const own = commands.filter(({ text }) => text.includes(`${directory}/`))
    if (own.length === 0) return
    for (const { pid } of own) kill(pid)
    await delay(20)
  }
}
