import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { heldMemory } from './held-memory.ts'

let mount: string
beforeEach(async () => {
  mount = await mkdtemp(path.join(tmpdir(), 'threadbox-cgroups-'))
})
afterEach(() => rm(mount, { recursive: true }))

async function boot(directory: string, stat: string): Promise<void> {
  await mkdir(path.join(mount, directory), { recursive: true })
  await writeFile(path.join(mount, directory, 'memory.stat'), stat)
}

test('what processes of a sandbox allocated and share counts, and what is read from files does not: cgroup v1', async () => {
  const stat = 'cache 900\nrss 1\nshmem 2\ntotal_cache 900\ntotal_rss 33\ntotal_shmem 166\n'
  await boot('memory/threadbox-abc/boot-1', stat)
  await boot('memory/threadbox-other/boot-2', stat)
  expect(await heldMemory('abc', { mount })).toEqual(new Map([['boot-1', 199]]))
})

test('the same on cgroup v2', async () => {
  await boot('threadbox-abc/boot-1', 'anon 33\nfile 900\nshmem 166\n')
  expect(await heldMemory('abc', { mount })).toEqual(new Map([['boot-1', 199]]))
})

test('memory in compressed swap counts with what it takes there', async () => {
  const devices = path.join(mount, 'block')
  for (const [name, stat] of [
    ['zram0', '3000 900 1000 0 1000 0 0 0 0'],
    ['zram1', '0 0 0 0 0 0 0 0 0'],
  ] as const) {
    await mkdir(path.join(devices, name), { recursive: true })
    await writeFile(path.join(devices, name, 'mm_stat'), `${stat}\n`)
  }
  await boot('memory/threadbox-abc/boot-1', 'total_rss 10\ntotal_shmem 20\ntotal_swap 300\n')
  expect(await heldMemory('abc', { mount, devices })).toEqual(new Map([['boot-1', 130]]))
  await boot('threadbox-def/boot-2', 'anon 10\nshmem 20\n')
  await writeFile(path.join(mount, 'threadbox-def/boot-2/memory.swap.current'), '600\n')
  expect(await heldMemory('def', { mount, devices })).toEqual(new Map([['boot-2', 230]]))
})

test('an installation without a sandbox holds nothing', async () => {
  expect(await heldMemory('abc', { mount })).toEqual(new Map())
})
