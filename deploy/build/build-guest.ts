import { execFile } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { defineError } from '@threadbox/errors'
import { guestProtocolVersion } from '@threadbox/protocol/guest'
import { build } from 'esbuild'
import { hashDirectory, moveUnlessPresent } from './built-folder.ts'

const run = promisify(execFile)
const repositoryRoot = join(import.meta.dirname, '../..')
const require = createRequire(import.meta.url)
const requireOfGuest = createRequire(join(repositoryRoot, 'apps/guest/package.json'))

/** The content of a guest directory’s `guest.json`. */
export type GuestManifest = {
  protocolVersion: number
  /** Hash of every file in the directory. */
  guestVersion: string
  /** Arguments of the sandbox's first process, with the directory mounted at `/.guest`. */
  args: string[]
}

export const buildInputMissing = defineError<{ what: string }>({
  code: 'guest-build.input-missing',
  kind: 'unavailable',
  message: ({ what }) => `The guest cannot be built: ${what} is missing on this machine.`,
  remedy: () => 'Install it (Debian and Ubuntu: packages dash, coreutils, libc-bin) and build again.',
})

/**
 * Creates the directory that a sandbox sees as `/.guest`: bundled daemon, Node, and the few native programs that it
 * starts, with the loader and libraries of all of them, so that it runs over any root filesystem, even an empty one.
 * The directory is called `guest-<hash of its content>`; an existing one is not changed. Returns its path.
 */
export async function buildGuest(options: {
  outputDirectory: string
}): Promise<{ directory: string; version: string }> {
  await mkdir(options.outputDirectory, { recursive: true })
  const staging = await mkdtemp(join(options.outputDirectory, '.building-'))
  try {
    await bundlePrograms(staging)
    await copyTerminals(staging)
    await copyPrograms(staging)
    const version = await hashDirectory(staging)
    const manifest: GuestManifest = {
      protocolVersion: guestProtocolVersion,
      guestVersion: version,
      args: [`/.guest/lib/${loaderName()}`, '--library-path', '/.guest/lib', '/.guest/sh', '/.guest/start'],
    }
    await writeFile(join(staging, 'guest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    await chmod(staging, 0o755)
    const directory = join(options.outputDirectory, `guest-${version}`)
    await moveUnlessPresent(staging, directory)
    return { directory, version }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

function loaderName() {
  return process.arch === 'arm64' ? 'ld-linux-aarch64.so.1' : 'ld-linux-x86-64.so.2'
}

async function bundlePrograms(staging: string) {
  const source = join(repositoryRoot, 'apps/guest/src')
  await build({
    entryPoints: {
      guest: join(source, 'main.ts'),
      files: join(source, 'files/main.ts'),
      look: join(source, 'pages/main.ts'),
      'disk-free': join(source, 'space/main.ts'),
    },
    outdir: staging,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    external: ['@lydell/node-pty'],
    // Long names cost 0.3 MB and make a stack trace from a user's sandbox readable.
    keepNames: true,
    logLevel: 'warning',
  })
  for (const file of ['start', 'launch', 'look', 'df', 'session.bash', 'kernel.py', 'verify.py']) {
    await copyFile(join(source, 'native', file), join(staging, file))
  }
  for (const program of ['look', 'df']) await chmod(join(staging, program), 0o755)
  await cp(join(source, 'native/threadbox_rescue'), join(staging, 'threadbox_rescue'), {
    recursive: true,
    filter: (path) => basename(path) !== '__pycache__',
  })
}

async function copyTerminals(staging: string) {
  const modules = join(staging, 'node_modules/@lydell')
  const packages = ['@lydell/node-pty', `@lydell/node-pty-linux-${process.arch}`]
  const terminals = dirname(requireOfGuest.resolve('@lydell/node-pty/package.json'))
  for (const name of packages) {
    const from = join(dirname(dirname(terminals)), name)
    await cp(from, join(modules, basename(name)), { recursive: true, dereference: true })
  }
}

/**
 * `sh` is the first process (it reaps orphans, which Node does not) and sets limits before it becomes a user’s program;
 * `mkfifo` creates the pipes that Node cannot. Both come from the building machine, like the libraries.
 */
async function copyPrograms(staging: string) {
  const node = join(staging, 'node')
  const nodePackage = require.resolve(`node-linux-${process.arch}/package.json`, { paths: [repositoryRoot] })
  await copyFile(join(dirname(nodePackage), 'bin/node'), node)
  await chmod(node, 0o755)
  // Without symbols the binary is 109 MB instead of 126; without `strip` it stays larger.
  await run('strip', ['--strip-unneeded', node]).catch(() => undefined)
  const programs = { sh: await findProgram('dash'), mkfifo: await findProgram('mkfifo') }
  for (const [name, path] of Object.entries(programs)) {
    await copyFile(path, join(staging, name))
    await chmod(join(staging, name), 0o755)
  }
  const addon = join(staging, `node_modules/@lydell/node-pty-linux-${process.arch}/pty.node`)
  const libraries = new Set<string>()
  for (const binary of [node, ...Object.values(programs), addon]) {
    for (const library of await librariesOf(binary)) libraries.add(library)
  }
  await mkdir(join(staging, 'lib'))
  for (const library of libraries) await copyFile(await realpath(library), join(staging, 'lib', basename(library)))
}

async function findProgram(name: string) {
  for (const directory of ['/usr/bin', '/bin']) {
    const path = await realpath(join(directory, name)).catch(() => undefined)
    if (path !== undefined) return path
  }
  throw buildInputMissing({ what: name })
}

/** Shared libraries and loader of a program, as the machine's own loader finds them. */
async function librariesOf(binary: string) {
  const { stdout } = await run('ldd', [binary]).catch((cause) => {
    throw buildInputMissing({ what: `a library of ${basename(binary)} (or the program ldd)` }, { cause })
  })
  if (stdout.includes('not found')) throw buildInputMissing({ what: `a library of ${basename(binary)}` })
  return [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map((match) => match[1] ?? '')
}

if (import.meta.main) {
  const outputDirectory = process.argv[2]
  if (outputDirectory === undefined) {
    process.stderr.write('usage: node deploy/build/build-guest.ts <output directory>\n')
    process.exitCode = 2
  } else {
    const { directory } = await buildGuest({ outputDirectory })
    process.stdout.write(`${directory}\n`)
  }
}
