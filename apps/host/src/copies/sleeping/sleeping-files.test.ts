import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SleepingQuestion } from '@threadbox/protocol/host'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StoredBoot } from '../../machine/state/boots.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { makeSleepingFiles } from './sleeping-files.ts'

let root: string
let boot: StoredBoot | undefined
let pausedPath: string | undefined
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'threadbox-disk-'))
  await chmod(root, 0o755)
  await mkdir(join(root, 'home/user'), { recursive: true })
  boot = undefined
  pausedPath = undefined
})
afterEach(() => rm(root, { recursive: true, force: true }))

const real = (path: string) => join(root, path)
const files = () =>
  makeSleepingFiles({
    sandboxes: { find: async () => ({ placeId: 'p', isDeleting: false }) as StoredSandbox } as never,
    boots: { current: async () => boot },
    disks: { getDisk: async () => ({ diskId: 'p', imageId: 'i', path: root }) },
    paused: { pausedDiskPath: async () => pausedPath },
  })
const ask = (question: SleepingQuestion) => files().answer('s', question)
const list = async (path: string, after = '', limit = 100) => {
  const answer = await ask({ kind: 'list', path, after, limit })
  if (answer.kind !== 'list') throw new TypeError('no list')
  return answer.page
}
const content = async (path: string, part: { start: number; end?: number } = { start: 0 }) => {
  const answer = await ask({ kind: 'content', path, ...part })
  if (answer.kind !== 'content') throw new TypeError('no content')
  return (await buffer(answer.bytes)).toString()
}

test('no link is followed, wherever it is in the path', async () => {
  await symlink('/etc', real('home/user/out'))
  await symlink('/etc/passwd', real('home/user/secret'))
  for (const path of ['/home/user/secret', '/home/user/out/passwd', '/home/user/out/../out/passwd']) {
    await expect(content(path)).rejects.toMatchObject({ code: 'file.refused' })
  }
  await expect(list('/home/user/out')).rejects.toMatchObject({ code: 'file.refused' })
  expect((await list('/home/user')).entries).toMatchObject([
    { name: 'out', type: 'symlink', linkTarget: '/etc' },
    { name: 'secret', type: 'symlink', linkTarget: '/etc/passwd' },
  ])
})

test('nothing above the root is reached', async () => {
  await writeFile(real('own'), 'inside')
  expect(await content('/../../../own')).toBe('inside')
  await expect(content('/../../../etc/passwd')).rejects.toMatchObject({ code: 'file.not-found' })
  expect((await list('/..')).entries.map(({ name }) => name)).toEqual(['home', 'own'])
})

test('a pipe is not opened, a folder is not a file, and what does not exist is not found', async () => {
  execFileSync('/usr/bin/mkfifo', [real('pipe')])
  await expect(content('/pipe')).rejects.toMatchObject({ code: 'file.refused' })
  await expect(content('/home')).rejects.toMatchObject({ code: 'file.is-directory' })
  await expect(content('/none')).rejects.toMatchObject({ code: 'file.not-found' })
  await expect(list('/pipe')).rejects.toMatchObject({ code: 'file.refused' })
})

test.skipIf(process.getuid?.() !== 0)('what the user of the sandbox cannot read is not read', async () => {
  await writeFile(real('of-root'), 'x', { mode: 0o600 })
  await expect(content('/of-root')).rejects.toMatchObject({ code: 'file.refused' })
  await chown(real('of-root'), 1000, 1000)
  expect(await content('/of-root')).toBe('x')
})

test('names of any kind are listed in parts, and a file is read whole or in part', async () => {
  const names = ['a b', 'line\nbreak', 'ä🙂', '\u202etxt.exe'].toSorted()
  for (const name of names) await writeFile(real(`home/user/${name}`), `of ${name}`)
  const first = await list('/home/user', '', 3)
  expect(first).toMatchObject({ total: 4, next: names[2] })
  const rest = await list('/home/user', first.next ?? '', 3)
  expect([...first.entries, ...rest.entries].map(({ name }) => name)).toEqual(names)
  expect(rest.next).toBeNull()
  expect(await content('/home/user/line\nbreak')).toBe('of line\nbreak')
  await writeFile(real('digits'), '0123456789')
  expect(await content('/digits', { start: 2, end: 5 })).toBe('2345')
  await writeFile(real('empty'), '')
  expect(await content('/empty')).toBe('')
})

