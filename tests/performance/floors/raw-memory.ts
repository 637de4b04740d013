import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bareContainerPrefix, findTestMachine } from '@threadbox/testkit'
import { timed } from '../figure.ts'
import { rawCgroup, rawSpec } from './raw-sandbox.ts'

const run = promisify(execFile)

/**
 * A bare runsc container whose single process holds this much memory: the cost of saving and waking without a product.
 */
export type RawMemory = AsyncDisposable & {
  /**
   * Milliseconds of `runsc pause` and `runsc checkpoint --leave-running`, and of the sync that makes the image durable;
   * the container is paused afterwards.
   */
  saveMs(): Promise<{ savedMs: number; syncedMs: number }>
  /** Milliseconds of `runsc exec` of a command in the running container. */
  execMs(...command: string[]): Promise<number>
  /** Milliseconds of `runsc resume` of the paused container. */
  resumeMs(): Promise<number>
  /** Milliseconds of `runsc restore` of the last save; the previous container is removed first, untimed. */
  restoreMs(): Promise<number>
  /**
   * Milliseconds of `runsc restore` of the last save as a second container beside the first one, which continues; the
   * second is removed afterwards, untimed. Takes longer than {@link restoreMs}, which gets the memory that the previous
   * container has just freed.
   */
  copyMs(): Promise<number>
}

/** What to hold: memory, and bytes of a file that was deleted while open. */
export type Held = { megabytes: number; deletedMegabytes?: number }

/** A command that holds it until it is ended, and creates `/dev/shm/ready` once it does. Runs in any sandbox. */
export function holdingCommand({ megabytes, deletedMegabytes = 0 }: Held): [string, ...string[]] {
  return ['/usr/bin/python3', '-c', holder, String(megabytes), String(deletedMegabytes)]
}

const holder = [
  'import os, sys, time',
  'held = bytearray(os.urandom(1 << 20)) * int(sys.argv[1])',
  'if int(sys.argv[2]) > 0:',
  '  gone = open("/tmp/gone", "wb+")',
  '  os.unlink("/tmp/gone")',
  '  for _ in range(int(sys.argv[2])): gone.write(os.urandom(1 << 20))',
  '  gone.flush()',
  'open("/dev/shm/ready", "w").close()',
  'while True: time.sleep(0.05)',
].join('\n')

/** Created on the pool, where memory images of the product are. */
export async function makeRawMemory(options: {
  imageRoot: string
  diskDirectory: string
  installation: string
  held: Held
  /** Where there are several at the same time. */
  name?: string
}): Promise<RawMemory> {
  const { runscPath } = await findTestMachine()
  const work = await mkdtemp(path.join(options.diskDirectory, `pool/${bareContainerPrefix}`))
  const { name = 'rawm' } = options
  const namespace = `${name}-${options.installation}`
  await run('ip', ['netns', 'add', namespace])
  await run('ip', ['-n', namespace, 'link', 'set', 'lo', 'up'])
  const bundle = path.join(work, 'bundle')
  await mkdir(bundle)
  const root = path.join(work, 'root')
  await run('btrfs', ['subvolume', 'snapshot', options.imageRoot, root])
  const args = holdingCommand(options.held)
  /** Its cgroup is its own: that of the container before it may not be gone yet. */
  const writeSpec = async (containerId: string) => {
    const spec = rawSpec({ root, namespace, args, isReadOnly: false, cgroupsPath: rawCgroup(containerId) })
    await writeFile(path.join(bundle, 'config.json'), JSON.stringify(spec))
  }
  const flags = [
    `--root=${path.join(work, 'state')}`,
    '--network=sandbox',
    '--overlay2=none',
    '--platform=systrap',
    '--allow-connected-on-save',
  ]
  const runsc = (...args: string[]) => runQuietly(runscPath, [...flags, ...args])
  let count = 0
  const nameOf = (index: number) => `${name}-${process.pid}-${String(index).padStart(4, '0')}`
  const imageOf = (index: number) => path.join(work, `image-${index}`)
  const restoreAs = async (containerId: string) => {
    await writeSpec(containerId)
    return await timed(() =>
      runsc('restore', '--detach', `--bundle=${bundle}`, `--image-path=${imageOf(count)}`, containerId),
    )
  }
  let current = nameOf(count)
  await writeSpec(current)
  await runsc('run', '--detach', `--bundle=${bundle}`, current)
  while (
    await runsc('exec', current, '/bin/ls', '/dev/shm/ready').then(
      () => false,
      () => true,
    )
  )
    await delay(100)
  return {
    saveMs: async () => {
      await rm(imageOf(count), { recursive: true, force: true })
      count += 1
      const savedMs = await timed(async () => {
        await runsc('pause', current)
        await runsc('checkpoint', '--leave-running', `--image-path=${imageOf(count)}`, current)
      })
      return { savedMs, syncedMs: savedMs + (await timed(() => run('btrfs', ['filesystem', 'sync', work]))) }
    },
    execMs: (...command) => timed(() => runsc('exec', current, ...command)),
    resumeMs: () => timed(() => runsc('resume', current)),
    restoreMs: async () => {
      await runsc('delete', '--force', current)
      current = nameOf(count)
      return await restoreAs(current)
    },
    copyMs: async () => {
      const copy = `${current}-copy`
      await runsc('resume', current)
      const copiedMs = await restoreAs(copy)
      await runsc('delete', '--force', copy)
      return copiedMs
    },
    [Symbol.asyncDispose]: async () => {
      await runsc('delete', '--force', current)
      await run('ip', ['netns', 'del', namespace])
      await run('umount', [path.join(work, 'state/null-netns')]).catch(() => undefined)
      await run('btrfs', ['subvolume', 'delete', root])
      await rm(work, { recursive: true, force: true })
    },
  }
}

/** A container that keeps running keeps its descriptors, so they must not be pipes of this process. */
async function runQuietly(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`runsc ${args.find((arg) => !arg.startsWith('-'))} ended with ${code}`)
}
