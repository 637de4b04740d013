import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { findTestMachine } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DriverSubject, setUpDriver } from './gvisor-driver/driver-subject.ts'

const run = promisify(execFile)
const repository = path.join(import.meta.dirname, '../..')

let subject: DriverSubject
let programs: string

beforeAll(async () => {
  subject = await setUpDriver()
  programs = await mkdtemp('/run/threadbox-runsc-test-')
})
afterAll(async () => {
  await subject.close()
  await rm(programs, { recursive: true, force: true })
})

/** The machine’s runsc with the helpers that the launcher installs, as a program that also writes all of runsc’s logs. */
async function installLogging(logs: string): Promise<string> {
  const { runscPath } = await findTestMachine()
  const real = path.join(programs, 'real')
  await mkdir(real)
  await copyFile(runscPath, path.join(real, 'runsc'))
  const wrapper = path.join(programs, 'runsc')
  await writeFile(wrapper, `#!/bin/sh\nexec ${real}/runsc --debug-log=${logs}/ "$@"\n`, { mode: 0o755 })
  const script = `repository='${repository}'; source "$repository/deploy/launcher/tools.sh"; install_helpers "$1" "$2"`
  await run('bash', ['-ceu', script, 'sh', real, path.join(path.dirname(runscPath), 'gvisor-bin')])
  // The driver looks beside the program that it starts.
  await rename(path.join(real, 'gvisor-bin'), path.join(programs, 'gvisor-bin'))
  return wrapper
}

/** What runsc and the processes that it started warn of, each once. */
async function warnings(logs: string): Promise<string[]> {
  const texts = await Promise.all((await readdir(logs)).map((name) => readFile(path.join(logs, name), 'utf8')))
  const found = texts.flatMap((text) => text.split('\n').flatMap((line) => /^W\d.*?\] (.*)/.exec(line)?.[1] ?? []))
  return [...new Set(found)]
}

/** What cgroup v1 has to live with: see docs/performance.md. */
const known = [/cgroup v2 required to use CLONE_INTO_CGROUP/]
/** What a runsc has to live with that an earlier release of threadbox has built (decision 0114). */
const knownOfEarlierBuilds = /^No precompiled program found/

/** Whether the machine’s runsc was built with seccomp filters: it has the name of the one for sandboxes. */
async function hasFilters(): Promise<boolean> {
  const { runscPath } = await findTestMachine()
  return (await readFile(runscPath)).includes('Platform="systrap" HostNetwork=false')
}

test('runsc warns of nothing that slows a start or a restore, except what can’t be changed', async () => {
  const logs = path.join(programs, 'logs')
  await mkdir(logs)
  const driver = await subject.open(await installLogging(logs))
  const [first, second] = ['b33333333333333333331', 'b33333333333333333332']
  await driver.start(await subject.request(first))
  await driver.freeze(first)
  const directory = path.join(subject.directory, 'image')
  await driver.saveMemory({ bootId: first, directory })
  await driver.stop(first)
  await driver.startFromMemory({ ...(await subject.request(second)), directory })
  expect(await subject.memoryOf({ bootId: second, madeBy: first })).toBeTypeOf('string')
  const found = await warnings(logs)
  expect(found.join('\n')).toContain('recommended')
  const slow = found.filter((text) => /slow|sidecar|embedded/i.test(text))
  const allowed = (await hasFilters()) ? known : [...known, knownOfEarlierBuilds]
  expect(slow.filter((text) => !allowed.some((pattern) => pattern.test(text)))).toEqual([])
  await driver.stop(second)
})
