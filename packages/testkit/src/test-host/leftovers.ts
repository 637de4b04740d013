import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { removeDriverOf } from '@threadbox/gvisor-driver'
import { removeNetworkOf } from '@threadbox/sandbox-network'
import { templatesPlace } from './disk-slot.ts'

const run = promisify(execFile)

type Installation = { installation: string; dataDirectory: string; diskDirectory: string }

/** What an installation has on the machine besides its daemon and its files, one line per item. */
export async function findLeftovers({ installation, dataDirectory, diskDirectory }: Installation): Promise<string[]> {
  const [processes, namespaces, links, cgroups, rules, mounts, disks, memory] = await Promise.all([
    sandboxProcesses(dataDirectory),
    lines('ip', ['netns', 'list']),
    lines('ip', ['-n', `tbr-${installation}`, '-brief', 'link']),
    cgroupsOf(installation),
    lines('ip', ['netns', 'exec', `tbr-${installation}`, 'nft', 'list', 'table', 'inet', `threadbox_${installation}`]),
    readFile('/proc/self/mounts', 'utf8'),
    readdir(path.join(diskDirectory, 'pool', 'disks')).catch(() => []),
    readdir(path.join(diskDirectory, 'pool', 'memory')).catch(() => []),
  ])
  return [
    ...processes.map((line) => `process ${line}`),
    // The router belongs to the daemon, not to a sandbox.
    ...namespaces.filter((line) => line.includes(`tb-${installation}-`)).map((line) => `namespace ${line}`),
    ...links.filter((line) => line.startsWith(`tb${installation}`)).map((line) => `interface ${line}`),
    ...cgroups.map((line) => `cgroup ${line}`),
    ...rules.filter((line) => line.includes(`"tb${installation}`) && !line.includes('*')).map((line) => `rule ${line}`),
    ...mounts
      .split('\n')
      .filter((line) => line.includes(`${dataDirectory}/`))
      .map((line) => `mount ${line}`),
    ...disks.map((name) => `disk ${name}`),
    ...memory.filter((name) => name !== templatesPlace).map((name) => `memory ${name}`),
    ...(await filesOf(dataDirectory)).map((file) => `file ${file}`),
    ...(await swapsOf(installation)).map((line) => `swap ${line}`),
  ]
}

/** Removes all that an installation whose daemon is gone has on the machine besides its files. */
export async function removeLeftovers({ installation, dataDirectory }: Installation): Promise<void> {
  for (;;) {
    const processes = await sandboxProcesses(dataDirectory)
    if (processes.length === 0) break
    await lines('kill', ['-9', ...processes.map((line) => String(Number.parseInt(line, 10)))])
    await delay(20)
  }
  await removeNetworkOf(installation)
  await removeDriverOf(installation)
}

async function sandboxProcesses(dataDirectory: string): Promise<string[]> {
  const all = await lines('ps', ['-e', '-o', 'pid=,args='])
  return all
    .filter((line) => line.includes('runsc') && line.includes(`${dataDirectory}/`) && !line.includes('defunct'))
    .map((line) => line.trim())
}

async function cgroupsOf(installation: string): Promise<string[]> {
  return await lines('find', [
    '/sys/fs/cgroup',
    '-ignore_readdir_race',
    '-path',
    `*threadbox-${installation}/*`,
    '-type',
    'd',
  ])
}

/** Its swap in compressed memory, in use or half made. */
async function swapsOf(installation: string): Promise<string[]> {
  const record = await readFile(`/run/threadbox-swap-${installation}`, 'utf8').catch(() => undefined)
  const labeled = await lines('swapon', ['--show=NAME,LABEL', '--noheadings'])
  return [...(record === undefined ? [] : [record]), ...labeled.filter((line) => line.endsWith(` tb-${installation}`))]
}

/** Files that belong to single sandboxes or boots. */
async function filesOf(dataDirectory: string): Promise<string[]> {
  const directories = ['host/files/sandboxes', 'host/driver/boots', 'host/driver/runsc']
  const found = await Promise.all(
    directories.map(async (directory) => {
      const names = await readdir(path.join(dataDirectory, directory)).catch(() => [])
      return names.map((name) => path.join(directory, name))
    }),
  )
  return found.flat()
}

/** The output of a command by lines; none if it fails, as `nft` does for a missing table. */
async function lines(command: string, flags: string[]): Promise<string[]> {
  const { stdout } = await run(command, flags).catch(() => ({ stdout: '' }))
  return stdout.split('\n').filter((line) => line !== '')
}
