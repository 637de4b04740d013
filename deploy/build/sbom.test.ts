import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildPrograms } from './build.ts'
import { filesBelow } from './built-folder.ts'
import { writeSbom } from './sbom.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-sbom-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

test('the list of what a release contains names each file with its checksum, and the packages of npm, PyPI and Debian', async () => {
  await mkdir(path.join(directory, 'web/docs'), { recursive: true })
  await writeFile(path.join(directory, 'web/docs/page.html'), 'text')
  await writeFile(path.join(directory, 'main.js'), 'code')
  await writeSbom({ directory, files: ['sbom.json', 'web/docs/sbom.json'] })
  const text = await readFile(path.join(directory, 'sbom.json'), 'utf8')
  expect(await readFile(path.join(directory, 'web/docs/sbom.json'), 'utf8')).toBe(text)
  const { components } = JSON.parse(text) as {
    components: { type: string; name: string; hashes?: object[]; purl?: string }[]
  }
  const files = components.filter(({ type }) => type === 'file')
  expect(files.map(({ name }) => name)).toEqual(['main.js', 'web/docs/page.html'])
  expect(files[0]?.hashes).toEqual([{ alg: 'SHA-256', content: createHash('sha256').update('code').digest('hex') }])
  const purls = components.map(({ purl }) => purl)
  expect(purls).toContain('pkg:deb/debian/chromium-headless-shell?distro=trixie')
  expect(purls.some((purl) => purl?.startsWith('pkg:pypi/numpy@'))).toBe(true)
  expect(purls.some((purl) => purl?.startsWith('pkg:npm/hono@'))).toBe(true)
  expect(purls.some((purl) => purl?.startsWith('pkg:npm/%40biomejs/'))).toBe(false)
})

test('two builds of one source are the same, wherever they are built', async () => {
  const places = [path.join(directory, 'a'), path.join(directory, 'some/other/place')]
  for (const place of places) {
    await mkdir(path.join(place, 'web/docs'), { recursive: true })
    await buildPrograms(place)
    await writeSbom({ directory: place, files: ['sbom.json', 'web/docs/sbom.json'] })
  }
  const contents = await Promise.all(places.map(checksums))
  expect(contents[1]).toEqual(contents[0])
  expect(Object.keys(contents[0] ?? {})).toContain('server/main.js.map')
})

async function checksums(folder: string): Promise<Record<string, string>> {
  const files = await filesBelow(folder)
  const rows = files.map(async (file) => {
    const content = await readFile(path.join(folder, file))
    return [file, createHash('sha256').update(content).digest('hex')] as const
  })
  return Object.fromEntries(await Promise.all(rows))
}
