import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient } from '@threadbox/sdk'
import { startTestHost, startTestServer } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread, testThread } from '../stack/installation.ts'
import { runBackup } from '../stack/run-backup.ts'

/** An installation that runs, backed up from its machine, and restored into another one with other paths. */
let installation: TestInstallation
let directory: string
let recoveryKey: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-backup-'))
  await mkdir(path.join(directory, 'store'))
  installation = await startInstallation()
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

/** Everything about every file of a folder that a copy must have. */
const listing = `
import hashlib, os, stat, sys
for root, folders, files in os.walk('/home/user/work'):
    folders.sort()
    for name in sorted(folders + files):
        path = os.path.join(root, name)
        s = os.lstat(path)
        content = os.readlink(path) if stat.S_ISLNK(s.st_mode) else ''
        if stat.S_ISREG(s.st_mode):
            content = hashlib.sha256(open(path, 'rb').read()).hexdigest()
        links = s.st_nlink if stat.S_ISREG(s.st_mode) else 0
        hole = s.st_size > 0 and s.st_blocks * 512 < s.st_size // 2
        size = s.st_size if stat.S_ISREG(s.st_mode) else 0
        print(path, oct(s.st_mode), s.st_uid, s.st_gid, s.st_mtime_ns, links, size, hole, content)
`
const making = `
import os, random
os.makedirs('/home/user/work/deep/er', exist_ok=True)
os.chdir('/home/user/work')
random.seed(7)
open('bytes.bin', 'wb').write(random.randbytes(3_000_000))
open('script.sh', 'w').write('#!/bin/sh\\n')
os.chmod('script.sh', 0o750)
os.link('bytes.bin', 'deep/hard')
os.symlink('../bytes.bin', 'deep/soft')
os.symlink('/nowhere', 'deep/dangling')
with open('deep/er/holes', 'wb') as f:
    f.seek(20_000_000)
    f.write(b'end')
open('deep/er/ünicode name\\n.txt', 'w').write('x')
os.chmod('deep', 0o700)
`
/** The disk has a time that is set exactly, and the time of a write some milliseconds apart from the one inside. */
const setTimes = `
import os
for root, folders, files in os.walk('/home/user/work', topdown=False):
    for name in files + folders:
        os.utime(os.path.join(root, name), ns=(1, 1_600_000_000_123_456_789 + len(name)), follow_symlinks=False)
`
const run = async (thread: TestThread, code: string) => {
  const { calls } = await thread.say(`/python ${code}`)
  expect(calls[0]).toMatchObject({ status: 'succeeded', result: { kind: 'python', traceback: null } })
  return calls[0]?.output.tail ?? ''
}

/** Each disk is compared with its whole image, and two installations start: long on a machine that does other work. */
test('C12: a running installation is backed up and restored on another machine, with every file of every sandbox', async () => {
  const threads: TestThread[] = []
  const before: string[] = []
  for (let number = 0; number < 2; number++) {
    const thread = await installation.newThread()
    await run(thread, making)
    await run(thread, `open('/home/user/work/own-${number}', 'w').write('canary-zq7-${number}')`)
    await run(thread, setTimes)
    before.push(await run(thread, listing))
    threads.push(thread)
  }
  // One sleeps with its memory, one runs a program.
  await installation.client.sandboxes.pause(threads[0]?.id ?? '')
  await threads[1]?.say('/run (nohup sleep 1000 >/dev/null 2>&1 &)')

  const store = path.join(directory, 'store')
  expect((await runBackup(installation, ['run'])).output).toContain('not set up')
  recoveryKey = (await runBackup(installation, ['init', store])).output.trim()
  expect((await runBackup(installation, ['run'])).output).toContain('not confirmed')
  expect((await runBackup(installation, ['confirm', '00000000'])).code).toBe(1)
  expect((await runBackup(installation, ['confirm', recoveryKey.slice(-8)])).code).toBe(0)
  const written = await runBackup(installation, ['run', 'machine-files'], 'an archive of the launcher')
  expect(written).toMatchObject({ code: 0, output: expect.stringContaining('stored for') })
  for (const name of await readdir(store, { recursive: true })) {
    const bytes = await readFile(path.join(store, name)).catch(() => Buffer.alloc(0))
    expect(bytes.includes('canary-zq7')).toBe(false)
  }
  // The other one continues; nothing of the backup stays on its host.
  expect((await threads[1]?.say('/run pgrep -c sleep'))?.calls[0]).toMatchObject({ result: { exitCode: 0 } })
  const kept = await readdir(path.join(installation.server.directory, 'backups'))
  expect(kept.sort()).toEqual(['catalog.json', 'machine.tar.age', 'spool', 'status.json'])
  expect((await runBackup(installation, ['verify', 'full'], recoveryKey)).code).toBe(0)

  await using other = await startTestHostAndServer()
  await other.server.kill('SIGTERM')
  const restored = await runBackup(other, ['restore-files', store, 'newest'], recoveryKey)
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('1 people, 2 threads') })
  const disks = await runBackup(other, ['restore-disks'])
  expect(disks).toEqual({ code: 0, output: '2 disks\n' })
  await other.server.restart()
  const client = createClient({ baseUrl: other.server.loopbackOrigin, apiKey: installation.server.apiKey })
  for (const [number, { id }] of threads.entries()) {
    const thread = testThread(client, id)
    expect(await run(thread, listing)).toBe(before[number])
  }
}, 600_000)

async function startTestHostAndServer() {
  const host = await startTestHost()
  try {
    const server = await startTestServer({ host, signUp: false })
    return {
      host,
      server,
      [Symbol.asyncDispose]: async () => {
        await server.close()
        await host.close()
      },
    }
  } catch (error) {
    await host.close()
    throw error
  }
}
