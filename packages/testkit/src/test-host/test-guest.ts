import { readdir, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { buildGuest } from '../../../../deploy/build/build-guest.ts'
import { testRoot } from './test-machine.ts'

const directory = path.join(testRoot, 'guests')
/** Longer than any run of the tests. */
const keptMs = 24 * 60 * 60 * 1000

/** Names where a run that built the guest once for all its tests has it. */
export const builtGuestVariable = 'THREADBOX_TEST_GUEST'

/** The guest of this checkout, built when it is not there yet. Guests (110 MB each) that nobody used for a day go. */
export async function testGuest(): Promise<string> {
  const built = process.env[builtGuestVariable]
  if (built !== undefined) return built
  const guest = await buildGuest({ outputDirectory: directory })
  const now = new Date()
  await utimes(guest.directory, now, now)
  for (const name of await readdir(directory)) {
    const old = path.join(directory, name)
    // Another test may remove it at the same time.
    const usedAt = (await stat(old).catch(() => undefined))?.mtimeMs ?? now.getTime()
    if (usedAt < now.getTime() - keptMs) await rm(old, { recursive: true, force: true })
  }
  return guest.directory
}
