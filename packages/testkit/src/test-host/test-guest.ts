import { readdir, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { buildGuest } from '../../../../deploy/build/build-guest.ts'
import { testRoot } from './test-machine.ts'

const directory = path.join(testRoot, 'guests')
/** Longer than any run of the tests. */
const keptMs = 24 * 60 * 60 * 1000

/** Names the directory of a guest that a test run built once for all its tests. */
export const builtGuestVariable = 'THREADBOX_TEST_GUEST'

/**
 * Returns the guest of this checkout and builds it if it does not exist. Deletes guests (110 MB each) that were not
 * used for a day.
 */
export async function testGuest(): Promise<string> {
  const built = process.env[builtGuestVariable]
  if (built !== undefined) return built
  const guest = await buildGuest({ outputDirectory: directory })
  const now = new Date()
  await utimes(guest.directory, now, now)
  for (const name of await readdir(directory)) {
    const old = path.join(directory, name)
    // Another test may delete it at the same time.
    const usedAt = (await stat(old).catch(() => undefined))?.mtimeMs ?? now.getTime()
    if (usedAt < now.getTime() - keptMs) await rm(old, { recursive: true, force: true })
  }
  return guest.directory
}
