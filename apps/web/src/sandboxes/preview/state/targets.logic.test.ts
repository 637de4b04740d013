import type { Service } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import { chosenTarget, offeredPorts, startedServices, targetsOf } from './targets.logic.ts'

function service(name: string, values: Partial<Service> = {}): Service {
  const command = `run ${name}`
  const rest = { command, port: 8501, cwd: '/home/user', environment: {}, since: 1, problem: null }
  return { name, status: 'running', ...rest, ...values }
}
const view = (...services: Service[]) => ({ services, openPorts: [] })
const namesOf = (services: Service[]) => services.map(({ name }) => name)

describe('tabs', () => {
  const openPorts = [{ port: 5173, command: 'vite', cwd: null }]
  const services = [service('dashboard'), service('api', { port: 8000, status: 'stopped' })]

  test('O10: every service has one, in the order of their start; an open port only if it was requested', () => {
    expect(targetsOf({ services, openPorts }, null).map(({ key }) => key)).toEqual(['dashboard', 'api'])
    expect(targetsOf({ services, openPorts }, ':5173').map(({ key }) => key)).toEqual(['dashboard', 'api', ':5173'])
  })

  test('a selected port that closed is stopped; one that became a service is that service', () => {
    expect(targetsOf(view(), ':5173')).toMatchObject([{ port: 5173, status: 'stopped', service: null }])
    const targets = targetsOf(view(service('web', { port: 5173 })), ':5173')
    expect(targets).toHaveLength(1)
    expect(chosenTarget(targets, ':5173')?.key).toBe('web')
  })

  test('the selected one is in front, else a running one, else the first', () => {
    const targets = targetsOf({ services: services.toReversed(), openPorts }, null)
    expect(chosenTarget(targets, 'api')?.key).toBe('api')
    expect(chosenTarget(targets, 'gone')?.key).toBe('dashboard')
    expect(chosenTarget(targetsOf(view(service('a', { status: 'stopped' })), null), null)?.key).toBe('a')
    expect(chosenTarget([], 'a')).toBeNull()
  })

  test('ports without a tab are offered', () => {
    expect(offeredPorts({ services, openPorts }, targetsOf({ services, openPorts }, null))).toEqual(openPorts)
    expect(offeredPorts({ services, openPorts }, targetsOf({ services, openPorts }, ':5173'))).toEqual([])
  })
})

describe('O4: what started between two views', () => {
  test('is new services, restarted ones, and ones that take another’s name', () => {
    expect(namesOf(startedServices(view(), view(service('a'))))).toEqual(['a'])
    const starting = service('a', { status: 'starting' })
    for (const status of ['running', 'stopped', 'error', 'suspended'] as const) {
      expect(namesOf(startedServices(view(service('a', { status })), view(starting)))).toEqual(['a'])
    }
    expect(namesOf(startedServices(view(service('a', { status: 'error' })), view(service('a'))))).toEqual(['a'])
    const other = view(service('a', { command: 'another' }))
    expect(namesOf(startedServices(view(service('a')), other))).toEqual(['a'])
  })

  test('is not a service that became ready, woke or ended', () => {
    const before = ['starting', 'suspended', 'running'] as const
    for (const status of before) expect(startedServices(view(service('a', { status })), view(service('a')))).toEqual([])
    const starting = view(service('a', { status: 'starting' }))
    expect(startedServices(starting, starting)).toEqual([])
    expect(startedServices(view(service('a')), view(service('a', { status: 'error' })))).toEqual([])
  })

  test('in a thread without an earlier view is only what is starting now', () => {
    expect(startedServices(undefined, view(service('a')))).toEqual([])
    expect(startedServices(undefined, view(service('a', { since: 999 })), 1000)).toEqual([])
    expect(namesOf(startedServices(undefined, view(service('a', { since: 1000 })), 1000))).toEqual(['a'])
    expect(startedServices(undefined, view(service('a', { since: 1000, status: 'suspended' })), 1000)).toEqual([])
    expect(namesOf(startedServices(undefined, view(service('a', { status: 'starting' }))))).toEqual(['a'])
  })
})
