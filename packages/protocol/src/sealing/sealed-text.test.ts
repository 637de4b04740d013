import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeSealingKey, openText, sealText } from './sealed-text.ts'

const key = await makeSealingKey()

test('a text that was sealed for another key, or was changed, does not open', async () => {
  const sealed = await sealText('a secret', key.publicKey)
  const other = await makeSealingKey()
  await expect(openText(sealed, other.privateKey)).rejects.toThrow()
  for (const at of [0, 40, 120, sealed.length - 3]) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
    await expect(openText(changed, key.privateKey)).rejects.toThrow()
  }
  await expect(openText('', key.privateKey)).rejects.toThrow()
})

test('every text opens as it was, and nothing of it is in what was sealed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 8 }), async (text) => {
      const sealed = await sealText(text, key.publicKey)
      expect(await openText(sealed, key.privateKey)).toBe(text)
      for (const form of ['utf8', 'base64url'] as const) expect(sealed).not.toContain(Buffer.from(text).toString(form))
    }),
    { numRuns: 20 },
  )
})

test('the public key has nothing of the private one', () => {
  const { d } = JSON.parse(key.privateKey) as { d: string }
  expect(d).toHaveLength(43)
  expect(key.publicKey).not.toContain(d)
})
