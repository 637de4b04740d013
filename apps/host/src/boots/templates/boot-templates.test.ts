import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeDirectoryDiskStore } from '@threadbox/disk-store'
import { roomySpace } from '@threadbox/disk-store/testing'
import { defaultSandboxLimits } from '@threadbox/domain'
import type { BootRequest } from '@threadbox/sandbox-driver'
import { makeInMemoryDriver } from '@threadbox/sandbox-driver/testing'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startHostUnderTest } from '../../host.test-utils.ts'
import { makeBootTemplates, templatesPlace } from './boot-templates.ts'

const logger = makeLogger({ process: 'test', level: 'silent' })
const limits = defaultSandboxLimits
const requestOf = (bootId: string, guestDirectory = '/guests/1'): BootRequest => ({
  bootId,
  sandboxId: 's1',
  hostname: 'box',
  rootPath: '/nowhere',
  networkNamespacePath: '/nowhere',
  mounts: { guestDirectory, certificateBundle: '/', resolvConf: '/', hostsFile: '/', skillsDirectory: '/' },
  limits,
})

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-templates-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function templatesOver(options: { guestDirectory?: string; isEnabled?: boolean; version?: string } = {}) {
  const disks = makeDirectoryDiskStore({ directory: path.join(directory, 'disks'), readSpace: roomySpace })
  await disks.prepare()
  const driver = makeInMemoryDriver({ version: options.version ?? '1' })
  const guestDirectory = options.guestDirectory ?? '/guests/1'
  const templates = makeBootTemplates({ isEnabled: options.isEnabled ?? true, driver, disks, guestDirectory, logger })
  const boot = async (save: (driverBootId: string) => Promise<void>) => {
    await driver.start(requestOf('template'))
    await save('template')
    await driver.stop('template')
    await driver.forget('template')
  }
  return { disks, driver, templates, make: (wanted = limits) => templates.make({ limits: wanted, boot }) }
}

test('without a template a boot starts fresh; with one it continues from it, as often as requested', async () => {
  const { driver, templates, make } = await templatesOver()
  expect(await templates.begin(requestOf('b1'))).toBe('booted')
  await make()
  await make()
  for (const bootId of ['b2', 'b3']) {
    expect(await templates.begin(requestOf(bootId))).toBe('cloned')
    expect(driver.memoryOf(bootId)).toBe('memory of template')
  }
  expect(driver.memoryOf('b1')).toBe('memory of b1')
})

test('a boot with other memory, other processors or another guest starts fresh', async () => {
  const { templates, make } = await templatesOver()
  await make()
  const others = [
    { ...requestOf('b1'), limits: { ...limits, memoryBytes: 1 } },
    { ...requestOf('b2'), limits: { ...limits, cpus: 0.5 } },
    requestOf('b3', '/guests/0'),
  ]
  for (const request of others) expect(await templates.begin(request)).toBe('booted')
  expect(await templates.begin({ ...requestOf('b4'), limits: { ...limits, processes: 1 } })).toBe('cloned')
})

test('an unusable template is removed, and the boot starts fresh', async () => {
  const { disks, templates, make } = await templatesOver()
  await make()
  const [place] = await disks.listMemoryPlaces()
  await writeFile(path.join(place?.path ?? '', 'image', 'memory.json'), 'nonsense')
  expect(await templates.begin(requestOf('b1'))).toBe('booted')
  expect(await disks.listMemoryPlaces()).toEqual([])
  await make()
  expect(await templates.begin(requestOf('b2'))).toBe('cloned')
})

test('making a template that fails leaves none in use, and the next start removes what is left', async () => {
  const first = await templatesOver()
  first.driver.failSaving('the pool is full')
  await expect(first.make()).rejects.toMatchObject({ code: 'driver.memory-not-saved' })
  expect(await first.templates.begin(requestOf('b1'))).toBe('booted')
  const second = await templatesOver()
  await second.templates.reclaim()
  expect(await second.disks.listMemoryPlaces()).toEqual([])
})

test('templates outlive the daemon, but not a change of guest or driver, nor their setting', async () => {
  await (await templatesOver()).make()
  const again = await templatesOver()
  await again.templates.reclaim()
  expect(await again.templates.begin(requestOf('b1'))).toBe('cloned')
  for (const change of [{ guestDirectory: '/guests/2' }, { version: '2' }, { isEnabled: false }]) {
    await again.make()
    const other = await templatesOver(change)
    await other.templates.reclaim()
    expect(await other.disks.listMemoryPlaces()).toEqual([])
    await again.templates.discard(limits)
  }
})

test('at most three are kept', async () => {
  const { disks, templates, make } = await templatesOver()
  const wanted = [1, 2, 3, 4].map((cpus) => ({ ...limits, cpus }))
  for (const one of wanted) await make(one)
  expect(await disks.listMemoryPlaces()).toHaveLength(3)
  const origins = []
  for (const one of wanted) origins.push(await templates.begin({ ...requestOf(`b${one.cpus}`), limits: one }))
  expect(origins).toEqual(['booted', 'cloned', 'cloned', 'cloned'])
})

test('C6: a sandbox from a template gets the handshake of a clone; one that ends immediately is booted fresh instead', async () => {
  await using host = await startHostUnderTest({ bootTemplates: true })
  const guestDirectory = path.join(host.directory, 'guest-1')
  const { driver, disks } = host
  const templates = makeBootTemplates({ isEnabled: true, driver, disks, guestDirectory, logger })
  const boot = async (save: (driverBootId: string) => Promise<void>) => {
    await driver.start(requestOf('template'))
    await save('template')
    await driver.stop('template')
    await driver.forget('template')
  }
  await templates.make({ limits, boot })
  await host.killAndRestart()
  const first = await host.startSandbox()
  expect(host.handshakes.at(-1)).toMatchObject({ bootId: first.bootId, origin: 'cloned' })
  expect(driver.memoryOf(first.bootId)).toBe('memory of template')
  const { startFromMemory } = driver
  driver.startFromMemory = async (request) => {
    await startFromMemory(request)
    driver.endBoot({ bootId: request.bootId, cause: 'killed-inside', detail: 'a bad image' })
  }
  const second = await host.startSandbox()
  expect(host.handshakes.at(-1)).toMatchObject({ bootId: second.bootId, origin: 'booted' })
  expect((await disks.listMemoryPlaces()).filter(({ diskId }) => diskId === templatesPlace)).toEqual([])
})
