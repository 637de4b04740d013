import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { makeBtrfsDiskStore } from '@threadbox/disk-store'
import { defaultSandboxLimits } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { makeLogger } from '@threadbox/telemetry'
import { boundaries } from '@threadbox/testkit/repeats'
import { expect, test } from 'vitest'
import { type HostUnderTest, startHostUnderTest } from '../../host.test-utils.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { answeringGuest, codeOf, ordersOf } from '../../memory/memory/memory.test-utils.ts'
import { packDisk } from '../environments/disk-streams.ts'
import { makeArchives } from './archives.ts'

const mebibyte = 1024 * 1024

/** One line for each name: what it is, its mode, owner, time, links, size, blocks, attributes and content. */
function inventoryOf(root: string): string {
  const script = `
import os, stat, hashlib, sys
root = os.fsencode(sys.argv[1])
numbers = {}
for folder, folders, files in os.walk(root):
    folders.sort()
    for name in [b'.'] + sorted(folders + files):
        full = os.path.normpath(os.path.join(folder, name))
        s = os.lstat(full)
        same = numbers.setdefault(s.st_ino, len(numbers)) if s.st_nlink > 1 and stat.S_ISREG(s.st_mode) else '-'
        blocks = s.st_blocks > 0
        content = os.readlink(full) if stat.S_ISLNK(s.st_mode) else b''
        if stat.S_ISREG(s.st_mode):
            content = hashlib.sha256(open(full, 'rb').read()).hexdigest().encode()
        attributes = sorted((n, os.getxattr(full, n, follow_symlinks=False)) for n in os.listxattr(full, follow_symlinks=False))
        size = s.st_size if stat.S_ISREG(s.st_mode) else '-'
        print(os.path.relpath(full, root), oct(s.st_mode), s.st_uid, s.st_gid, s.st_mtime_ns, same, size, blocks, attributes, content)
`
  return execFileSync('python3', ['-c', script, root], { encoding: 'utf8', maxBuffer: 100 * mebibyte })
}

function loopDevicesOf(file: string): string[] {
  const listed = execFileSync('losetup', ['--noheadings', '--output', 'NAME', '--associated', file], {
    encoding: 'utf8',
  })
  return listed.split('\n').filter((line) => line !== '')
}

/** Files of every form, over an image with some. */
function writeAwkward(root: string): void {
  const at = (name: string) => path.join(root, name)
  mkdirSync(at('home/user/deep/er'), { recursive: true })
  writeFileSync(at('home/user/run.sh'), '#!/bin/sh\n')
  execFileSync('chown', ['1000:1001', at('home/user/run.sh')])
  execFileSync('chmod', ['6755', at('home/user/run.sh')])
  utimesSync(at('home/user/run.sh'), 1000, 1000.25)
  linkSync(at('home/user/run.sh'), at('home/user/again'))
  symlinkSync('/etc/passwd', at('home/user/link'))
  symlinkSync('missing', at('home/user/dangling'))
  execFileSync('sh', ['-c', `printf x > "$1/$(printf 'a\\377\\nb')"`, 'sh', at('home/user')])
  writeFileSync(at('home/user/-rf'), 'a name')
  execFileSync('/usr/bin/truncate', ['-s', '1G', at('home/user/hole')])
  execFileSync('sh', ['-c', 'printf end >> "$1"', 'sh', at('home/user/hole')])
  execFileSync('/usr/bin/mkfifo', ['-m', '640', at('home/user/pipe')])
  execFileSync('python3', ['-c', 'import os,sys; os.setxattr(sys.argv[1], "user.note", b"kept")', at('home/user/-rf')])
  writeFileSync(at('home/user/deep/er/large'), Buffer.alloc(5 * mebibyte, 'a few bytes'))
  chmodFolder(at('home/user/deep'))
  // Changes of what the image has: a file in a folder that stays, a removed one, and a file that became a folder.
  writeFileSync(at('etc/changed'), 'changed')
  rmSync(at('etc/removed'))
  rmSync(at('base'))
  mkdirSync(at('base'))
}

function chmodFolder(folder: string): void {
  execFileSync('chmod', ['1777', folder])
  utimesSync(folder, 2000, 2000)
}

