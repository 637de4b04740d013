import { checkProperty, foreignJson } from '@threadbox/testkit/properties'
import { property } from 'fast-check'
import { expect, test } from 'vitest'
import { modelFailureOf } from './model-failure.logic.ts'

const keys = [
  'message',
  'type',
  'code',
  'name',
  'statusCode',
  'responseBody',
  'responseHeaders',
  'errors',
  'error',
  'cause',
  'retry-after',
]

test('any error that a provider sends is a failure with a message of limited length', () =>
  checkProperty(
    'model-failures',
    property(foreignJson(keys), foreignJson(keys), (error, body) => {
      for (const given of [error, { statusCode: 429, responseBody: JSON.stringify(body), responseHeaders: error }]) {
        const failure = modelFailureOf(given, { nowMs: 1000, provider: 'The provider' })
        expect(failure.message.length).toBeLessThanOrEqual(500)
        expect(failure.actions.length).toBeGreaterThan(0)
        if (failure.retryAt !== null) {
          expect(failure.retryAt).toBeGreaterThanOrEqual(1000)
          expect(failure.retryAt).toBeLessThanOrEqual(1000 + 86_400_000)
        }
      }
    }),
    { runs: 500 },
  ))
