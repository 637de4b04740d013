import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { makeOwnedDirectory } from './owned-directory.ts'

const run = (command: string, ...flags: string[]) => execFileSync(command, flags)

/** Mounts a disk in a disk below an owned directory, prints its path on one line, and waits to be killed. */
const directory = await makeOwnedDirectory()
let within = directory
for (const name of ['outer', 'inner']) {
  const [file, mounted] = [path.join(within, `${name}.img`), path.join(within, name)]
  run('truncate', '--size', name === 'outer' ? '64M' : '16M', file)
  run('mkfs.ext4', '-q', file)
  run('mkdir', mounted)
  run('mount', '-o', 'loop', file, mounted)
  within = mounted
}
console.log(directory)
setInterval(() => undefined, 60_000)
