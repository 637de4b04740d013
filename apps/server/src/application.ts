import type { Hono } from 'hono'
import { type Installation, makeInstallation } from './installation/installation.ts'
import { makePeople, type People } from './people/people.ts'
import { authenticateHeaders } from './people/users/authentication.middleware.ts'
import type { Api, ApiEnv } from './platform/http/api.ts'
import { makeSocketServer, type SocketServer } from './platform/http/socket-server.ts'
import { makePlatform, type Platform } from './platform/platform.ts'
import type { PreviewServer } from './sandboxes/previews/preview-server.ts'
import { makeSandboxArea, type SandboxArea } from './sandboxes/sandboxes.ts'
import { makeServer } from './server.ts'
import { makeThreadArea, type ThreadArea } from './threads/threads.ts'
import { makeTurnArea, type TurnArea } from './turns/turns.ts'
import { makeWorkflowArea, type WorkflowArea } from './workflows/workflows.ts'

export type ApplicationOptions = Parameters<typeof makePlatform>[0] &
  Parameters<typeof makePeople>[1] &
  Parameters<typeof makeThreadArea>[1] &
  Parameters<typeof makeSandboxArea>[1] &
  Parameters<typeof makeTurnArea>[1] &
  Parameters<typeof makeWorkflowArea>[1] &
  Parameters<typeof makeInstallation>[1]

export type Areas = {
  platform: Platform
  people: People
  threads: ThreadArea
  sandboxes: SandboxArea
  turns: TurnArea
  workflows: WorkflowArea
  installation: Installation
}

/** The complete server without a socket. Migrate the database before. */
export type Application = {
  app: Hono<ApiEnv>
  api: Api
  /** Handles requests under the names of previews. */
  previewServer: PreviewServer
  /** Accepts the app's WebSockets. */
  socketServer: SocketServer
  areas: Areas
  /** Resumes what a crash or a stop left unfinished, then follows the host. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Creates each area from the previous ones. Nothing is looked up later. */
export function makeApplication(options: ApplicationOptions): Application {
  const platform = makePlatform(options)
  const people = makePeople(platform, options)
  const threads = makeThreadArea({ platform, people }, options)
  const sandboxes = makeSandboxArea({ platform, people, threads }, options)
  const turns = makeTurnArea({ platform, people, threads, sandboxes }, options)
  const workflows = makeWorkflowArea({ platform, people, threads, sandboxes, turns }, options)
  const measured = { people, threads, turns, sandboxes, runs: workflows.runs, operations: platform.operations }
  const installation = makeInstallation({ platform, ...people, models: turns.models, measured }, options)
  const areas: Areas = { platform, people, threads, sandboxes, turns, workflows, installation }
  const { authentication } = people
  const socketServer = makeSocketServer({
    routes: [...threads.sockets, ...sandboxes.sockets],
    hosts: options.hosts,
    authenticate: (headers) => authenticateHeaders(authentication, headers),
    logger: options.logger,
  })
  const stopping = new AbortController()
  const { app, api } = makeServer({
    hosts: options.hosts,
    version: options.version,
    webDirectory: options.webDirectory,
    logger: options.logger,
    stopping: stopping.signal,
    authentication,
    clientAddress: platform.clientAddress,
    healthPages: installation.healthPages,
    onAnswered: installation.answered,
    publicRoutes: [installation.setupRoutes, ...people.signInRoutes],
    routes: [people, threads, sandboxes, turns, workflows, installation].flatMap(({ routes }) => routes),
    sharedPages: workflows.sharedPages,
    hookPages: workflows.hookPages,
    signInPages: people.oidc.pages,
  })
  const running = { ...areas, stopping, socketServer }
  const { logger } = options
  return {
    app,
    api,
    previewServer: sandboxes.previewServer,
    socketServer,
    areas,
    start: () => runInOrder(startSteps, { running, logger }),
    stop: () => runInOrder(stopSteps, { running, logger }),
  }
}

type Running = Areas & { stopping: AbortController; socketServer: SocketServer }
type Step = readonly [title: string, run: (running: Running) => unknown]

/** Reclaim, reconcile, serve. Before you move a line, explain in docs/concurrency.md why that is safe. */
const startSteps: readonly Step[] = [
  ['close the lists of registrations', ({ platform }) => platform.registrations.close()],
  ['check the end of the audit log', ({ people }) => people.audit.checkHeadFile()],
  ['plan removals of deleted threads', ({ threads }) => threads.replanDeletions()],
  ['follow the host', ({ sandboxes }) => sandboxes.follow()],
  ['remove unfinished environments', ({ workflows }) => workflows.recoverEnvironments()],
  ['settle unwatched programs', ({ turns }) => turns.recoverPrograms()],
  ['start operations', ({ platform }) => platform.operations.start()],
  ['check awake sandboxes', ({ sandboxes }) => sandboxes.checkAwake()],
  ['finish reports and removals', ({ sandboxes }) => sandboxes.recoverLifecycle()],
  ['finish rewinds', ({ workflows }) => workflows.recoverRewinds()],
  ['resume turns', ({ turns }) => turns.recover()],
  ['start runs', ({ workflows }) => workflows.startRuns()],
  ['check sign-ins at providers', ({ people }) => people.oidc.rechecks.start()],
  ['start the policy', ({ sandboxes }) => sandboxes.startPolicy()],
  ['measure the machine', ({ installation }) => installation.sampler.start()],
  ['start daily backups', ({ installation }) => installation.backups.schedule.start()],
]

/** Ends access first, dependencies last. */
const stopSteps: readonly Step[] = [
  ['end what streams', ({ stopping }) => stopping.abort()],
  ['stop measuring the machine', ({ installation }) => installation.sampler.stop()],
  ['stop backups', ({ installation }) => installation.backups.stop()],
  ['close previews', ({ sandboxes }) => sandboxes.previewServer.close()],
  ['close sockets', ({ socketServer }) => socketServer.close()],
  ['close shared pages', ({ workflows }) => workflows.stopSharing()],
  ['stop runs', ({ workflows }) => workflows.stopRuns()],
  ['let go of turns', ({ turns }) => turns.stopTurns()],
  ['finish snapshots', ({ turns }) => turns.stopSnapshots()],
  ['end connections', ({ turns }) => turns.stopConnections()],
  ['stop the policy', ({ sandboxes }) => sandboxes.stopPolicy()],
  ['stop reports', ({ sandboxes }) => sandboxes.stopReports()],
  ['finish records of threads', ({ threads }) => threads.log.finish()],
  ['stop watches', ({ sandboxes }) => sandboxes.stopWatches()],
  ['stop operations', ({ platform }) => platform.operations.stop()],
  ['stop following the host', ({ sandboxes }) => sandboxes.stopFollowing()],
  ['stop checks of sign-ins', ({ people }) => people.oidc.stop()],
  ['finish the audit log', ({ people }) => people.audit.settled()],
]

async function runInOrder(
  steps: readonly Step[],
  { running, logger }: { running: Running; logger: ApplicationOptions['logger'] },
): Promise<void> {
  for (const [step, run] of steps) {
    logger.debug({ step }, 'step of start or stop')
    await run(running)
  }
}
