import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { release, tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { kill } from '@threadbox/testkit'
import { type Driver, type Program, type Technology, unsupported } from '../driver.ts'
import { ownMemoryBytes, processesWith } from '../processes.ts'
import { imagePath, type Place } from './place.ts'

const run = promisify(execFile)
const marker = 'BENCHMARK_SANDBOX'

/** How a sandbox that is only a folder starts programs. */
export type NativeSandboxes = {
  /** Makes what `folder` is in, and removes all of it. */
  makeFolder(id: string): Promise<{ folder: string; remove: () => Promise<void> }>
  /** Where programs are looked for. */
  path: string
  /** The command line that runs a program in the folder. */
  enter(folder: string, program: Program): Program
}

/** Processes of the machine in a root directory of their own, a snapshot of the same image that sandboxes have. */
export function nativeSandboxes({ imageRoot, diskDirectory }: Place): NativeSandboxes {
  const mounts = ['proc', 'dev', 'dev/shm']
  return {
    path: imagePath,
    makeFolder: async (id) => {
      const root = path.join(diskDirectory, `pool/native-${id}`)
      await run('btrfs', ['subvolume', 'snapshot', imageRoot, root])
      for (const name of mounts) await run('mount', ['--bind', `/${name}`, path.join(root, name)])
      const folder = path.join(root, 'root')
      return {
        folder,
        remove: async () => {
          for (const name of mounts.toReversed()) await run('umount', ['--lazy', path.join(root, name)])
          await run('btrfs', ['subvolume', 'delete', root])
        },
      }
    },
    enter: (folder, program) => [
      '/usr/sbin/chroot',
      path.dirname(folder),
      '/bin/sh',
      '-c',
      'cd /root && exec "$@"',
      'sh',
      ...program,
    ],
  }
}

/** Processes of the machine in a folder of the temporary directory, with the machine’s programs. */
export const plainSandboxes: NativeSandboxes = {
  path: process.env.PATH ?? '',
  makeFolder: async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'benchmark-native-'))
    return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
  },
  enter: (_folder, program) => program,
}

type Sandbox = {
  folder: string
  program: Program | undefined
  remove(): Promise<void>
}

/** No sandbox at all: what the machine itself takes. A pause stops the processes with a signal. */
export function makeNativeDriver(sandboxes: NativeSandboxes): Driver {
  const all = new Map<string, Sandbox>()
  const of = (id: string) => {
    const found = all.get(id)
    if (found === undefined) throw new Error(`there is no sandbox ${id}`)
    return found
  }
  const start = (id: string, program: Program, stdio: 'ignore' | 'pipe'): ChildProcess => {
    const { folder } = of(id)
    const [file, ...args] = sandboxes.enter(folder, program)
    const environment = { PATH: sandboxes.path, LC_ALL: 'C.UTF-8', HOME: '/root', [marker]: id }
    return spawn(file, args, { cwd: folder, env: environment, detached: true, stdio: ['ignore', stdio, stdio] })
  }
  const signal = async (id: string, name: NodeJS.Signals) => {
    for (const pid of await processesWith(marker, id)) kill(pid, name)
  }
  const startProgram = (id: string) => {
    const { program } = of(id)
    if (program !== undefined) start(id, program, 'ignore').unref()
  }
  const remove = async (id: string) => {
    const sandbox = of(id)
    await signal(id, 'SIGKILL')
    all.delete(id)
    await sandbox.remove()
  }
  return {
    capabilities: {
      separates: 'nothing',
      pauses: true,
      savesMemory: false,
      startsCold: true,
      forks: false,
      wakesOnCommand: false,
    },
    create: async (program) => {
      const id = randomBytes(6).toString('hex')
      all.set(id, { ...(await sandboxes.makeFolder(id)), program })
      startProgram(id)
      return id
    },
    command: async (id, line) => {
      const child = start(id, ['/bin/sh', '-c', line], 'pipe')
      const { stdout, stderr } = child
      if (stdout === null || stderr === null) throw new Error('a child without pipes')
      const [output, errors, [exitCode]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
      return { exitCode: Number(exitCode), output: output + errors }
    },
    writeFile: (id, { name, content }) => writeFile(path.join(of(id).folder, name), content),
    readFile: (id, name) => readFile(path.join(of(id).folder, name), 'utf8'),
    pause: (id) => signal(id, 'SIGSTOP'),
    dropMemory: async (id, { keepsImage }) => {
      if (keepsImage) return await unsupported('processes of the machine can’t be saved')()
      await signal(id, 'SIGKILL')
    },
    resume: async (id) => {
      if ((await processesWith(marker, id)).length === 0) startProgram(id)
      else await signal(id, 'SIGCONT')
    },
    fork: unsupported('processes of the machine can’t be copied'),
    delete: remove,
    describe: async (id) => {
      const processIds = await processesWith(marker, id)
      const sizes = await Promise.all(processIds.map(ownMemoryBytes))
      return { processIds, memoryBytes: sizes.reduce((sum, size) => sum + size, 0) }
    },
    [Symbol.asyncDispose]: async () => {
      for (const id of all.keys()) await remove(id)
    },
  }
}

/** The machine itself, with the programs of the product’s base image. */
export function native(place: Place): Technology {
  return {
    name: 'native',
    about:
      'Processes of the machine in a snapshot of the same image (`chroot`): what no sandbox costs; a pause is SIGSTOP, and ' +
      'nothing is saved or separated',
    hasImage: true,
    open: () => Promise.resolve({ driver: makeNativeDriver(nativeSandboxes(place)), version: release() }),
  }
}
