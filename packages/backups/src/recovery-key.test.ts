import { expect, test } from 'vitest'
import { endOf, isSigned, makeKeys, parseRecoveryKey, signText, verificationKeyOf } from './recovery-key.ts'

test('the recovery key is one text, accepted also with spaces and line breaks in it', async () => {
  const { recoveryKey, machine } = await makeKeys()
  const key = parseRecoveryKey(recoveryKey)
  expect(key.verificationKey).toBe(verificationKeyOf(machine.signingKey))
  expect(parseRecoveryKey(` ${recoveryKey.slice(0, 40)}\n  ${recoveryKey.slice(40)}\n`)).toEqual(key)
  expect(endOf(recoveryKey)).toMatch(/^[0-9a-f]{8}$/)
  expect(JSON.stringify(machine)).not.toContain('AGE-SECRET-KEY')
})

test('a key with a changed, missing or foreign part is refused', async () => {
  const { recoveryKey } = await makeKeys()
  const other = (await makeKeys()).recoveryKey
  const parts = recoveryKey.split('.')
  const texts = [
    '',
    recoveryKey.slice(0, -1),
    recoveryKey.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    recoveryKey.replace('threadbox-recovery-1', 'threadbox-recovery-2'),
    [parts[0], other.split('.')[1], parts[2], parts[3]].join('.'),
    `${recoveryKey}.more`,
    parts[1] ?? '',
  ]
  for (const text of texts) {
    expect(() => parseRecoveryKey(text), text).toThrow(expect.objectContaining({ code: 'backup.recovery-key-invalid' }))
  }
})

test('a signature counts for its text and its key only', async () => {
  const { machine } = await makeKeys()
  const signature = signText('text', machine.signingKey)
  const verificationKey = verificationKeyOf(machine.signingKey)
  expect(isSigned('text', signature, verificationKey)).toBe(true)
  expect(isSigned('other', signature, verificationKey)).toBe(false)
  expect(isSigned('text', '', verificationKey)).toBe(false)
  const other = verificationKeyOf((await makeKeys()).machine.signingKey)
  expect(isSigned('text', signature, other)).toBe(false)
})
