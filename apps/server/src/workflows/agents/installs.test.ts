import type { AgentOffer, ToolCallEntry } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

onBothDatabases((target) => {
  let host: HostStandIn
  let server: TestApplication
  let owner: TestPerson
  beforeEach(async () => {
    host = await startHostStandIn()
    server = await makeTestApplication({ ...(await target()), hostSocket: host.socketPath })
    owner = await server.signUpOwner()
    await server.start()
    await host.followed()
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })

  let turns = 0
  const newThread = async (person = owner) => (await server.areas.threads.threads.create(person.userId, {})).id
  /** Records a turn whose command has ended, because the stand-in runs none. */
  const say = async (threadId: string, command: string, outcome: Partial<ToolCallEntry> = {}) => {
    turns += 1
    const [id, at] = [`turn-of-the-test-${turns}`, server.clock.now]
    const entry: ToolCallEntry = {
      id: `call-of-the-test-${turns}`,
      turnId: id,
      at,
      kind: 'tool-call',
      stepId: null,
      tool: 'run_command',
      input: { command },
      status: 'succeeded',
      startedAt: at,
      endedAt: at,
      error: null,
      output: { tail: '', tailOffset: 0, sizeBytes: 0 },
      result: { kind: 'command', exitCode: 0, cwd: null },
      ...outcome,
    }
    await server.areas.threads.log.append(threadId, [{ type: 'entry-added', entry }])
    await server.areas.workflows.installs.turnEnded({ id, threadId })
  }
  const threadWith = async (command: string, person = owner) => {
    const threadId = await newThread(person)
    await say(threadId, command)
    return threadId
  }
  const offer = async (threadId: string, method = 'GET', person = owner) => {
    const response = await server.call(method, `/api/v1/threads/${threadId}/agent-offer`, { person })
    return ((await response.json()) as AgentOffer).packages
  }

  test('C13: the same packages in a third thread are offered there, once, and only to the owner of the threads', async () => {
    await threadWith('pip install pandas-ta prophet')
    const second = await threadWith('pip install prophet pandas-ta jq')
    const other = await server.addPerson('other')
    const theirs = await threadWith('pip install prophet', other)
    // Installing twice in one thread counts as one thread.
    await say(second, 'pip install --upgrade prophet')
    expect([await offer(second), await offer(theirs, 'GET', other)]).toEqual([[], []])
    const third = await threadWith('pip install pandas-ta && pip install prophet && pip install polars')
    expect(await offer(third)).toEqual(['pandas-ta', 'prophet'])
    const fourth = await threadWith('pip install prophet')
    expect(await offer(fourth)).toEqual([])
    expect(await offer(third, 'DELETE')).toEqual(['pandas-ta', 'prophet'])
    expect(await offer(third)).toEqual([])
    await say(third, 'pip install pandas-ta')
    expect(await offer(third)).toEqual([])
    // A package that was never offered is offered in its third thread.
    await threadWith('sudo apt-get install -y jq polars')
    await threadWith('pip install polars')
    const sixth = await threadWith('pip install polars prophet')
    expect(await offer(sixth)).toEqual(['polars'])
  })

  test('failed and stopped commands count as installing nothing; a Python cell can count', async () => {
    await threadWith('pip install prophet')
    await threadWith('pip install prophet')
    const third = await newThread()
    await say(third, 'pip install prophet', { result: { kind: 'command', exitCode: 1, cwd: null } })
    await say(third, 'pip install prophet', { status: 'stopped' })
    expect(await offer(third)).toEqual([])
    const cell: ToolCallEntry['result'] = { kind: 'python', displays: [], traceback: null }
    await say(third, '', { tool: 'run_python', input: { code: '%pip install prophet' }, result: cell })
    expect(await offer(third)).toEqual(['prophet'])
  })

  test('another user’s thread has no offer, and an erased thread does not count', async () => {
    const first = await threadWith('pip install prophet')
    await threadWith('pip install prophet')
    const other = await server.addPerson('other')
    expect((await server.call('GET', `/api/v1/threads/${first}/agent-offer`, { person: other })).status).toBe(404)
    await tablesIn(server.open).deleteFrom('threads').where('id', '=', first).execute()
    expect(await offer(await threadWith('pip install prophet'))).toEqual([])
    expect(await offer(await threadWith('pip install prophet'))).toEqual(['prophet'])
  })
})
