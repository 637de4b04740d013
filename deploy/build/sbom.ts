import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { debianPackages, nodeWheel, suite } from '../../images/recipe/packages.ts'

const run = promisify(execFile)
const repositoryRoot = join(import.meta.dirname, '../..')

type Component = { type: string; name: string; version?: string; purl?: string; 'bom-ref'?: string; hashes?: Hash[] }
type Hash = { alg: string; content: string }
type Bom = {
  serialNumber?: string
  metadata: { timestamp?: string; component: Component; [name: string]: unknown }
  components: Component[]
  [name: string]: unknown
}

/**
 * Writes what a release contains as a CycloneDX document: the npm packages of the lockfile, the packages of the base
 * image’s recipe, and each file with its SHA-256. It is the same for two builds of one source: it has no time, no
 * serial number and no path of the building machine.
 */
export async function writeSbom(options: { directory: string; files: readonly string[] }): Promise<void> {
  const bom = await npmBom()
  const { timestamp: _, ...metadata } = bom.metadata
  const { serialNumber: __, ...others } = bom
  const component = { ...metadata.component, name: 'threadbox', type: 'application' }
  const found = await Promise.all([imageComponents(), fileComponents(options.directory)])
  const document = { ...others, metadata: { ...metadata, component }, components: [...bom.components, ...found.flat()] }
  const text = `${JSON.stringify(document, null, 1)}\n`
  for (const file of options.files) await writeFile(join(options.directory, file), text)
}

/** npm’s own list of what the lockfile installs for production. */
async function npmBom(): Promise<Bom> {
  const format = ['--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev']
  const { stdout } = await run('npm', ['sbom', ...format], { cwd: repositoryRoot, maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout) as Bom
}

/** Debian’s packages have no version here: a machine installs the suite’s current one when it builds the image. */
async function imageComponents(): Promise<Component[]> {
  const lock = await readFile(join(repositoryRoot, 'images/recipe/python.lock'), 'utf8')
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
    files.map(async (name) => {
      const content = createHash('sha256')
        .update(await readFile(join(directory, name)))
        .digest('hex')
      return { type: 'file', 'bom-ref': `file:${name}`, name, hashes: [{ alg: 'SHA-256', content }] }
    }),
  )
}

/** Paths of all files below a directory, in one order on every machine. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1)).sort()
}
