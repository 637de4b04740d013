import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findTestMachine } from '@threadbox/testkit'

const run = promisify(execFile)
let count = 0

/** What the floor of a sandbox start needs: a namespace, a bundle over the pool’s image, a state directory. */
export type RawSandbox = AsyncDisposable & {
  /** Milliseconds from starting `runsc run` to the first byte that `/bin/echo` prints. */
  firstByteMs(): Promise<number>
}

/**
 * The least that any product on gVisor does for a first command: `runsc run` of `/bin/echo` over the same image on the
 * same btrfs, in an existing network namespace.
 */
export async function makeRawSandbox(options: { diskDirectory: string; installation: string }): Promise<RawSandbox> {
  const { runscPath } = await findTestMachine()
  const work = await mkdtemp(path.join(tmpdir(), 'raw-sandbox-'))
  const namespace = `raw-${options.installation}`
  await run('ip', ['netns', 'add', namespace])
  await run('ip', ['-n', namespace, 'link', 'set', 'lo', 'up'])
  const images = path.join(options.diskDirectory, 'pool/images')
  const image = (await readdir(images))[0]
  if (image === undefined) throw new Error(`no image below ${images}`)
  const bundle = path.join(work, 'bundle')
  await mkdir(bundle)
  await writeFile(
    path.join(bundle, 'config.json'),
    JSON.stringify(
      rawSpec({
        root: path.join(images, image, 'root'),
        namespace,
        args: ['/bin/echo', 'ready'],
        cgroupsPath: rawCgroup(namespace),
      }),
    ),
  )
  return {
    firstByteMs: async () => {
      count += 1
      const id = `raw-${process.pid}-${String(count).padStart(4, '0')}`
      const flags = [`--root=${path.join(work, 'state')}`, '--network=sandbox', '--overlay2=none', '--platform=systrap']
      const start = performance.now()
      const child = spawn(runscPath, [...flags, 'run', `--bundle=${bundle}`, id], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const firstByte = await new Promise<number>((resolve, reject) => {
        child.stdout.once('data', () => resolve(performance.now()))
        child.once('error', reject)
        child.once('exit', (code) => reject(new Error(`runsc run ended with ${code} and printed nothing`)))
      })
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
      return firstByte - start
    },
    [Symbol.asyncDispose]: async () => {
      await run('ip', ['netns', 'del', namespace])
      // runsc leaves a mount in its state directory, an empty namespace for its file servers.
      // runsc mounts it only at its first run.
      if (count > 0) await run('umount', [path.join(work, 'state/null-netns')])
      await rm(work, { recursive: true, force: true })
    },
  }
}

/** The cgroup of a bare container, which runsc makes and removes. */
export function rawCgroup(name: string): string {
  return `/threadbox-floor-${name}`
}

/** The smallest OCI spec that makes a fair comparison. */
export function rawSpec(options: {
  root: string
  namespace: string
  args: string[]
  isReadOnly?: boolean
  /** Where runsc makes the sandbox’s cgroup. */
  cgroupsPath?: string
}) {
  return {
    ociVersion: '1.0.0',
    hostname: 'raw',
    root: { path: options.root, readonly: options.isReadOnly ?? true },
    process: { user: { uid: 0, gid: 0 }, cwd: '/', args: options.args, env: ['PATH=/usr/bin:/bin'] },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs' },
      { destination: '/sys', type: 'sysfs', source: 'sysfs' },
    ],
    linux: {
      namespaces: [
        ...['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
        { type: 'network', path: `/var/run/netns/${options.namespace}` },
      ],
      ...(options.cgroupsPath === undefined ? {} : { cgroupsPath: options.cgroupsPath }),
    },
  }
}
