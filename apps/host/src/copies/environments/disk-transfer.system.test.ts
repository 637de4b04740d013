import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { defaultSandboxLimits } from '@threadbox/domain'
import { type HostSandbox, hostPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { startHostUnderTest } from '../../host.test-utils.ts'
import { answeringGuest, codeOf, ordersOf } from '../../memory/memory/memory.test-utils.ts'

const mebibyte = 1024 * 1024

/** Plain directories as disks; unpacking needs root. */
async function begin() {
  const host = await startHostUnderTest(answeringGuest())
  const sandboxes = async () => {
    const { body } = await host.request('GET', hostPaths.list())
    return (body as { sandboxes: HostSandbox[] }).sandboxes.map(({ sandboxId }) => sandboxId)
  }
  const receive = async (body: Uint8Array<ArrayBuffer>, wanted: { imageId?: string; diskBytes?: number } = {}) => {
    const { imageId = 'image', diskBytes = defaultSandboxLimits.diskBytes } = wanted
    const order = JSON.stringify({ imageId, limits: { ...defaultSandboxLimits, diskBytes } })
    const sandboxId = host.newSandboxId()
    const where = `${host.url}${hostPaths.sendDisk(sandboxId)}?order=${encodeURIComponent(order)}`
    const response = await fetch(where, { method: 'PUT', body })
    return { status: response.status, body: (await response.json()) as unknown, sandboxId }
  }
  const send = async (sandboxId: string) => {
    const response = await fetch(host.url + hostPaths.sendDisk(sandboxId))
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
  }
  return { host, sandboxes, receive, send }
}

/** A file in the packer's format, with content made elsewhere. */
function fileOf(tar: Uint8Array, removed: string[] = []): Uint8Array<ArrayBuffer> {
  const head = Buffer.from(`${JSON.stringify({ version: 1, removed })}\n`)
  return new Uint8Array(zstdCompressSync(Buffer.concat([head, tar])))
}

function tarOf(folder: string, flags: string[], names: string[] = ['.']): Buffer {
  return execFileSync('tar', ['-C', folder, '-cf', '-', ...flags, ...names], {
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 100 * mebibyte,
  })
}

test('C11: a disk that is sent and received has every file unchanged, and nothing that was removed', async () => {
  const { host, receive, send } = await begin()
  await using _ = host
  const source = await host.startSandbox()
  const root = await ordersOf(host, source).diskPath()
  const at = (name: string) => path.join(root, name)
  expect((await send(source.sandboxId)).status).toBe(409)
  await host.request('POST', hostPaths.stop(source.sandboxId), { bootId: source.bootId })
  mkdirSync(at('home/user'), { recursive: true })
  writeFileSync(at('home/user/run.sh'), '#!/bin/sh\n', { mode: 0o4755 })
  execFileSync('chown', ['1000:1001', at('home/user/run.sh')])
  execFileSync('chmod', ['4755', at('home/user/run.sh')])
  utimesSync(at('home/user/run.sh'), 1000, 1000)
  linkSync(at('home/user/run.sh'), at('home/user/again'))
  symlinkSync('/etc/passwd', at('home/user/link'))
  lutimesSync(at('home/user/link'), 1000, 1000)
  execFileSync('sh', ['-c', `printf x > "$1/$(printf 'a\\377\\nb')"`, 'sh', at('home/user')])
  writeFileSync(at('home/user/-rf'), 'a name')
  execFileSync('/usr/bin/truncate', ['-s', '1G', at('home/user/sparse')])
  execFileSync('/usr/bin/mkfifo', [at('home/user/pipe')])
  rmSync(at('base'))
  mkdirSync(at('base'))
  writeFileSync(at('base/inside'), 'now a folder')

  const { bytes } = await send(source.sandboxId)
  expect(bytes.byteLength).toBeLessThan(100_000)
  const answer = await receive(bytes as Uint8Array<ArrayBuffer>)
  expect(answer.body).toMatchObject({ actual: 'stopped', imageId: 'image', egress: { kind: 'none' } })
  const copy = (await host.disks.getDisk(answer.sandboxId)).path
  const script = statSync(path.join(copy, 'home/user/run.sh'))
  expect([script.mode & 0o7777, script.uid, script.gid, script.mtimeMs, script.nlink]).toEqual([
    ...[0o4755, 1000, 1001, 1_000_000, 2],
  ])
  expect(readlinkSync(path.join(copy, 'home/user/link'))).toBe('/etc/passwd')
  expect(lstatSync(path.join(copy, 'home/user/link')).mtimeMs).toBe(1_000_000)
  const namesOf = (folder: string) => readdirSync(path.join(folder, 'home/user'), { encoding: 'latin1' }).sort()
  expect(namesOf(copy)).toEqual(namesOf(root).filter((name) => name !== 'pipe'))
  expect(statSync(path.join(copy, 'home/user/sparse'))).toMatchObject({ size: 2 ** 30, blocks: 0 })
  expect(readFileSync(path.join(copy, 'base/inside'), 'utf8')).toBe('now a folder')
})

test('what is not a disk, is cut off, or belongs over another image is refused, and nothing of it stays', async () => {
  const { host, receive, send, sandboxes } = await begin()
  await using _ = host
  const source = await host.startSandbox()
  writeFileSync(path.join(await ordersOf(host, source).diskPath(), 'large'), Buffer.alloc(30_000_000, 'abc'))
  await host.request('POST', hostPaths.stop(source.sandboxId), { bootId: source.bootId })
  const { bytes } = await send(source.sandboxId)
  const before = await sandboxes()
  const refused = [400, 'environment.not-unpacked']
  expect(codeOf(await receive(new Uint8Array(Buffer.from('no disk'))))).toEqual(refused)
  expect(codeOf(await receive(new Uint8Array()))).toEqual(refused)
  for (const end of [1, 40]) expect(codeOf(await receive(bytes.slice(0, -end)))).toEqual(refused)
  const plain = (text: string) => new Uint8Array(zstdCompressSync(Buffer.from(text)))
  expect(codeOf(await receive(plain('{"version":2,"removed":[]}\n')))).toEqual(refused)
  expect(codeOf(await receive(plain('no json\n')))).toEqual(refused)
  expect(codeOf(await receive(plain('{"version":1,"removed":[]}')))).toEqual(refused)
  expect(codeOf(await receive(bytes.slice(), { imageId: 'other' }))).toEqual([409, 'environment.other-image'])
  expect(zstdDecompressSync(bytes).byteLength).toBeGreaterThan(30_000_000)
  expect(await sandboxes()).toEqual(before)
  expect((await host.disks.listDisks()).map(({ diskId }) => diskId)).toEqual(before)
})

test('a file that tries to escape from its disk is refused, reaches nothing, and nothing of it stays', async () => {
  const { host, receive, sandboxes } = await begin()
  await using _ = host
  const before = await sandboxes()
  const made = mkdtempSync(path.join(tmpdir(), 'hostile-'))
  const outside = mkdtempSync(path.join('/var/tmp', 'outside-'))
  writeFileSync(path.join(outside, 'kept'), 'kept')
  mkdirSync(path.join(made, 'folder'))
  writeFileSync(path.join(made, 'folder/kept'), 'overwritten')
  symlinkSync(outside, path.join(made, 'link'))
  writeFileSync(path.join(made, 'file'), 'text')
  execFileSync('mknod', [path.join(made, 'device'), 'c', '1', '3'])
  linkSync(path.join(made, 'file'), path.join(made, 'hard'))
  const through = tarOf(made, ['--transform', 's,^folder,link,'], ['link', 'folder/kept'])
  const hostile: Record<string, Uint8Array> = {
    'through a link': through,
    'an absolute path': tarOf(made, ['-P', '--transform', `s,^file,${outside}/kept,`], ['file']),
    'a path up': tarOf(made, ['-P', '--transform', 's,^file,../../file,'], ['file']),
    'a device': tarOf(made, [], ['device']),
    'a hard link to a file of the machine': tarOf(
      made,
      ['-P', '--transform', 's,^file,/usr/bin/tar,H'],
      ['hard', 'file'],
    ),
  }
  const accepted: string[] = []
  for (const [name, tar] of Object.entries(hostile)) {
    const answer = await receive(fileOf(tar))
    if (answer.status !== 400 || codeOf(answer)[1] !== 'environment.not-unpacked') accepted.push(name)
  }
  for (const removed of ['../x', '/x', 'a//b', '.', 'a/../../x', 'a\0b']) {
    const answer = await receive(fileOf(tarOf(made, [], ['file']), [removed]))
    if (codeOf(answer)[1] !== 'environment.not-unpacked') accepted.push(removed)
  }
  expect(accepted).toEqual([])
  // A link that is in the way does not lead outside either.
  expect((await receive(fileOf(tarOf(made, [], ['link', 'file'])))).status).toBe(200)
  expect(readFileSync(path.join(outside, 'kept'), 'utf8')).toBe('kept')
  expect(readdirSync(outside)).toEqual(['kept'])
  expect(existsSync('/usr/bin/tar')).toBe(true)
  expect((await sandboxes()).length).toBe(before.length + 1)
  for (const folder of [made, outside]) rmSync(folder, { recursive: true })
})

test('unpacking a bomb stops once it is larger than a disk can be', async () => {
  const { host, receive, sandboxes } = await begin()
  await using _ = host
  const before = await sandboxes()
  const made = mkdtempSync(path.join(tmpdir(), 'bomb-'))
  writeFileSync(path.join(made, 'zeros'), Buffer.alloc(65 * mebibyte))
  const bomb = fileOf(tarOf(made, [], ['zeros']))
  rmSync(made, { recursive: true })
  expect(bomb.byteLength).toBeLessThan(100_000)
  expect(codeOf(await receive(bomb, { diskBytes: 16 * mebibyte }))).toEqual([413, 'environment.disk-too-large'])
  expect(await sandboxes()).toEqual(before)
})
