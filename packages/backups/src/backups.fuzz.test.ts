import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isThreadboxError } from '@threadbox/errors'
import { checkProperty, cutAnywhere, cuts } from '@threadbox/testkit/properties'
import { asyncProperty, oneof, property, record, string, uint8Array } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBackupSubject } from './backups.test-utils.ts'
import { contentPieces } from './content-pieces.ts'
import { parseRecoveryKey, verificationKeyOf } from './recovery-key.ts'
import { takeLease } from './store-lease.ts'
import { readIndex } from './stored-backups.ts'

let subject: Awaited<ReturnType<typeof makeBackupSubject>>
beforeAll(async () => {
  subject = await makeBackupSubject()
  await mkdir(join(subject.storeDirectory, 'backups'))
  await mkdir(join(subject.storeDirectory, 'lease'))
})
afterAll(() => subject[Symbol.asyncDispose]())

const anyText = oneof(
  string(),
  string({ unit: 'binary' }),
  record({ format: string(), name: string() }).map((row) => JSON.stringify(row)),
)

test('any bytes as the index of a backup are refused with a code', () =>
  checkProperty(
    'backup-index',
    asyncProperty(anyText, anyText, async (text, signature) => {
      const name = '20261101T120000Z-0123abcd'
      await writeFile(join(subject.storeDirectory, `backups/${name}.sig`), `${text}\n${signature}\n`)
      const key = verificationKeyOf(subject.machine.signingKey)
      await expect(readIndex(subject.store, name, key)).rejects.toMatchObject({ code: 'backup.damaged' })
    }),
  ))

test('any text as a lease belongs to no writer, so the next one takes over', () =>
  checkProperty(
    'backup-lease',
    asyncProperty(anyText, async (text) => {
      await rm(join(subject.storeDirectory, 'lease'), { recursive: true })
      await mkdir(join(subject.storeDirectory, 'lease'))
      await writeFile(join(subject.storeDirectory, 'lease/000000000001'), text)
      const lease = await takeLease({ store: subject.store, holder: 'test', now: subject.now })
      await lease.release()
    }),
    { runs: 30 },
  ))

test('any text is a recovery key or refused with a code', () =>
  checkProperty(
    'recovery-key',
    property(anyText, (text) => {
      for (const tried of [text, `threadbox-recovery-1.${text}`, subject.recoveryKey.slice(0, 60) + text]) {
        try {
          parseRecoveryKey(tried)
        } catch (error) {
          if (!isThreadboxError(error)) throw error
        }
      }
    }),
  ))

test('content that arrives in any parts is cut into the same pieces, and nothing is lost', () =>
  checkProperty(
    'content-pieces',
    asyncProperty(uint8Array({ minLength: 1, maxLength: 64 }), cuts(400_000), async (seed, places) => {
      const bytes = Buffer.alloc(400_000)
      for (let at = 0; at < bytes.length; at++) bytes[at] = ((seed[at % seed.length] ?? 0) * 31 + (at >>> 3) * 7) & 255
      const whole = await piecesIn([bytes])
      expect(Buffer.concat(whole).equals(bytes)).toBe(true)
      expect(await piecesIn(cutAnywhere(bytes, places))).toEqual(whole)
    }),
    { runs: 20 },
  ))

async function piecesIn(parts: readonly Uint8Array[]): Promise<Buffer[]> {
  const found: Buffer[] = []
  const content = async function* () {
    yield* parts
  }
  for await (const piece of contentPieces(content())) found.push(Buffer.from(piece))
  return found
}
