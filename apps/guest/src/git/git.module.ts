import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceImpl } from '@connectrpc/connect'
import { type git, gitAnswerHeader, gitAnswerSchema, guestPaths } from '@threadbox/protocol/guest'
import { bodyUnreadable, sendJson } from '../ground/http.ts'
import { headerOf, pathOf, type Route } from '../ground/server.ts'
import { type GitBroker, makeGitBroker } from './git-broker.ts'
import { type GitConfig, makeGitConfig } from './git-config.ts'

const keepAliveMs = 15_000
const idPattern = '([0-9a-f-]{36})'
const bodyPattern = new RegExp(`^${guestPaths.gitBody(idPattern)}$`)
const answerPattern = new RegExp(`^${guestPaths.gitAnswer(idPattern)}$`)

/** What git in the sandbox needs to reach servers that require credentials. */
export type GitModule = {
  /** Environment of every program that is started. */
  environment: Record<string, string>
  /** Listens on loopback. */
  server: Server
  service: ServiceImpl<typeof git.Git>
  routes: Route[]
}

export function makeGitModule(options: { scratchDirectory: string }): GitModule {
  const config = makeGitConfig(options)
  const broker = makeGitBroker()
  const { environment } = config
  return { environment, server: broker.server, service: makeGitService({ broker, config }), routes: gitRoutes(broker) }
}

/** The Git service of the guest protocol; `git.proto` states its contract. */
function makeGitService({ broker, config }: { broker: GitBroker; config: GitConfig }): ServiceImpl<typeof git.Git> {
  return {
    followGit: async function* ({ sites }, { signal }) {
      config.write(sites, (broker.server.address() as AddressInfo).port)
      yield { event: { case: 'ready', value: {} } }
      // Without sites it replaces an earlier follower and ends.
      const until = sites.length === 0 ? AbortSignal.abort() : signal
      for await (const announced of broker.follow({ signal: until, keepAliveMs })) {
        yield announced === null
          ? { event: { case: 'keepalive', value: {} } }
          : { event: { case: 'request', value: announced } }
      }
    },
  }
}

/** Bodies of requests and responses, which are as large as repositories. */
function gitRoutes(broker: GitBroker): Route[] {
  return [
    {
      method: 'GET',
      path: bodyPattern,
      access: 'token',
      handle: async (request, response) => await broker.sendBody(idIn(bodyPattern, pathOf(request)), response),
    },
    {
      method: 'POST',
      path: answerPattern,
      access: 'token',
      handle: async (request, response) => {
        const answer = gitAnswerSchema.safeParse(parsed(headerOf(request, gitAnswerHeader)))
        if (!answer.success) throw bodyUnreadable({ problem: 'it does not describe the response' })
        await broker.takeAnswer(idIn(answerPattern, pathOf(request)), answer.data, request)
        sendJson(response, { body: {} })
      },
    },
  ]
}

function idIn(pattern: RegExp, path: string): string {
  return pattern.exec(path)?.[1] ?? ''
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '')
  } catch {
    return undefined
  }
}
