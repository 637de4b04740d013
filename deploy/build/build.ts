import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { buildSite, describeBuild } from '../../docs-site/tools/build-site.ts'
import { hashDirectory, moveUnlessPresent } from './built-folder.ts'
import { writeSbom } from './sbom.ts'
import { writeSupportWords } from './support-words.ts'

const repositoryRoot = join(import.meta.dirname, '../..')
const require = createRequire(import.meta.url)

/** The bundled programs, by their folder in a release. */
const programs = {
  server: 'apps/server/src/main.ts',
  audit: 'apps/server/src/people/audit/read-audit/main.ts',
  'reset-link': 'apps/server/src/people/invites/reset-link/main.ts',
  schema: 'apps/server/src/schema/main.ts',
  backup: 'apps/server/src/backup-program/main.ts',
  support: 'apps/server/src/support-program/main.ts',
  'diagram-drawer': 'apps/server/src/workflows/export/draw-diagram/main.ts',
  host: 'apps/host/src/main.ts',
  gateway: 'apps/gateway/src/main.ts',
  names: 'apps/names/src/main.ts',
  egress: 'apps/egress/src/main.ts',
  cli: 'apps/cli/src/main.ts',
  supervisor: 'apps/cli/src/supervisor/main.ts',
  uninstall: 'apps/host/src/uninstall/main.ts',
  'disk-cleaner': 'apps/host/src/copies/environments/clean-disk/main.ts',
  'disk-packer': 'apps/host/src/copies/environments/pack-disk/main.ts',
  'disk-unpacker': 'apps/host/src/copies/environments/unpack-disk/main.ts',
  'memory-searcher': 'apps/host/src/copies/environments/search-memory/main.ts',
  'socket-opener': 'packages/sandbox-network/src/open-sockets/main.ts',
  'disk-reader': 'apps/host/src/copies/sleeping/read-disk/main.ts',
} as const

/** Modules with native code: copied as they are, not bundled. */
const nativeModules = ['better-sqlite3'] as const

export type ReleaseManifest = { release: string; version: string; architecture: string; guest: string }

/**
 * Builds a release: a folder that runs with nothing but its content (including its own Node), named after the hash of
 * its content. An existing one is not changed, so the same source never makes two. Returns its path.
 */
export async function buildRelease(options: { outputDirectory: string }): Promise<string> {
  await mkdir(options.outputDirectory, { recursive: true })
  const staging = await mkdtemp(join(options.outputDirectory, '.building-'))
  const parts = [
    makeGuest(join(staging, 'guest')),
    buildPrograms(staging),
    buildPages(staging),
    copyNode(join(staging, 'node/bin')),
    writeSupportWords({ root: repositoryRoot, file: join(staging, 'support/words.json') }),
    cp(join(repositoryRoot, 'images'), join(staging, 'images'), { recursive: true }),
  ] as const
  try {
    const [guest] = await Promise.all(parts)
    await writeSbom({ directory: staging, files: ['sbom.json', 'web/docs/sbom.json'] })
    const release = await hashDirectory(staging)
    const manifest: ReleaseManifest = { release, version: await version(), architecture: process.arch, guest }
    await writeFile(join(staging, 'release.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    await chmod(staging, 0o755)
    const target = join(options.outputDirectory, release)
    await moveUnlessPresent(staging, target)
    return target
  } finally {
    // A part that still writes would make the removal fail, and that failure would hide the first one.
    await Promise.allSettled(parts)
    await rm(staging, { recursive: true, force: true })
  }
}

/** The programs of a release without their runtime (Node, guest, web app, images). */
export async function buildPrograms(directory: string): Promise<void> {
  await Promise.all([
    ...Object.entries(programs).map(([name, entry]) => bundle({ entry, outfile: join(directory, name, 'main.js') })),
    ...nativeModules.map((name) => copyModule(name, join(directory, 'node_modules', name))),
  ])
  const description = { name: 'threadbox', version: await version(), type: 'module' }
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(description, null, 2)}\n`)
}

/** Returns the guest's folder relative to the release. */
async function makeGuest(outputDirectory: string): Promise<string> {
  const { buildGuest } = await import('./build-guest.ts')
  const { directory } = await buildGuest({ outputDirectory })
  return relative(dirname(outputDirectory), directory)
}

async function bundle(options: { entry: string; outfile: string }): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: repositoryRoot,
    entryPoints: [options.entry],
    outfile: options.outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    sourcemap: 'linked',
    // Paths of the building machine would differ between two builds of one source.
    sourcesContent: false,
    external: [...nativeModules, 'pg-native'],
    keepNames: true,
    logLevel: 'warning',
    write: false,
    // CommonJS dependencies inside a module bundle still call require().
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
  await mkdir(dirname(options.outfile), { recursive: true })
  for (const { path, text } of outputFiles) {
    await writeFile(path, path.endsWith('.map') ? withRepositoryPaths(path, text) : text)
  }
}

/** A source map names its sources relative to itself, and so contains the folders of the building machine. */
function withRepositoryPaths(path: string, text: string): string {
  const map = JSON.parse(text) as { sources: string[] }
  const sources = map.sources.map((source) => relative(repositoryRoot, resolve(dirname(path), source)))
  return JSON.stringify({ ...map, sources })
}

async function buildWeb(outputDirectory: string): Promise<void> {
  const vite = await import('vite')
  const root = join(repositoryRoot, 'apps/web')
  await vite.build({ root, logLevel: 'warn', build: { outDir: outputDirectory, emptyOutDir: true } })
}

/**
 * The app and, in a folder of it, the documentation: one after the other, because each needs most of a gigabyte of
 * memory. The documentation’s line goes to the log; standard output is the path of the release.
 */
async function buildPages(directory: string): Promise<void> {
  const docs = join(directory, 'docs')
  process.stderr.write(`${describeBuild(await buildSite(docs))}\n`)
  await buildWeb(join(directory, 'web'))
  await rename(docs, join(directory, 'web/docs'))
}

async function copyNode(binDirectory: string): Promise<void> {
  const nodePackage = dirname(require.resolve(`node-linux-${process.arch}/package.json`))
  await mkdir(binDirectory, { recursive: true })
  await cp(join(nodePackage, 'bin/node'), join(binDirectory, 'node'))
  await chmod(join(binDirectory, 'node'), 0o755)
}

/** Sources and headers, which a running program does not read, are left out. */
async function copyModule(name: string, target: string): Promise<void> {
  const source = dirname(require.resolve(`${name}/package.json`, { paths: [join(repositoryRoot, 'apps/server')] }))
  const isNeeded = (path: string) => !/^(deps|src|binding\.gyp)(\/|$)/.test(relative(source, path))
  await cp(source, target, { recursive: true, dereference: true, filter: isNeeded })
}

async function version(): Promise<string> {
  const description: unknown = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'))
  return String((description as { version?: unknown }).version)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: join(repositoryRoot, 'dist') } } })
  process.stdout.write(`${await buildRelease({ outputDirectory: values.out })}\n`)
}
