import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { ownerFile, removeDeadInstallations } from './dead-installations.ts'
import { claim } from './process-claim.ts'
import { testRoot } from './test-machine.ts'

/**
 * Creates a directory for a test’s installation or disks, after removing those of killed runs. Its name can be an
 * installation ID.
 */
export async function makeOwnedDirectory(): Promise<string> {
  await removeDeadInstallations()
  const directory = path.join(testRoot, `t${randomBytes(4).toString('hex').slice(0, 5)}`)
  await mkdir(directory, { recursive: true })
  await claim(path.join(directory, ownerFile))
  return directory
}
