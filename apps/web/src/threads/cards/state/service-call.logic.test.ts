import type { Service, ToolCallEntry } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { serviceOfCall } from './service-call.logic.ts'

const service: Service = {
  name: 'dashboard',
  command: 'python app.py',
  port: 8501,
  cwd: '/home/user',
  environment: {},
  status: 'running',
  since: 1,
  problem: null,
}

function call(values: Partial<ToolCallEntry>): ToolCallEntry {
  return {
    id: 'c',
    turnId: 't',
    at: 1,
    kind: 'tool-call',
    stepId: null,
    tool: 'start_service',
    input: { name: 'api', port: 8000, command: 'node api.js' },
    status: 'succeeded',
    startedAt: 1,
    endedAt: 2,
    output: { tail: '', tailOffset: 0, sizeBytes: 0 },
    result: null,
    error: null,
    ...values,
  }
}

test('O6: a call that started a service has the card of that service, also before it is ready', () => {
  expect(serviceOfCall(call({ result: { kind: 'service', service } }))).toMatchObject({ name: 'dashboard', port: 8501 })
  expect(serviceOfCall(call({ status: 'running' }))).toMatchObject({ name: 'api', port: 8000, isRunning: true })
})

test('a call that started nothing, or that only listed services, has none', () => {
  for (const status of ['failed', 'stopped', 'interrupted'] as const) expect(serviceOfCall(call({ status }))).toBeNull()
  expect(serviceOfCall(call({ status: 'running', input: 'anything' }))).toBeNull()
  expect(serviceOfCall(call({ status: 'running', input: null }))).toBeNull()
  expect(serviceOfCall(call({ tool: 'stop_service', result: { kind: 'service', service } }))).toBeNull()
})
