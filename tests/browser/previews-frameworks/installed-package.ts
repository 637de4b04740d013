import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const repository = path.join(import.meta.dirname, '../../..')
const modules = 'node_modules/'
const run = promisify(execFile)

/**
 * An archive, to be unpacked in a project, of one package as installed in this repository, with all its dependencies.
 * It does not depend on the registry’s current versions or availability.
 */
export async function archiveOfInstalled(name: string): Promise<Buffer<ArrayBuffer>> {
  const places = new Set<string>()
  const waiting = [path.join(modules, name)]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (places.has(place)) continue
    places.add(place)
    const { dependencies, optionalDependencies } = JSON.parse(
      await readFile(path.join(repository, place, 'package.json'), 'utf8'),
    ) as { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = await placeOf({ from: place, name: needed })
      if (found !== undefined) waiting.push(found)
    }
  }
  // The content of a package’s own folder is included with it.
  const outermost = [...places].filter((place) => place.lastIndexOf(modules) === 0)
  const encoding = { encoding: 'buffer', maxBuffer: 256 * 1024 * 1024 } as const
  const { stdout } = await run('tar', ['--create', '--gzip', '--directory', repository, ...outermost], encoding)
  return Buffer.from(stdout)
}

/**
 * Where a package finds another one: in its own folder, or in a parent folder. Undefined for one of another platform.
 */
async function placeOf(options: { from: string; name: string }): Promise<string | undefined> {
  for (let folder = options.from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${modules}`)))) {
    const place = path.join(folder, modules, options.name)
    const found = await stat(path.join(repository, place)).catch(() => undefined)
    if (found !== undefined) return place
    if (folder === '') return undefined
  }
}
