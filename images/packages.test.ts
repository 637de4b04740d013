import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { buildEnvironment } from './build-environment.ts'
import { packagesPage } from './packages-page.ts'
import { allPythonPackages, nodeWheel } from './recipe/packages.ts'
import { recipeDirectory, recipeHash } from './recipe-hash.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')

const locks = ['python.lock', 'build.lock', 'node.lock']

test('G4: at least eighty Python packages are listed, each once', () => {
  expect(allPythonPackages().length).toBeGreaterThanOrEqual(80)
  expect(new Set(allPythonPackages()).size).toBe(allPythonPackages().length)
})

test('G4: every listed package has a probe, and every probe a listed package', () => {
  const probes = [...read('probes/python-packages.py').matchAll(/^ {4}"([a-z0-9-]+)": /gm)].map(([, name]) => name)
  expect(probes.sort()).toEqual(allPythonPackages().sort())
})

test('G4: every listed package is pinned in the lock', () => {
  expect(packagesPage(read('recipe/python.lock'))).not.toContain('(not locked)')
})

test('G4: the page of packages is the one that the list makes', () => {
  expect(read('../docs/packages.md'), 'run `node images/write-packages-page.ts`').toBe(
    packagesPage(read('recipe/python.lock')),
  )
})

test('the image has another name when a file of the recipe, its name, or the processor changes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'recipe-'))
  folders.push(directory)
  mkdirSync(join(directory, 'overlay'))
  writeFileSync(join(directory, 'overlay/one'), 'a')
  const first = recipeHash({ directory, architecture: 'x64' })
  expect(recipeHash({ directory, architecture: 'x64' })).toBe(first)
  expect(recipeHash({ directory, architecture: 'arm64' })).not.toBe(first)
  writeFileSync(join(directory, 'overlay/one'), 'b')
  expect(recipeHash({ directory, architecture: 'x64' })).not.toBe(first)
  writeFileSync(join(directory, 'overlay/one'), 'a')
  writeFileSync(join(directory, 'two'), '')
  expect(recipeHash({ directory, architecture: 'x64' })).not.toBe(first)
})

test('the build sees proxy and package index of the machine and nothing else of its environment', () => {
  const seen = buildEnvironment(
    {
      HTTPS_PROXY: 'http://proxy:3128',
      PIP_INDEX_URL: 'https://index/simple',
      AWS_SECRET_ACCESS_KEY: 'x',
      HOME: '/root',
    },
    { temporary: '/tmp/t' },
  )
  expect(seen).toMatchObject({ HTTPS_PROXY: 'http://proxy:3128', UV_DEFAULT_INDEX: 'https://index/simple' })
  expect(seen).not.toHaveProperty('AWS_SECRET_ACCESS_KEY')
  expect(seen).not.toHaveProperty('HOME')
})

test('no address of a registry and no path of the building machine is in the recipe', () => {
  const files = ['packages.ts', ...locks, 'customize.sh', 'overlay/etc/environment'].map((name) =>
    readFileSync(join(recipeDirectory, name), 'utf8'),
  )
  expect(files.join('\n')).not.toMatch(/https?:\/\//)
})

test('everything that the image gets from PyPI has a version and a checksum', () => {
  for (const lock of locks) {
    const entries = readFileSync(join(recipeDirectory, lock), 'utf8')
      .split(/\n(?! )/)
      .filter((entry) => entry !== '')
    expect(entries.length).toBeGreaterThan(0)
    for (const entry of entries)
      expect(entry).toMatch(/^[\w.-]+(\[[\w,-]+\])?==\S+( ;[^\n]+)? \\\n +--hash=sha256:[0-9a-f]{64}/)
  }
  expect(readFileSync(join(recipeDirectory, 'node.lock'), 'utf8')).toContain(`${nodeWheel} `)
})
