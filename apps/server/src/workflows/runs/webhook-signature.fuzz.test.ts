import { createHmac } from 'node:crypto'
import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { property, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { isInTime, isSignedBy, makeWebhookSecret, messageOf } from './webhook-signature.logic.ts'

test('only a request signed with the secret is accepted, whatever else is in the header', () =>
  checkProperty(
    'webhook-signatures',
    property(
      uint8Array({ minLength: 32, maxLength: 32 }),
      foreignText(),
      foreignText(),
      uint8Array(),
      (key, id, forged, body) => {
        const secret = makeWebhookSecret(() => key)
        const timestamp = '1700000000'
        const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
        const request = { id, timestamp, body }
        expect(isSignedBy(secret, { ...request, signature: `v1,${mac}` })).toBe(true)
        expect(isSignedBy(secret, { ...request, signature: forged })).toBe(false)
        expect(isSignedBy(secret, { ...request, signature: `v1,${forged}` })).toBe(false)
      },
    ),
  ))

test('a body of any text is one line after the task', () =>
  checkProperty(
    'webhook-messages',
    property(foreignText(200), foreignText(20), (body, timestamp) => {
      const message = messageOf('The task.', body)
      const lines = message.split('\n')
      expect(lines.length).toBe(body.trim() === '' ? 1 : 4)
      expect(lines[0]).toBe('The task.')
      isInTime(timestamp, 0)
    }),
  ))
