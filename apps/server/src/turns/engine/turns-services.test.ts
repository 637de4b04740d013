import { services as guest } from '@threadbox/protocol/guest'
import type { Entry, ToolCallEntry } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestBench, type TestBench } from './turns.test-utils.ts'

const { ServiceState, ServiceProblem } = guest

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

const isCall = (entry: Entry): entry is ToolCallEntry => entry.kind === 'tool-call'
const calls = async () => (await bench.entries()).filter(isCall)

test('O4: a service that exits immediately fails the call, with its card, its code and its last lines for the model', async () => {
  const lastLines = Buffer.from('ModuleNotFoundError: flask\n')
  const end = { state: ServiceState.FAILED, problem: ServiceProblem.EXITED, exitCode: 1, message: 'It ended.' }
  bench.guest.startsAs = { ...end, lastLines }
  await bench.connect()
  bench.model.reply({
    calls: [
      { name: 'start_service', input: { name: 'app', command: 'flask run', port: 5000, environment: ['A=b=c'] } },
    ],
  })
  bench.model.reply({ text: 'It failed.' })
  await bench.say('serve it')
  const [call] = await calls()
  expect(call).toMatchObject({
    tool: 'start_service',
    status: 'failed',
    error: { code: 'service.failed' },
    result: {
      kind: 'service',
      service: { name: 'app', status: 'error', environment: { A: 'b=c' }, cwd: '/home/user' },
    },
  })
  const asked = JSON.stringify(bench.model.requests.at(-1)?.body)
  expect(asked).toContain('ModuleNotFoundError: flask')
  expect(asked).toContain('It ended.')
})

test('O4: /serve starts the command on its port, and a second /serve restarts it', async () => {
  bench.guest.startsAs = { state: ServiceState.RUNNING }
  await bench.say('/serve 8000 python3 -m http.server 8000')
  const [call] = await calls()
  expect(call).toMatchObject({
    status: 'succeeded',
    result: { kind: 'service', service: { name: 'port-8000', port: 8000, status: 'running' } },
  })
  expect(bench.guest.starts).toMatchObject([{ name: 'port-8000', command: 'python3 -m http.server 8000' }])
  await bench.turns.runAgain(bench.threadId, call?.id ?? '')
  await bench.turns.settled(bench.threadId)
  expect(bench.guest.starts).toHaveLength(2)
  await bench.say('/serve nothing')
  expect((await bench.entries()).at(-1)).toMatchObject({ kind: 'notice', code: 'help' })
})

test('O4: list, logs, restart and stop return the current state', async () => {
  bench.guest.startsAs = { state: ServiceState.RUNNING }
  bench.guest.logs.set('app', 'listening\n')
  await bench.connect()
  await bench.say('/serve 8000 run')
  const use = async (name: string, input: unknown) => {
    bench.model.reply({ calls: [{ name, input }] })
    bench.model.reply({ text: 'Done.' })
    await bench.say(`use ${name}`)
    return (await calls()).at(-1)
  }
  expect((await use('list_services', {}))?.result).toMatchObject({ text: 'port-8000  port 8000  running  (run)' })
  expect((await use('service_logs', { name: 'port-8000' }))?.result).toMatchObject({ kind: 'text', text: '' })
  expect((await use('restart_service', { name: 'port-8000' }))?.status).toBe('succeeded')
  expect(bench.guest.starts).toHaveLength(2)
  expect((await use('stop_service', { name: 'port-8000' }))?.result).toMatchObject({ service: { status: 'stopped' } })
  expect(await use('stop_service', { name: 'nobody' })).toMatchObject({
    status: 'failed',
    error: { code: 'service.not-found' },
  })
})
