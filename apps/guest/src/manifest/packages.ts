import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Manifest } from '@threadbox/protocol/guest'

export type PackageSurroundings = { searchPath: string; home: string; aptLogStart: number }

/**
 * Reads installed packages from their directories; starts no package manager. `searchPath` is the PATH of the user's
 * programs, `home` the user's directory. Of apt, lists only packages that were requested since the first boot of this
 * disk, when dpkg's log was `aptLogStart` bytes long: the image's packages are not the user's. Reads a directory or
 * file again only if it has changed.
 */
export function makePackageReader(): (surroundings: PackageSurroundings) => Manifest['packages'] {
  const known = new Map<string, { changedAtMs: number; packages: Record<string, string> }>()
  const unlessSame = (path: string, read: (path: string) => Record<string, string>) => {
    const changedAtMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (changedAtMs === undefined) return {}
    const earlier = known.get(path)
    if (earlier?.changedAtMs === changedAtMs) return earlier.packages
    const packages = read(path)
    known.set(path, { changedAtMs, packages })
    return packages
  }
  return (surroundings) => ({
    python: Object.assign({}, ...pythonDirectories(surroundings).map((path) => unlessSame(path, readDistributions))),
    apt: unlessSame(join(dpkgDirectory, 'status'), () => readApt(surroundings.aptLogStart)),
    npm: Object.assign({}, ...npmDirectories(surroundings).map((path) => unlessSame(path, readModules))),
  })
}

/** The environment of each `python3` on the path, the user's own, and Debian's directory for other packages. */
function pythonDirectories({ searchPath, home }: { searchPath: string; home: string }): string[] {
  const prefixes = searchPath.split(':').map((directory) => dirname(directory))
  const roots = [...prefixes, join(home, '.local')].map((prefix) => join(prefix, 'lib'))
  const directories = [...new Set(roots)].flatMap((root) =>
    namesIn(root)
      .filter((name) => /^python3(\.\d+)?$/.test(name))
      .flatMap((name) => [join(root, name, 'dist-packages'), join(root, name, 'site-packages')]),
  )
  // The first entry on the path wins.
  return directories.reverse()
}

function readDistributions(directory: string): Record<string, string> {
  return Object.fromEntries(
    namesIn(directory).flatMap((name) => {
      const match = /^(.+)-([^-]+)\.dist-info$/.exec(name)
      return match === null ? [] : [[(match[1] ?? '').replace(/[-_.]+/g, '-').toLowerCase(), match[2] ?? '']]
    }),
  )
}

function npmDirectories({ searchPath, home }: { searchPath: string; home: string }): string[] {
  const beside = searchPath.split(':').flatMap((directory) => {
    try {
      return [join(dirname(dirname(realpathSync(join(directory, 'node')))), 'lib/node_modules')]
    } catch {
      return []
    }
  })
  return [...new Set([...beside, '/usr/local/lib/node_modules', join(home, '.npm-global/lib/node_modules')])].reverse()
}

/** npm itself comes with Node. */
const npmOwn = new Set(['npm', 'corepack'])

function readModules(directory: string): Record<string, string> {
  const names = namesIn(directory).flatMap((name) =>
    name.startsWith('@') ? namesIn(join(directory, name)).map((inner) => `${name}/${inner}`) : [name],
  )
  return Object.fromEntries(
    names
      .filter((name) => !name.startsWith('.') && !npmOwn.has(name))
      .flatMap((name) => {
        try {
          const found: { version?: unknown } = JSON.parse(readFileSync(join(directory, name, 'package.json'), 'utf8'))
          return typeof found.version === 'string' ? [[name, found.version]] : []
        } catch {
          return []
        }
      }),
  )
}

const dpkgDirectory = '/var/lib/dpkg'
export const dpkgLog = '/var/log/dpkg.log'

function readApt(logStart: number): Record<string, string> {
  const changed = changedPackages(logStart)
  if (changed.size === 0) return {}
  const automatic = new Set(
    paragraphs(readText('/var/lib/apt/extended_states'))
      .filter((fields) => fields['Auto-Installed'] === '1')
      .map((fields) => fields.Package),
  )
  const asked = paragraphs(readText(join(dpkgDirectory, 'status'))).filter(
    ({ Package: name = '', Status: status }) =>
      status?.endsWith(' installed') && changed.has(name) && !automatic.has(name),
  )
  return Object.fromEntries(asked.map((fields) => [fields.Package ?? '', fields.Version ?? '']))
}

/** Names of the packages that dpkg has installed since its log had the given length. */
function changedPackages(logStart: number): Set<string> {
  const log = readText(dpkgLog)
  const recent = log.length < logStart ? log : log.slice(logStart)
  return new Set([...recent.matchAll(/^\S+ \S+ (?:install|upgrade) ([^:\s]+)/gm)].map((match) => match[1] ?? ''))
}

/** Only the fields in use, because the rest of the file is large. */
function paragraphs(text: string): Record<string, string>[] {
  return text.split('\n\n').map((paragraph) => {
    const fields: Record<string, string> = {}
    for (const match of paragraph.matchAll(/^(Package|Status|Version|Architecture|Auto-Installed): (.*)$/gm)) {
      fields[match[1] ?? ''] = match[2] ?? ''
    }
    return fields
  })
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
