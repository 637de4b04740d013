import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const repository = join(import.meta.dirname, '../..')
let folder: string
let version: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'launcher-'))
  version = launcher('printf "%s" "$runsc_version"').stdout
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs a script of the launcher with `folder` for the installation and the cache. */
function launcher(script: string) {
  const sources = ['settings', 'tools'].map((part) => `source "${repository}/deploy/launcher/${part}.sh"`).join('\n')
  const text = `set -euo pipefail\nrepository='${repository}'\n${sources}\ndata_dir='${folder}'\n${script}`
  const env = { ...process.env, THREADBOX_CACHE: join(folder, 'cache') }
  const { stdout, stderr, status } = spawnSync('bash', ['-c', text], { encoding: 'utf8', env })
  return { stdout, stderr, status }
}

const installed = () => join(folder, 'runsc', version)
const cached = () => join(folder, 'cache/runsc', version)
const program = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\necho ${text}\n`, { mode: 0o755 })
}
const install = () => launcher('install_runsc')

test('a release is installed with all its helpers', () => {
  program(join(cached(), 'runsc'), 'runsc')
  for (const name of ['gvisor_sentry', 'gvisor-sentry-prewarmer', 'checkpointgofer'])
    program(join(cached(), 'gvisor-bin', name), `its ${name}`)
  expect(install()).toMatchObject({ status: 0, stdout: 'runsc\n' })
  expect(readdirSync(join(installed(), 'gvisor-bin')).sort()).toEqual([
    'checkpointgofer',
    'gvisor-sentry-prewarmer',
    'gvisor_sentry',
  ])
  expect(readFileSync(join(installed(), 'gvisor-bin/gvisor_sentry'), 'utf8')).toContain('its gvisor_sentry')
})

test('one that was built from source gets those that we can supply', () => {
  program(join(cached(), 'runsc'), 'runsc')
  expect(install().status).toBe(0)
  expect(readdirSync(join(installed(), 'gvisor-bin')).sort()).toEqual(['gvisor-sentry-prewarmer', 'gvisor_sentry'])
  expect(statSync(join(installed(), 'gvisor-bin/gvisor_sentry')).ino).toBe(statSync(join(installed(), 'runsc')).ino)
})

test('an installation without helpers, or with a part of them, gets them, and its runsc stays', () => {
  program(join(cached(), 'runsc'), 'other')
  program(join(installed(), 'runsc'), 'runsc')
  program(join(installed(), 'gvisor-bin/gvisor-sentry-prewarmer'), 'left')
  expect(install()).toMatchObject({ status: 0, stdout: 'runsc\n' })
  expect(readdirSync(join(installed(), 'gvisor-bin')).sort()).toEqual(['gvisor-sentry-prewarmer', 'gvisor_sentry'])
})

test('our prewarmer runs a program under its name, with its arguments and a larger table of descriptors', () => {
  const prewarmer = join(repository, 'deploy/launcher/gvisor-sentry-prewarmer')
  const run = (...args: string[]) => spawnSync(prewarmer, args, { encoding: 'utf8', env: {} })
  expect(run('/bin/sh', 'the-name', '-c', 'echo "$0 $1"', 'a b', '--c=d').stdout).toBe('a b --c=d\n')
  expect(run('/bin/cat', 'the-name', '/proc/self/cmdline').stdout).toBe('the-name\0/proc/self/cmdline\0')
  expect(run('/bin/cat', 'cat', '/proc/self/status').stdout).toMatch(/FDSize:\s+256\n/)
  expect(run('/none', 'none')).toMatchObject({ status: 2, stderr: '/none: No such file or directory\n' })
})
