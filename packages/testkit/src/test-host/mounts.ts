import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A program that examines each new device holds one for up to a second; a busy machine gets ten times that. */
const longestHoldMs = 10_000

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
  await untilDetached(isBelow)
}

/** The kernel detaches a device some time after its last user closed it. */
async function untilDetached(isBelow: (file: string) => boolean): Promise<void> {
  const deadline = performance.now() + longestHoldMs
  for (;;) {
    const held = (await loopDevices()).filter(({ file }) => isBelow(file))
    if (held.length === 0) return
    if (performance.now() > deadline) throw new Error(`Still in use: ${held.map(({ device }) => device).join(', ')}.`)
    await sleep(50)
  }
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