test('C11: a disk of btrfs that was archived and restored has every file, mode, owner, time, link, attribute and hole', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'archives-'))
  const logger = makeLogger({ process: 'test', level: 'silent' })
  const disks = await makeBtrfsDiskStore({
    installation: 'arch00',
    directory,
    poolSizeBytes: 512 * mebibyte,
    keepFreeBytes: 0,
    reserves: { imageBytes: 0, memoryImageBytes: 0 },
    logger,
  })
  await disks.prepare()
  try {
    await disks.importImage({
      imageId: 'image',
      build: async (root) => {
        mkdirSync(path.join(root, 'etc'))
        for (const name of ['base', 'etc/changed', 'etc/removed', 'etc/kept'])
          writeFileSync(path.join(root, name), 'image')
        utimesSync(path.join(root, 'etc'), 3000, 3000)
      },
    })
    const { path: root } = await disks.createDisk({ diskId: 'sdisk', imageId: 'image', limitBytes: 256 * mebibyte })
    writeAwkward(root)
    await disks.syncDisk('sdisk')
    const image = (await disks.listImages()).find(({ imageId }) => imageId === 'image')
    const before = inventoryOf(root)
    const isArchived: boolean[] = []
    const archives = makeArchives({
      sandboxes: { setArchived: async (_, is) => void isArchived.push(is) },
      boots: { current: async () => undefined },
      disks,
      rewinds: { finishPending: async () => undefined },
      snapshots: { list: async () => [], remove: async () => undefined },
      pausePoints: { remove: async () => undefined },
      logger,
    })
    const limits = { ...defaultSandboxLimits, diskBytes: 256 * mebibyte }
    const sandbox = {
      sandboxId: 'sdisk',
      placeId: 'sdisk',
      imageId: 'image',
      limits,
      isArchived: false,
    } as StoredSandbox
    const { generation, usedBytes } = await archives.content(sandbox)
    const parts: Buffer[] = []
    for await (const part of packDisk(root, { imagePath: image?.path ?? null, isWhole: true })) parts.push(part)
    expect(await archives.content(sandbox)).toMatchObject({ generation })
    await archives.archive(sandbox, generation)
    await expect(disks.getDisk('sdisk')).rejects.toMatchObject({ code: 'disk.not-found' })
    await archives.restore({ ...sandbox, isArchived: true }, { usedBytes, bytes: Readable.from(parts) })
    expect(inventoryOf((await disks.getDisk('sdisk')).path)).toBe(before)
    expect(isArchived).toEqual([true, false])
  } finally {
    await disks.close()
    for (const device of loopDevicesOf(path.join(directory, 'pool.img'))) execFileSync('losetup', ['--detach', device])
    rmSync(directory, { recursive: true, force: true })
  }
}, 120_000)

/** A stopped sandbox with files, and everything that moves its disk. */
async function begin() {
  const host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const { sandboxId, bootId } = sandbox
  const orders = ordersOf(host, sandbox)
  const root = await orders.diskPath()
  mkdirSync(path.join(root, 'home/user'), { recursive: true })
  writeFileSync(path.join(root, 'home/user/note'), 'mine')
  await host.request('POST', hostPaths.stop(sandboxId), { bootId })
  const content = async () =>
    (await host.request('GET', hostPaths.diskContent(sandboxId))).body as { generation: string; usedBytes: number }
  const sent = await fetch(`${host.url}${hostPaths.sendDisk(sandboxId)}?whole=true`)
  const bytes = new Uint8Array(await sent.arrayBuffer())
  const isArchived = async () => (await orders.state()).isArchived ?? false
  let generation = ''
  // Repeated as a server repeats it: with the content that it has copied.
  const archive = async () => {
    if (!(await isArchived())) generation = (await content()).generation
    return await host.request('POST', hostPaths.archive(sandboxId), { generation })
  }
  const restore = async (body: Uint8Array<ArrayBuffer> = bytes, usedBytes = 1000) => {
    const order = encodeURIComponent(JSON.stringify({ usedBytes, imageId: 'image', limits: defaultSandboxLimits }))
    const response = await fetch(`${host.url}${hostPaths.restore(sandboxId)}?order=${order}`, { method: 'PUT', body })
    return { status: response.status, body: (await response.json()) as unknown }
  }
  const inventory = async () => inventoryOf(await orders.diskPath())
  return { host, sandbox, orders, bytes, archive, restore, isArchived, inventory, before: await inventory() }
}

