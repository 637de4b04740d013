import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadMasterKey, makeSecretBox } from './secret-box.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-keys-'))
})
afterEach(() => rm(directory, { recursive: true }))

test.each(['', 'v1', 'v1.AAAA.AAAA', 'v2.a.b', 'sk-plain-text-key'])(
  'a text that is not sealed is not opened: %s',
  (text) => {
    expect(() => makeSecretBox(randomBytes(32)).open(text)).toThrow(
      expect.objectContaining({ code: 'secret.unreadable' }),
    )
  },
)

test('neither another master key nor a changed byte opens a secret', () => {
  const key = randomBytes(32)
  const sealed = makeSecretBox(key).seal('sk-secret')
  expect(() => makeSecretBox(randomBytes(32)).open(sealed)).toThrow(
    expect.objectContaining({ code: 'secret.unreadable' }),
  )
  const last = sealed.at(-1) === 'A' ? 'B' : 'A'
  const changed = `${sealed.slice(0, -1)}${last}`
  // The last character can have unused bits, so the decoded bytes are compared.
  const isChanged = !Buffer.from(changed.split('.')[2] ?? '', 'base64url').equals(
    Buffer.from(sealed.split('.')[2] ?? '', 'base64url'),
  )
  if (isChanged) expect(() => makeSecretBox(key).open(changed)).toThrow()
})

test('a sealed secret can be opened, is unreadable, and is sealed differently each time', () => {
  const box = makeSecretBox(randomBytes(32))
  const sealed = box.seal('sk-geheim-äöü')
  expect(sealed).not.toContain('geheim')
  expect(box.seal('sk-geheim-äöü')).not.toBe(sealed)
  expect(box.open(sealed)).toBe('sk-geheim-äöü')
})

test('a file that is not a master key is refused and left unchanged', async () => {
  const path = join(directory, 'master.key')
  await writeFile(path, 'short')
  await expect(loadMasterKey(path)).rejects.toMatchObject({ code: 'secret.master-key-invalid' })
  expect(await readFile(path, 'utf8')).toBe('short')
})

test('several concurrent starts create one key, readable only by the server, and leave no draft', async () => {
  const path = join(directory, 'master.key')
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadMasterKey(path)))
  expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(directory)).toEqual(['master.key'])
})
