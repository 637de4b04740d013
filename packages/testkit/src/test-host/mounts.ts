import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Unmounts everything below a directory and detaches the loop devices of its files, even if the program that serves a
 * file is gone: `mkfs.btrfs` fails on a machine with such a disk mounted.
 */
export async function removeMounts(directory: string): Promise<void> {
  const isBelow = (file: string) => file.startsWith(`${directory}/`)
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '')
  // Before the mounts, without which a device does not report its file; the device is detached with its last user.
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

/** A device is detached with its last user, so it can be gone after it was listed. */
async function detach(device: string): Promise<void> {
  try {
    await run('losetup', ['--detach', device])
  } catch (error) {
    if (!String(error).includes('No such device')) throw error
  }
}