test('a file of many megabytes is read completely, and a reader whose client stops half-way ends', async () => {
  await writeFile(real('large'), Buffer.alloc(8_000_000, 7))
  expect((await content('/large')).length).toBe(8_000_000)
  for (let round = 0; round < 6; round += 1) {
    const answer = await ask({ kind: 'content', path: '/large', start: 0 })
    if (answer.kind === 'content') answer.bytes.destroy()
  }
  expect((await content('/large')).length).toBe(8_000_000)
}, 60_000)

test('C8: for a paused sandbox the snapshot of its pause is read, and an awake one is not read', async () => {
  boot = { state: 'ready' } as unknown as StoredBoot
  pausedPath = root
  await expect(list('/')).rejects.toMatchObject({ code: 'sandbox.disk-not-readable' })
  boot = { state: 'paused' } as unknown as StoredBoot
  expect((await list('/')).entries.map(({ name }) => name)).toEqual(['home'])
  pausedPath = undefined
  await expect(list('/')).rejects.toMatchObject({ code: 'sandbox.disk-not-readable' })
})

test('a reader that cannot be started is not reported as a timeout', async () => {
  await rm(root, { recursive: true })
  await expect(list('/')).rejects.toMatchObject({
    code: 'file.refused',
    message: expect.stringContaining('reading it failed'),
  })
})

describe('a folder as a zip', () => {
  const zip = async (path: string, only: readonly string[] = []) => {
    const answer = await ask({ kind: 'archive', path, only: JSON.stringify(only) })
    if (answer.kind !== 'archive') throw new TypeError('no zip')
    return answer.bytes
  }
  /** Names, and the targets of links among them, as another zip reader sees them. */
  const entriesOf = async (bytes: Promise<Readable>): Promise<Record<string, string>> => {
    const program = `import io,json,sys,zipfile
z = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert z.testzip() is None
print(json.dumps({name: z.read(name).decode() for name in z.namelist()}))`
    return JSON.parse(
      execFileSync('/usr/bin/python3', ['-c', program], { input: await buffer(await bytes) }).toString(),
    )
  }
  beforeEach(async () => {
    await mkdir(real('home/user/deep/inner'), { recursive: true })
    await writeFile(real('home/user/deep/inner/a.txt'), 'a')
    await writeFile(real('home/user/b.txt'), 'b')
    await symlink('/etc', real('home/user/out'))
    execFileSync('/usr/bin/mkfifo', [real('home/user/pipe')])
  })

  test('contains links as links, and no pipe', async () => {
    expect(await entriesOf(zip('/home/user'))).toEqual({
      'b.txt': 'b',
      'deep/': '',
      'deep/inner/': '',
      'deep/inner/a.txt': 'a',
      out: '/etc',
    })
  })

  test('contains these paths only, and nothing that a link or `..` leads to', async () => {
    const only = ['deep/inner', 'out/passwd', '../../../etc/passwd', 'none', '']
    expect(await entriesOf(zip('/home/user', only))).toEqual({ 'deep/inner/': '', 'deep/inner/a.txt': 'a' })
  })

  test('of anything that is not a folder is refused', async () => {
    await expect(zip('/home/user/b.txt')).rejects.toMatchObject({ code: 'file.refused' })
    await expect(zip('/home/user/out')).rejects.toMatchObject({ code: 'file.refused' })
    await expect(zip('/home/user/none')).rejects.toMatchObject({ code: 'file.not-found' })
  })

  test('is refused if the sandbox starts while the request waits for its turn', async () => {
    await writeFile(real('home/user/large'), randomBytes(8_000_000))
    const reads = files()
    const request = { kind: 'archive', path: '/home/user', only: '[]' } as const
    const [first, second] = [await reads.answer('s', request), await reads.answer('s', request)]
    const third = reads.answer('s', request)
    boot = { state: 'ready' } as unknown as StoredBoot
    for (const answer of [first, second]) if (answer.kind === 'archive') answer.bytes.destroy()
    await expect(third).rejects.toMatchObject({ code: 'sandbox.disk-not-readable' })
  })

  test('breaks off instead of ending if what it reads is removed', async () => {
    await writeFile(real('home/user/large'), randomBytes(8_000_000))
    const bytes = await zip('/home/user')
    await rm(root, { recursive: true })
    await expect(buffer(bytes)).rejects.toThrow()
  }, 60_000)
})
