import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { createClient } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { exportAgent, importAgent, onPool, partsOf } from './agent-file/exported.ts'

/** How an installation handles invalid agent files, and a valid one while its host is killed. */
let installation: TestInstallation
let directory: string
/** The file of an agent that this installation no longer has. */
let exported: Buffer
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'agent-file-'))
  installation = await startInstallation({ serverEnvironment: { THREADBOX_UNDO_SECONDS: '1' } })
  const { client } = installation
  const source = await installation.newThread()
  // Incompressible, so that half of the file is half of the disk.
  await output(source, 'head -c 4000000 /dev/urandom > data')
  await client.services.start(source.id, { name: 'site', command: 'python3 -m http.server 8000', port: 8000 })
  const environment = await client.agents.capture(source.id)
  const agent = await client.agents.create({ name: 'Analyst', environment: { id: environment.id } })
  exported = await exportAgent(installation, agent)
  await client.threads.delete(source.id)
  await client.agents.delete(agent.id)
  await vi.waitFor(async () => expect((await onPool(installation)).sandboxes).toEqual([]), pollOptions)
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const run = promisify(execFile)
const compress = promisify(zstdCompress)
const pollOptions = { timeout: 120_000, interval: 200 }

function fileWith(disk: Buffer): Blob {
  const head = `threadbox-agent\n${JSON.stringify(partsOf(exported).head)}\n`
  return new Blob([new Uint8Array(Buffer.from(head)), new Uint8Array(disk)])
}

test('C11: a file that is hostile, too large, truncated, or for another image is refused, and leaves nothing on the pool', async () => {
  const { client } = installation
  await client.installation.updateSettings({ settings: { sandboxDiskBytes: 512 * 1024 * 1024 } })
  const before = await onPool(installation)
  const made = path.join(directory, 'made')
  execFileSync('sh', [
    '-c',
    'mkdir -p "$1/folder"; cd "$1"; ln -s / link; echo x > folder/escaped; echo x > file',
    'sh',
    made,
  ])
  execFileSync('mknod', [path.join(made, 'device'), 'c', '1', '3'])
  // Exceeds the disk’s limit with data that no disk compresses; the file’s compression has a longer window and stores
  // it once.
  const repeated = 'head -c 1M /dev/urandom > "$1.once" && for i in $(seq 560); do cat "$1.once"; done > "$1"'
  execFileSync('sh', ['-c', repeated, 'sh', path.join(made, 'large')])
  const tarOf = async (...flags: string[]) => {
    const options = { maxBuffer: 2 ** 31 - 1, encoding: 'buffer' as const }
    const { stdout } = await run('tar', ['-C', made, '-P', '-cf', '-', ...flags], options)
    return await compress(Buffer.concat([Buffer.from('{"version":1,"removed":[]}\n'), stdout]))
  }
  const codeOf = (file: Blob) =>
    client.agents.import(file).then(
      () => 'accepted',
      (error: { code: string }) => error.code,
    )
  const notUnpacked = 'environment.not-unpacked'
  expect({
    link: await codeOf(fileWith(await tarOf('--transform', 's,^folder,link/tmp,', 'link', 'folder/escaped'))),
    imageLink: await codeOf(fileWith(await tarOf('--transform', 's,^file,var/run/escaped,', 'file'))),
    absolute: await codeOf(fileWith(await tarOf('--transform', 's,^file,/tmp/escaped,', 'file'))),
    above: await codeOf(fileWith(await tarOf('--transform', 's,^file,../../escaped,', 'file'))),
    device: await codeOf(fileWith(await tarOf('device'))),
    large: await codeOf(fileWith(await tarOf('large'))),
    cutOff: await codeOf(new Blob([new Uint8Array(exported.subarray(0, -20))])),
    otherImage: await codeOf(
      new Blob(
        [exported.toString('latin1')].map((text) => {
          const { imageId } = partsOf(exported).head.computer as { imageId: string }
          return new Uint8Array(Buffer.from(text.replace(imageId, `${imageId.slice(0, -3)}x-2`), 'latin1'))
        }),
      ),
    ),
  }).toEqual({
    link: notUnpacked,
    imageLink: notUnpacked,
    absolute: notUnpacked,
    above: notUnpacked,
    device: notUnpacked,
    large: 'environment.disk-too-large',
    cutOff: notUnpacked,
    otherImage: 'agent-file.other-image',
  })
  expect(execFileSync('sh', ['-c', 'ls /tmp/escaped /run/escaped /escaped 2>/dev/null || true']).toString()).toBe('')
  expect((await client.agents.list()).agents).toEqual([])
  expect((await client.agents.drafts()).drafts).toEqual([])
  await expect.poll(async () => (await onPool(installation)).sandboxes, pollOptions).toEqual(before.sandboxes)
  const grown = async () => (await onPool(installation)).usedBytes - before.usedBytes
  await expect.poll(grown, pollOptions).toBeLessThan(20_000_000)
}, 600_000)

test('C11: a host daemon that is killed during an import leaves nothing of the file, and imports it again', async () => {
  const { host, server } = installation
  // A body that is being streamed can’t be sent again as the owner, once a key was refused.
  const owner = createClient({ baseUrl: server.loopbackOrigin, fetch: server.asOwner })
  const before = await onPool(installation)
  const half = exported.subarray(0, Math.floor(exported.length / 2))
  const importing = owner.agents
    .import(
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(half)),
        pull: () => new Promise(() => undefined),
      }),
    )
    .then(
      () => 'accepted',
      (error: { code: string }) => error.code,
    )
  await expect
    .poll(async () => (await onPool(installation)).sandboxes.length, pollOptions)
    .toBe(before.sandboxes.length + 1)
  await host.kill('SIGKILL')
  await host.restart()
  expect(await importing).not.toBe('accepted')
  await expect.poll(async () => (await onPool(installation)).sandboxes, pollOptions).toEqual(before.sandboxes)
  // Until the server has found the new daemon, an import is refused.
  const imported = async () =>
    await importAgent(installation, new Blob([new Uint8Array(exported)])).then(
      (agent) => agent.current.environment?.services,
      (error: { code: string }) => error.code,
    )
  await expect.poll(imported, pollOptions).toEqual(['site'])
}, 600_000)
