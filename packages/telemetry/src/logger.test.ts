import { expect, test } from 'vitest'
import { makeLogger } from './logger.ts'
import { withoutSecrets } from './redaction.ts'

function recorded() {
  const lines: Record<string, unknown>[] = []
  const logger = makeLogger({
    process: 'test',
    level: 'debug',
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  })
  return { logger, lines }
}

test('an error is logged with its message, its stack and its cause', () => {
  const { logger, lines } = recorded()
  logger.error({ err: new Error('no disk', { cause: new Error('I/O error') }), sandboxId: 's1' }, 'not started')
  expect(lines).toMatchObject([
    { sandboxId: 's1', msg: 'not started', err: { type: 'Error', message: 'no disk: I/O error' } },
  ])
  expect(lines[0]?.err).toHaveProperty('stack', expect.stringContaining('caused by: Error: I/O error'))
})

test('a field named error does not compile, because it would be logged without message and stack', () => {
  const { logger, lines } = recorded()
  const error: unknown = new Error('no disk')
  const fields = { error: new Error('no disk'), sandboxId: 's1' }
  // @ts-expect-error
  logger.warn({ error }, 'not started')
  // @ts-expect-error
  logger.warn({ sandboxId: 's1', error: 'no disk' }, 'not started')
  // @ts-expect-error
  logger.warn(fields, 'not started')
  // @ts-expect-error
  logger.warn({ ...fields }, 'not started')
  // @ts-expect-error
  logger.child({ error })
  // @ts-expect-error
  Promise.resolve().catch((error) => logger.warn({ error }, 'not started'))
  expect(lines).not.toContainEqual(expect.objectContaining({ error: expect.objectContaining({ message: 'no disk' }) }))
})

test('values of secret fields are not logged', () => {
  const { logger, lines } = recorded()
  logger.child({ password: 'hunter2' }).info({ request: { token: 'abc' } }, 'signed in')
  expect(lines).toMatchObject([{ password: '[removed]', request: { token: '[removed]' } }])
})

test('the same values are removed from a line that is already written, at any depth', () => {
  const line = { msg: 'signed in', deep: [{ request: { deeper: { cookie: 'abc', path: '/' } } }], password: 'hunter2' }
  expect(withoutSecrets(line)).toEqual({
    msg: 'signed in',
    deep: [{ request: { deeper: { cookie: '[removed]', path: '/' } } }],
    password: '[removed]',
  })
})
