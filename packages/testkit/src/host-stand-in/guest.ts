import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { httpStatusOf, toWireError } from '@threadbox/errors'
import { guestPaths, process, variablesSchema } from '@threadbox/protocol/guest'
import { bootHeader } from '@threadbox/protocol/host'
import { errorOf } from './answers.ts'
import { filesystemRoutes } from './guest-files.ts'
import { isAsked, type StandInService, sleepingPort } from './ports.ts'
import { known, type SandboxesStandIn } from './sandbox-calls.ts'
import type { StepName } from './steps.ts'

/** The stand-in’s guests and services. */
export type GuestsStandIn = {
  /** The processes that the guest was asked to restart. */
  restarted: string[]
  /** The variables that programs of each sandbox would start with. */
  variables: Map<string, Record<string, string>>
  /** Handles requests to ports of an awake sandbox. */
  service: StandInService
  /** Further services of every guest. */
  guestRoutes: (router: ConnectRouter) => void
  /** The output of every process that is started inside. */
  processOutput: string
  /** The notices of turns that guests got, in order. */
  turnSignals: { sandboxId: string; path: string }[]
}

type Host = GuestsStandIn & SandboxesStandIn
export type Exchange = { request: IncomingMessage; response: ServerResponse; url: URL }
type Reach = (name: StepName) => Promise<void>

/** Handles requests through the gateway: false for a path that is not the gateway’s. */
export async function answerGateway(host: Host, exchange: Exchange & { reach: Reach }): Promise<boolean> {
  const { request, response, url } = exchange
  const [, , sandboxId = '', kind = '', ...path] = url.pathname.split('/').slice(1).map(decodeURIComponent)
  if (kind !== 'guest' && kind !== 'port') return false
  const sandbox = known(host, sandboxId)
  if (kind === 'port') {
    const answer = isAsked(sandbox, request) ? host.service : sleepingPort
    answer(request, response)
  } else if (request.headers[bootHeader] !== sandbox.bootId) {
    const error = errorOf({ code: 'sandbox.other-boot', kind: 'conflict' })
    response.writeHead(httpStatusOf(error)).end(JSON.stringify(toWireError(error)))
  } else {
    await answerGuest(host, { ...exchange, sandboxId, path: `/${path.join('/')}` })
  }
  return true
}

async function answerGuest(
  host: Host,
  exchange: Exchange & { reach: Reach; sandboxId: string; path: string },
): Promise<void> {
  const { request, response, url, sandboxId, path } = exchange
  if (path === '/manifest') await exchange.reach('manifest')
  const told = guestAnswer(host, exchange)
  if (told !== undefined) return void response.writeHead(200).end(JSON.stringify(told))
  if (path === guestPaths.variables) {
    const { variables } = variablesSchema.parse(JSON.parse(await text(request)))
    host.variables.set(sandboxId, variables)
    return void response.writeHead(200).end('{}')
  }
  if (path !== '/files') {
    request.url = path
    connectNodeAdapter({
      routes: (router) => {
        filesystemRoutes(router, (at) => host.pathOf(sandboxId, at))
        processRoutes(router, host)
        host.guestRoutes(router)
      },
    })(request, response)
    return
  }
  const target = host.pathOf(sandboxId, url.searchParams.get('path') ?? '')
  if (request.method === 'POST') {
    const refusal = await write(request, target)
    if (refusal === undefined) return void response.writeHead(200).end('[]')
    return void response.writeHead(400).end(JSON.stringify({ code: 400, message: refusal }))
  }
  const { size } = await stat(target)
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  const [start, end] = range === null ? [0, size - 1] : [Number(range[1]), Number(range[2])]
  response.writeHead(range === null ? 200 : 206, {
    'content-length': end - start + 1,
    ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  })
  await pipeline(createReadStream(target, { start, end: Math.max(end, start) }), response)
}

/** Returns why the system refuses the path, such as that it is a directory. */
async function write(request: IncomingMessage, target: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(target), { recursive: true })
    await pipeline(request, createWriteStream(target))
    return undefined
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (['EISDIR', 'ENOTDIR', 'EEXIST', 'ENAMETOOLONG'].includes(code)) return message
    throw error
  }
}

/** The guest’s replies except files. */
function guestAnswer(host: Host, exchange: Exchange & { sandboxId: string; path: string }): unknown {
  const { url, path, request } = exchange
  if (path === '/manifest') {
    host.hashKeys.look = url.searchParams.get('hashKey') ?? undefined
    return host.manifest
  }
  if (path === '/rescue') return host.rescue
  if (path === guestPaths.expectCells || path === guestPaths.quiet) {
    host.turnSignals.push({ sandboxId: exchange.sandboxId, path })
    return {}
  }
  const restart = /^\/rescue\/processes\/(.+)\/start$/.exec(path)
  if (restart?.[1] === undefined || request.method !== 'POST') return undefined
  host.restarted.push(restart[1])
  return {}
}

function processRoutes(router: ConnectRouter, host: GuestsStandIn): void {
  router.service(process.Process, {
    start: async function* () {
      const value = new TextEncoder().encode(host.processOutput)
      yield { event: { event: { case: 'data', value: { output: { case: 'stdout', value } } } } }
      yield { event: { event: { case: 'end', value: { exitCode: 0 } } } }
    },
  })
}
