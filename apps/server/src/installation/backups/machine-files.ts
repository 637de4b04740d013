import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openSealed, sealFile } from '@threadbox/backups'

/** Their name in a backup. */
export const machineFilesPath = 'machine.tar.age'

/** What only root can read, sealed for the recovery key: backups that root does not start have it, too. */
export const machineFilesOf = (directory: string) => join(directory, 'backups', machineFilesPath)

export async function keepMachineFiles(
  directory: string,
  from: { content: AsyncIterable<Uint8Array>; recipient: string },
): Promise<void> {
  const path = machineFilesOf(directory)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await sealFile(path, from)
}

/** Opens those of a backup where they were restored, for the launcher, which places them. */
export async function openMachineFiles(staging: string, identity: string): Promise<void> {
  const sealed = join(staging, machineFilesPath)
  if (!existsSync(sealed)) return
  const opened = openSealed(createReadStream(sealed), identity)
  await pipeline(opened, createWriteStream(join(staging, 'machine.tar'), { mode: 0o600 }))
}
