import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { debianPackages, nodeWheel, suite } from '../../images/recipe/packages.ts'
import { filesBelow } from './built-folder.ts'

const repositoryRoot = join(import.meta.dirname, '../..')

type Component = {
  type: 'library' | 'file'
  'bom-ref': string
  name: string
  version?: string
  purl?: string
  hashes?: readonly { alg: string; content: string }[]
  licenses?: readonly { expression: string }[]
}

/**
 * Writes what a release contains as a CycloneDX document: the npm packages of the lockfile that are not for development
 * alone, the packages of the base image’s recipe, and each file with its SHA-256. It is the same for two builds of one
 * source: it has no time, no serial number and no path of the building machine.
 */
export async function writeSbom(options: { directory: string; files: readonly string[] }): Promise<void> {
  const { version } = JSON.parse(await readText('package.json')) as { version: string }
  const found = await Promise.all([npmComponents(), imageComponents(), fileComponents(options.directory)])
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': 'threadbox', name: 'threadbox', version } },
    components: found.flat(),
  }
  const text = `${JSON.stringify(document, null, 1)}\n`
  for (const file of options.files) await writeFile(join(options.directory, file), text)
}

type Locked = { version?: string; integrity?: string; license?: string; dev?: boolean; link?: boolean }

async function npmComponents(): Promise<Component[]> {
  const { packages } = JSON.parse(await readText('package-lock.json')) as { packages: Record<string, Locked> }
  const components = Object.entries(packages).flatMap(([folder, locked]): Component[] => {
    const { version = '', integrity, license, dev = false, link = false } = locked
    if (!folder.includes('node_modules/') || dev || link) return []
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    const sha512 = Buffer.from(integrity?.replace('sha512-', '') ?? '', 'base64').toString('hex')
    const hashes = [{ alg: 'SHA-512', content: sha512 }]
    const licenses = license === undefined ? [] : [{ expression: license }]
    return [{ type: 'library', 'bom-ref': purl, name, version, purl, hashes, licenses }]
  })
  // One version in two folders is one component.
  return [...new Map(components.map((component) => [component.purl, component])).values()]
}

/** Debian’s packages have no version here: a machine installs the suite’s current one when it builds the image. */
async function imageComponents(): Promise<Component[]> {
  const lock = await readText('images/recipe/python.lock')
  const python = [...lock.split('\n'), nodeWheel].flatMap((line) => {
    const [, name, version] = /^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;\\]+)/.exec(line) ?? []
    return name === undefined || version === undefined ? [] : [{ name, version, purl: `pkg:pypi/${name}@${version}` }]
  })
  const debian = Object.values(debianPackages)
    .flat()
    .map((name) => ({ name, purl: `pkg:deb/debian/${name}?distro=${suite}` }))
  return [...python, ...debian].map((found) => ({ type: 'library', 'bom-ref': found.purl, ...found }))
}

async function fileComponents(directory: string): Promise<Component[]> {
  const files = await filesBelow(directory)
  return Promise.all(
    files.map(async (name): Promise<Component> => {
      const content = createHash('sha256')
        .update(await readFile(join(directory, name)))
        .digest('hex')
      return { type: 'file', 'bom-ref': `file:${name}`, name, hashes: [{ alg: 'SHA-256', content }] }
    }),
  )
}

const readText = (file: string) => readFile(join(repositoryRoot, file), 'utf8')
