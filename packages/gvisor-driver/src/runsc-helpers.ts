import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'

/** The programs of a release of runsc that each start of a sandbox uses, in `gvisor-bin` beside runsc. */
const helperNames = ['gvisor_sentry', 'gvisor-sentry-prewarmer']

/** The directory of runsc’s helpers; undefined if one that a start uses is missing, because a part of them ends each start. */
export async function findHelpers(runscPath: string): Promise<string | undefined> {
  const directory = path.join(path.dirname(runscPath), 'gvisor-bin')
  const present = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] as string[]
    throw error
  })
  return helperNames.every((name) => present.includes(name)) ? directory : undefined
}

/**
 * Where a boot whose IDs are shifted finds the helpers, in the mount namespace of its start: as no user of the machine it
 * can’t reach where runsc is installed. Outside of that namespace, the directory is empty.
 */
export function helpersPlaceOf(installation: string): string {
  return `/run/threadbox-helpers-${installation}`
}

export async function makeHelpersPlace(installation: string): Promise<void> {
  const place = helpersPlaceOf(installation)
  await mkdir(place, { recursive: true })
  // Whatever the daemon’s umask is.
  await chmod(place, 0o755)
}

export async function removeHelpersPlace(installation: string): Promise<void> {
  await rm(helpersPlaceOf(installation), { recursive: true, force: true })
}
