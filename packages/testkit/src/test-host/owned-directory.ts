import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { claim } from './process-claim.ts'
import { testRoot } from './test-machine.ts'

const run = promisify(execFile)

/** In a directory below `testRoot`: the process that has it. */
export const ownerFile = 'owner'

/**
 * Makes a directory in which a test may mount disks. When the process of the test is killed, the next run of the tests
 * unmounts what is mounted there and removes the directory.
 */
export async function makeOwnedDirectory(): Promise<string> {
  const directory = path.join(testRoot, `t${randomBytes(4).toString('hex').slice(0, 5)}`)
  await mkdir(directory, { recursive: true })
  await claim(path.join(directory, ownerFile))
  return directory
}

/**
 * Unmounts everything below a directory and detaches the loop devices of its files, also when the program
 * that serves a file is gone: `mkfs.btrfs` fails on a machine that has such a disk mounted.
 */
export async function removeMounts(directory: string): Promise<void> {
  const isBelow = (file: string) => file.startsWith(`${directory}/`)
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '')
  // Before the mounts, without which a device does not tell its file; it goes with its last user.
  for (const { device, file } of await loopDevices()) if (isBelow(file)) await detach(device)
  for (const mounted of mounts.filter(isBelow).toReversed()) await run('umount', ['--lazy', mounted])
}

async function loopDevices(): Promise<{ device: string; file: string }[]> {
  const { stdout } = await run('losetup', ['--list', '--noheadings', '--raw', '--output', 'NAME,BACK-FILE'])
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ device: line.slice(0, line.indexOf(' ')), file: line.slice(line.indexOf(' ') + 1) }))
}

/** A device detaches itself with its last user, so it can be gone after it was listed. */
async function detach(device: string): Promise<void> {
  try {
    await run('losetup', ['--detach', device])
  } catch (error) {
    if (!String(error).includes('No such device')) throw error
  }
}
