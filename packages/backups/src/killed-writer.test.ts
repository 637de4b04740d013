import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { boundaries } from '@threadbox/testkit/repeats'
import { expect, test } from 'vitest'
import { makeBackupSubject } from './backups.test-utils.ts'
import { verificationKeyOf } from './recovery-key.ts'
import { listBackups } from './stored-backups.ts'
import { verifyBackups, verifyContent } from './verify-backups.ts'

const writes = [
  'the lease is taken',
  'the first pack is stored',
  'the second pack is stored',
  'the third pack is stored',
  'the manifest is stored',
  'the index is stored',
] as const

test('a writer that is killed at any of its writes leaves every earlier backup intact, and the next one works', async () => {
  await using subject = await makeBackupSubject()
  const files = { 'database/server.db': { content: randomBytes(150_000) } }
  const first = await subject.write(files)
  const at = boundaries({ of: 'a backup', killed: 'its writer', at: writes })
  for (const [place, boundary] of at.entries()) {
    for (const when of ['before', 'after'] as const) {
      subject.clock.now += 3_600_000
      const order = {
        storeDirectory: subject.storeDirectory,
        workDirectory: join(subject.directory, 'work'),
        keys: subject.machine,
        now: subject.clock.now,
        number: place + 1,
        when,
      }
      const program = join(import.meta.dirname, 'killed-writer.main.ts')
      const writer = spawn(process.execPath, [program, JSON.stringify(order)], { stdio: 'inherit' })
      expect((await once(writer, 'exit'))[1], `${boundary}, ${when}`).toBe('SIGKILL')
      const isComplete = boundary === 'the index is stored' && when === 'after'
      expect(await listBackups(subject.store), `${boundary}, ${when}`).toHaveLength(isComplete ? 2 : 1)
    }
  }
  subject.clock.now += 3_600_000
  const last = await subject.write(files)
  const verified = await verifyBackups(subject.store, verificationKeyOf(subject.machine.signingKey))
  expect(verified.map(({ problems }) => problems)).toEqual([[], [], []])
  expect((await verifyContent(subject.store, last.name, subject.key)).problems).toEqual([])
  expect((await subject.restore(first.name)).lost).toEqual([])
})
