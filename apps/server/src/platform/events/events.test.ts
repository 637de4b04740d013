import type { Logger } from '@threadbox/telemetry'
import { expect, test } from 'vitest'
import { makeEvents } from './events.ts'
import { makeRegistrations } from './registrations.ts'

type Payloads = { 'thing-changed': { id: string }; 'thing-gone': Record<string, never> }

function makeBench() {
  const warnings: unknown[] = []
  const logger = { warn: (fields: unknown) => warnings.push(fields) } as unknown as Logger
  return { events: makeEvents<Payloads>(logger), warnings }
}

test('listeners are called in the order of registration, before emit returns', () => {
  const { events } = makeBench()
  const called: string[] = []
  events.on('thing-changed', async ({ id }) => void called.push(`first ${id}`))
  events.on('thing-changed', ({ id }) => void called.push(`second ${id}`))
  events.on('thing-gone', () => void called.push('gone'))
  void events.emit('thing-changed', { id: 'a' })
  expect(called).toEqual(['first a', 'second a'])
})

test('emit resolves when the slowest listener has finished', async () => {
  const { events } = makeBench()
  const slow = Promise.withResolvers<void>()
  let hasEnded = false
  events.on('thing-changed', () => slow.promise)
  const emitted = events.emit('thing-changed', { id: 'a' }).then(() => {
    hasEnded = true
  })
  await Promise.resolve()
  expect(hasEnded).toBe(false)
  slow.resolve()
  await emitted
  expect(hasEnded).toBe(true)
})

test('a listener that throws does not stop the others, and is logged with the event’s name', async () => {
  const { events, warnings } = makeBench()
  const called: string[] = []
  events.on('thing-changed', () => {
    throw new Error('at once')
  })
  events.on('thing-changed', async () => {
    throw new Error('later')
  })
  events.on('thing-changed', ({ id }) => void called.push(id))
  await events.emit('thing-changed', { id: 'a' })
  expect(called).toEqual(['a'])
  expect(warnings).toMatchObject([
    { event: 'thing-changed', err: { message: 'at once' } },
    { event: 'thing-changed', err: { message: 'later' } },
  ])
})

test('an event without listeners can be emitted', async () => {
  await expect(makeBench().events.emit('thing-gone', {})).resolves.toBeUndefined()
})

test('an entry added after the start throws instead of being missed', () => {
  const registrations = makeRegistrations()
  const erasers = registrations.list<string>('things.addEraser')
  erasers.add('one')
  registrations.close()
  expect(() => erasers.add('two')).toThrow('things.addEraser was called after the start')
  expect(registrations.counts()).toEqual({ 'things.addEraser': 1 })
})

test('a list for exactly one entry rejects a second one, and reports a missing one', () => {
  const views = makeRegistrations().one<string>('things.setViews')
  expect(() => views.get()).toThrow('things.setViews was not called')
  views.set('one')
  expect(() => views.set('two')).toThrow('things.setViews was called twice')
  expect(views.get()).toBe('one')
})
