import type { Agent, Run, RunPage, Schedule, StartRun } from '@threadbox/protocol/public'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import type { ApplicationOptions } from '../../application.ts'
import { tablesIn } from '../../tables.test-utils.ts'

/**
 * The real application with one agent and a scripted model. Nothing is due automatically: `runDue` does what is due.
 */
export type RunBench = AsyncDisposable & {
  server: TestApplication
  model: ModelServer
  owner: TestPerson
  agent: Agent
  request<Answer>(method: string, path: string, body?: unknown, person?: TestPerson): Promise<Answer>
  codeOf(method: string, path: string, body?: unknown, person?: TestPerson): Promise<string>
  start(request?: Partial<StartRun>): Promise<Run>
  schedule(request: object): Promise<Schedule>
  /** Newest first. */
  runs(): Promise<Run[]>
  /** Runs what is due until nothing is running or can begin. */
  finish(): Promise<Run[]>
  /** The texts of all messages that runs sent. */
  messages(): Promise<string[]>
}

export async function makeRunBench(
  options: { databaseUrl?: string; databaseFile?: string } & Partial<ApplicationOptions> = {},
): Promise<RunBench> {
  const server = await makeTestApplication(options)
  const model = await startModelServer()
  model.when((request) => (request.tools.length > 0 ? { text: 'Done.' } : undefined))
  const owner = await server.signUpOwner()
  const call = (method: string, path: string, body?: unknown, person = owner) =>
    server.call(method, `/api/v1${path}`, { person, body })
  const request = async <Answer>(method: string, path: string, body?: unknown, person = owner) =>
    (await (await call(method, path, body, person)).json()) as Answer
  await server.areas.turns.models.connect({
    provider: 'anthropic',
    model: 'test-model',
    baseUrl: model.baseUrls.anthropic,
    apiKey: 'key',
  })
  const agent = await request<Agent>('POST', '/agents', { name: 'Reporter' })
  const runs = async () => (await request<RunPage>('GET', `/agents/${agent.id}/runs`)).runs
  return {
    server,
    model,
    owner,
    agent,
    request,
    runs,
    codeOf: async (...given) => (await request<{ error?: { code: string } }>(...given)).error?.code ?? 'accepted',
    start: (more) => request('POST', `/agents/${agent.id}/runs`, { input: 'Report.', ...more }),
    schedule: (more) =>
      request('POST', `/agents/${agent.id}/schedules`, {
        name: 'Nightly',
        cron: '30 2 * * *',
        timeZone: 'Europe/Berlin',
        input: 'Report.',
        ...more,
      }),
    finish: async () => {
      for (;;) {
        await server.areas.workflows.runs.runDue()
        const open = (await runs()).filter(({ endedAt }) => endedAt === null)
        if (open.length === 0) return await runs()
        for (const { threadId } of open) if (threadId !== null) await server.areas.turns.turns.settled(threadId)
      }
    },
    messages: async () => {
      const rows = await tablesIn(server.open).selectFrom('turn_runs').select('user_text').execute()
      return rows.map(({ user_text }) => user_text)
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await model.close()
    },
  }
}
