import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { rawSpec } from '../../performance/floors/raw-sandbox.ts'
import { type CommandResult, type Driver, type Program, unsupported } from '../driver.ts'
import { type MemoryGroup, makeMemoryGroup } from './memory-group.ts'
import { imagePath, type Place } from './place.ts'

const run = promisify(execFile)

/** A program that runs OCI bundles. */
export type Runtime = {
  file: string
  flags: readonly string[]
  separates: 'kernel' | 'namespaces'
  /** Whether a frozen container can be saved, only a running one, or none. */
  saves: 'frozen' | 'running' | 'nothing'
}

type Sandbox = {
  /** Bundle, memory image and disk of the sandbox are in it. */
  folder: string
  program: Program
  group: MemoryGroup
  /** The container of the running or frozen sandbox; each start has another one. */
  container: string | null
  /** The folder of the saved memory. */
  image: string | null
}

/**
 * A runtime alone, with what any product on it has to do: a snapshot of the image as disk, a network namespace, a pause
 * that saves and syncs. Files are read and written by programs in the sandbox.
 */
export async function makeOciDriver(
  runtime: Runtime,
  { imageRoot, diskDirectory, installation }: Place,
): Promise<Driver> {
  const { separates, saves } = runtime
  const work = path.join(diskDirectory, `pool/oci-${randomBytes(4).toString('hex')}`)
  await mkdir(work)
  const all = new Map<string, Sandbox>()
  let starts = 0
  const of = (id: string) => {
    const found = all.get(id)
    if (found === undefined) throw new Error(`there is no sandbox ${id}`)
    return found
  }
  const namespaceOf = (id: string) => `b${id}-${installation}`
  const base = [runtime.file, ...runtime.flags, `--root=${work}/state`]
  const call = (...args: string[]) => runQuietly([...base, ...args])
  const runningOf = (id: string): string => {
    const { container } = of(id)
    if (container === null) throw new Error(`sandbox ${id} has no memory`)
    return container
  }

  const prepare = async (id: string, { source, program }: { source: string; program: Program }) => {
    const folder = path.join(work, id)
    await mkdir(path.join(folder, 'bundle'), { recursive: true })
    await run('btrfs', ['subvolume', 'snapshot', source, `${folder}/root`])
    await run('ip', ['netns', 'add', namespaceOf(id)])
    await run('ip', ['-n', namespaceOf(id), 'link', 'set', 'lo', 'up'])
    const group = await makeMemoryGroup(id)
    const spec = rawSpec({ root: `${folder}/root`, namespace: namespaceOf(id), args: [...program], isReadOnly: false })
    const config = {
      ...spec,
      process: { ...spec.process, env: [`PATH=${imagePath}`, 'HOME=/root'] },
      linux: { ...spec.linux, cgroupsPath: group.path },
    }
    await writeFile(`${folder}/bundle/config.json`, JSON.stringify(config))
    all.set(id, { folder, program, group, container: null, image: null })
  }
  /** From the image if there is one. */
  const start = async (id: string) => {
    const sandbox = of(id)
    const container = `b${id}-${process.pid}-${++starts}`
    const how = sandbox.image === null ? ['run'] : ['restore', `--image-path=${sandbox.image}`]
    const line = [...base, ...how, '--detach', `--bundle=${sandbox.folder}/bundle`, container]
    // runc puts containers into the group that their bundle names; runsc doesn’t, without all of the kernel’s groups.
    await runQuietly(separates === 'kernel' ? [...sandbox.group.enter, ...line] : line)
    sandbox.container = container
  }
  const save = async (id: string) => {
    const sandbox = of(id)
    const earlier = sandbox.image
    const image = `${sandbox.folder}/image-${++starts}`
    await call('checkpoint', '--leave-running', `--image-path=${image}`, runningOf(id))
    sandbox.image = image
    if (earlier !== null) await rm(earlier, { recursive: true })
  }
  const drop = async (id: string) => {
    const sandbox = of(id)
    if (sandbox.container !== null) await call('delete', '--force', sandbox.container)
    sandbox.container = null
  }
  const command = async (id: string, line: string, input?: string): Promise<CommandResult> => {
    const args = ['exec', '--cwd=/root', `--env=PATH=${imagePath}`, runningOf(id), '/bin/sh', '-c', line]
    return await outputOf([...base, ...args], input)
  }
  const remove = async (id: string) => {
    await drop(id)
    const { folder, group } = of(id)
    all.delete(id)
    await run('ip', ['netns', 'del', namespaceOf(id)])
    await run('btrfs', ['subvolume', 'delete', `${folder}/root`])
    await rm(folder, { recursive: true })
    await group.remove()
  }
  const newId = () => randomBytes(3).toString('hex')
  const cannotSave = unsupported('the runtime can’t save memory here')

  return {
    capabilities: {
      separates,
      pauses: true,
      savesMemory: saves !== 'nothing',
      startsCold: true,
      forks: saves !== 'nothing',
      wakesOnCommand: false,
    },
    create: async (program = ['sleep', '1000000']) => {
      const id = newId()
      await prepare(id, { source: imageRoot, program })
      await start(id)
      return id
    },
    command: (id, line) => command(id, line),
    writeFile: async (id, { name, content }) => {
      const { exitCode, output } = await command(id, `cat > '${name}'`, content)
      if (exitCode !== 0) throw new Error(output)
    },
    readFile: async (id, name) => {
      const { exitCode, output } = await command(id, `cat '${name}'`)
      if (exitCode !== 0) throw new Error(output)
      return output
    },
    pause: async (id) => {
      if (saves !== 'running') await call('pause', runningOf(id))
      if (saves === 'nothing') return
      await save(id)
      // What can only be saved while it runs must not run on.
      if (saves === 'running') await drop(id)
      await run('btrfs', ['filesystem', 'sync', work])
    },
    dropMemory: async (id, { keepsImage }) => {
      if (keepsImage && saves === 'nothing') return await cannotSave()
      await drop(id)
      if (!keepsImage) of(id).image = null
    },
    resume: async (id) => {
      const { container } = of(id)
      if (container === null) await start(id)
      else await call('resume', container)
    },
    fork: async (id) => {
      if (saves === 'nothing') return await cannotSave()
      const fork = newId()
      if (saves === 'frozen') await call('pause', runningOf(id))
      await save(id)
      await prepare(fork, { source: `${of(id).folder}/root`, program: of(id).program })
      if (saves === 'frozen') await call('resume', runningOf(id))
      const image = `${of(fork).folder}/image-0`
      await run('cp', ['-a', '--reflink=always', of(id).image ?? '', image])
      of(fork).image = image
      await start(fork)
      return fork
    },
    delete: remove,
    describe: async (id) => {
      const { group, container } = of(id)
      return {
        processIds: container === null ? [] : await group.processIds(),
        memoryBytes: await group.memoryBytes(),
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const id of all.keys()) await remove(id)
      // runsc mounts it at its first start: an empty namespace for its file servers.
      if (starts > 0 && separates === 'kernel') await run('umount', [`${work}/state/null-netns`])
      await rm(work, { recursive: true, force: true })
    },
  }
}

/** A container that keeps running keeps its descriptors, so they must not be pipes of this process. */
async function runQuietly(line: string[]): Promise<void> {
  const [file = '', ...args] = line
  const child = spawn(file, args, { stdio: 'ignore' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${line.filter((word) => !word.startsWith('-')).join(' ')} ended with ${code}`)
}

/** Runs a program that ends, and collects what it prints. */
export async function outputOf([file = '', ...args]: string[], input = ''): Promise<CommandResult> {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  // A program that ends early doesn’t read all of it; its exit code says why.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') child.emit('error', error)
  })
  child.stdin.end(input)
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { exitCode: exitCode ?? -1, output: output + errors }
}