async function hasDisk(host: HostUnderTest, diskId: string): Promise<boolean> {
  return (await host.disks.listDisks()).some((disk) => disk.diskId === diskId)
}

const archiveMoments = boundaries({
  of: 'archiving a disk: its comparison, its deletion',
  killed: 'the host daemon',
  at: ['before disks.diskGeneration', 'before disks.deleteDisk', 'after disks.deleteDisk'],
})
const restoreMoments = boundaries({
  of: 'restoring an archived disk: its creation, its content, its record',
  killed: 'the host daemon',
  at: ['before disks.createDisk', 'after disks.createDisk', 'before disks.syncDisk', 'after disks.commitDisk'],
})

test.each(archiveMoments)(
  'O11: a host daemon killed %s of an archived disk leaves it whole here, or archived with nothing here',
  async (step) => {
    const { host, sandbox, archive, restore, isArchived, inventory, before } = await begin()
    await using _ = host
    const reached = host.hangAt(step)
    void archive().catch(() => undefined)
    await reached
    await host.killAndRestart()
    expect(await hasDisk(host, sandbox.sandboxId)).toBe(!(await isArchived()))
    expect((await archive()).status).toBe(200)
    expect(await hasDisk(host, sandbox.sandboxId)).toBe(false)
    expect((await restore()).status).toBe(200)
    expect([await isArchived(), await inventory()]).toEqual([false, before])
  },
)

test.each(restoreMoments)(
  'O11: a host daemon killed %s of a restored disk leaves it archived, with nothing of it here',
  async (step) => {
    const { host, sandbox, archive, restore, isArchived, inventory, before } = await begin()
    await using _ = host
    await archive()
    const reached = host.hangAt(step)
    void restore().catch(() => undefined)
    await reached
    await host.killAndRestart()
    expect([await isArchived(), await hasDisk(host, sandbox.sandboxId)]).toEqual([true, false])
    expect((await restore()).status).toBe(200)
    expect([await isArchived(), await inventory()]).toEqual([false, before])
  },
)

test('bytes that break off, and a full pool, leave the sandbox archived, and a later restore succeeds', async () => {
  const { host, sandbox, orders, bytes, archive, restore, isArchived, inventory, before } = await begin()
  await using _ = host
  await archive()
  expect(codeOf(await restore(bytes.slice(0, -20)))).toEqual([400, 'environment.not-unpacked'])
  expect(codeOf(await restore(bytes.slice(), 2 ** 50))).toEqual([507, 'archive.no-space'])
  expect([await isArchived(), await hasDisk(host, sandbox.sandboxId)]).toEqual([true, false])
  expect(codeOf(await orders.startFresh())).toEqual([409, 'sandbox.archived'])
  expect((await restore()).status).toBe(200)
  expect(await inventory()).toBe(before)
  expect((await orders.startFresh()).status).toBe(200)
})

test('an archived sandbox can be changed and deleted, and its image is kept', async () => {
  const { host, sandbox, archive, restore } = await begin()
  await using _ = host
  await archive()
  const limits = { ...defaultSandboxLimits, diskBytes: defaultSandboxLimits.diskBytes * 2 }
  expect((await host.request('PATCH', hostPaths.change(sandbox.sandboxId), { limits })).status).toBe(200)
  expect((await restore()).status).toBe(200)
  expect((await host.disks.diskUsage(sandbox.sandboxId)).limitBytes).toBe(limits.diskBytes)
  await archive()
  await host.request('DELETE', hostPaths.delete(sandbox.sandboxId))
  expect((await host.request('GET', hostPaths.get(sandbox.sandboxId))).status).toBe(404)
  expect(await readdir(path.join(host.directory, 'disks'))).not.toContain(sandbox.sandboxId)
})
