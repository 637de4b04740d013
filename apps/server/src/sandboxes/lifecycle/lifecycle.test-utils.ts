import type {
  LifecycleLogEntry,
  NoticeEntry,
  SandboxDetail,
  SurvivalReport,
  WakeEntry,
} from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { expect, vi } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import type { ArchiveOptions } from '../archive/archive.ts'
import type { Sandbox } from '../state/sandbox.logic.ts'

/** A server with a stand-in host, one person and one thread. */
export type LifecycleBench = AsyncDisposable & {
  host: HostStandIn
  server: TestApplication
  owner: TestPerson
  threadId: string
  /** Starts to follow the host and to apply the policy. */
  start(): Promise<void>
  newThread(): Promise<string>
  awake(threadId?: string): Promise<{ sandboxId: string; bootId: string }>
  call(method: string, rest?: string, body?: unknown): Promise<Response>
  detail(method?: string, rest?: string, body?: unknown): Promise<SandboxDetail>
  row(threadId?: string): Promise<Sandbox>
  state(threadId?: string): Promise<string>
  codes(): Promise<LifecycleLogEntry['code'][]>
  notices(): Promise<NoticeEntry[]>
  wakes(): Promise<WakeEntry[]>
  /** The newest report, once it is complete. */
  reported(count?: number): Promise<SurvivalReport>
  /** Moves the clock, and does everything that is due. */
  pass(milliseconds: number): Promise<void>
}

export async function makeLifecycleBench(
  options: { databaseUrl?: string; egressSocket?: string; logger?: Logger; archive?: ArchiveOptions } = {},
): Promise<LifecycleBench> {
  const host = await startHostStandIn()
  const server = await makeTestApplication({ ...options, hostSocket: host.socketPath })
  const owner = await server.signUpOwner()
  const newThread = async () => (await server.areas.threads.threads.create(owner.userId, {})).id
  const threadId = await newThread()
  const entries = () => server.areas.threads.log.entries(threadId)
  const bench: LifecycleBench = {
    host,
    server,
    owner,
    threadId,
    newThread,
    start: async () => {
      const reached = Promise.withResolvers<void>()
      using _listener = server.areas.people.userHub.subscribe(owner.userId, (event) => {
        if (event.type === 'status-updated') reached.resolve()
      })
      await server.start()
      await host.followed()
      await reached.promise
    },
    awake: (id = threadId) => server.areas.sandboxes.sandboxes.awake(id, { reason: 'turn' }),
    call: (method, rest = '', body = undefined) =>
      server.call(method, `/api/v1/threads/${threadId}/sandbox${rest}`, {
        person: owner,
        ...(body === undefined ? {} : { body }),
      }),
    detail: async (method = 'GET', rest = '', body = undefined) => {
      const response = await bench.call(method, rest, body)
      const answer = (await response.json()) as SandboxDetail
      expect(response.status, JSON.stringify(answer)).toBe(200)
      return answer
    },
    row: async (id = threadId) => {
      const row = await server.areas.sandboxes.inside.store.find(id)
      if (row === undefined) throw new Error('the thread has no sandbox')
      return row
    },
    state: async (id = threadId) => (await bench.row(id)).state,
    codes: async () => (await bench.detail()).log.map(({ code }) => code),
    notices: async () => (await entries()).filter((entry): entry is NoticeEntry => entry.kind === 'notice'),
    wakes: async () => (await entries()).filter((entry): entry is WakeEntry => entry.kind === 'wake'),
    reported: (count = 1) =>
      vi.waitFor(
        async () => {
          const wakes = await bench.wakes()
          const report = wakes.at(-1)?.report
          if (wakes.length < count || report?.status !== 'complete') throw new Error('not complete yet')
          return report
        },
        { timeout: 20_000 },
      ),
    pass: async (milliseconds) => {
      server.clock.now += milliseconds
      await server.areas.sandboxes.inside.lifecycle.policyLoop.check()
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
    },
  }
  return bench
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
