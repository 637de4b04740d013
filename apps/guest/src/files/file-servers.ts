import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { defineError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import { sendError } from '../ground/http.ts'
import { freshRandom } from '../ground/random.ts'
import { identityOptions, type Launcher } from '../launch/launcher.ts'
import type { Programs } from '../launch/programs.ts'
import type { SandboxUser } from '../launch/users.ts'
import type { PathBase } from './file-entries.ts'
import { fileServerSecretHeader } from './files-server.ts'

export const fileServerDown = defineError<{ user: string }>({
  code: 'file.server-down',
  kind: 'unavailable',
  message: ({ user }) => `The file server for user “${user}” has stopped.`,
  remedy: () => 'Try again. It restarts automatically.',
})

/** What a file server reads from its standard input at its start. */
export type FileServerOrder = { socketName: string; secret: string; base: PathBase }

/**
 * File servers: one process per user, with that user's rights. The guest forwards requests to them after checking who
 * sends them. Each starts with the first request, which waits about 350 ms for it, and ends after a minute without one:
 * most boots of a sandbox receive no file request, and the process takes 40 MB.
 */
export type FileServers = {
  /** Forwards a request; streams both bodies. */
  forward(request: IncomingMessage, options: { response: ServerResponse; userName: string | undefined }): Promise<void>
  /** Ends idle servers; resolves when they have ended. The next request starts another. */
  stopIdle(): Promise<void>
  close(): void
}

type RunningServer = { child: ChildProcess; order: FileServerOrder; agent: Agent }

/** `passing`: requests in progress, whose transfers end with them. */
type UserServer = { starting: Promise<RunningServer>; passing: number; idle: NodeJS.Timeout | undefined }

/** Longer than a person pauses between two clicks in a list of files. */
const idleMs = 60_000

export function makeFileServers(dependencies: {
  launcher: Launcher
  programs: Programs
  logger: Logger
  /** How long a server stays without a request, in milliseconds; a minute if omitted. */
  idleMs?: number | undefined
}): FileServers {
  const { launcher, programs, logger } = dependencies
  const servers = new Map<number, UserServer>()
  const closed = new AbortController()
  const serverOf = (user: SandboxUser) => {
    const known = servers.get(user.uid)
    if (known !== undefined) return known
    const base = { home: user.home, workdir: launcher.workdir(user) }
    const starting = startServer({ user, programs, signal: closed.signal, base })
    const server: UserServer = { starting, passing: 0, idle: undefined }
    servers.set(user.uid, server)
    const drop = () => {
      clearTimeout(server.idle)
      if (servers.get(user.uid) === server) servers.delete(user.uid)
    }
    starting.then(({ child }) => child.once('exit', drop), drop)
    return server
  }
  const end = async (uid: number, server: UserServer) => {
    clearTimeout(server.idle)
    // A request that arrives now is not forwarded to a server that is ending.
    if (servers.get(uid) === server) servers.delete(uid)
    await endServer(server.starting)
  }
  const endWhenIdle = (uid: number, server: UserServer) => {
    if (servers.get(uid) !== server) return
    server.idle = setTimeout(() => void end(uid, server), dependencies.idleMs ?? idleMs)
    server.idle.unref()
  }
  return {
    forward: async (request, { response, userName }) => {
      const user = launcher.user(userName)
      const server = serverOf(user)
      clearTimeout(server.idle)
      server.passing += 1
      try {
        await pass(request, { response, user, logger, server: await server.starting })
      } finally {
        server.passing -= 1
        if (server.passing === 0) endWhenIdle(user.uid, server)
      }
    },
    stopIdle: async () => {
      const idle = [...servers].filter(([, { passing }]) => passing === 0)
      await Promise.all(idle.map(([uid, server]) => end(uid, server)))
    },
    close: () => closed.abort(),
  }
}

async function endServer(starting: Promise<RunningServer>): Promise<void> {
  const running = await starting.catch(() => undefined)
  if (running === undefined) return
  const { child, agent } = running
  agent.destroy()
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/**
 * The server listens on an abstract socket. Its name cannot be guessed, and the secret rejects other users of the
 * sandbox that read the name later.
 */
async function startServer(options: {
  user: SandboxUser
  programs: Programs
  base: PathBase
  signal: AbortSignal
}): Promise<RunningServer> {
  const { user } = options
  const [program = '', ...args] = options.programs.fileServer
  const order = { socketName: `threadbox-files-${freshRandom(16)}`, secret: freshRandom(32), base: options.base }
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: '/usr/bin:/bin', HOME: user.home, LANG: 'C.UTF-8' },
    cwd: '/',
    signal: options.signal,
    ...identityOptions(user),
  })
  const ended = Promise.withResolvers<never>()
  const fail = () => ended.reject(fileServerDown({ user: user.name }))
  child.once('error', fail)
  child.once('exit', fail)
  ended.promise.catch(() => undefined)
  child.stdin?.on('error', fail)
  // The pipe stays open: when it closes, the server exits.
  child.stdin?.write(`${JSON.stringify(order)}\n`)
  // Its first output means that it listens.
  if (child.stdout !== null) await Promise.race([once(child.stdout, 'data'), ended.promise])
  child.stdout?.resume()
  return { child, order, agent: new Agent({ keepAlive: true, maxSockets: 64 }) }
}

function pass(
  request: IncomingMessage,
  options: { response: ServerResponse; server: RunningServer; user: SandboxUser; logger: Logger },
): Promise<void> {
  const { response, server } = options
  const { 'x-access-token': _token, connection: _connection, authorization: _user, ...headers } = request.headers
  return new Promise((resolve) => {
    const upstream = httpRequest({
      socketPath: `\0${server.order.socketName}`,
      agent: server.agent,
      method: request.method,
      path: request.url,
      headers: { ...headers, [fileServerSecretHeader]: server.order.secret },
    })
    upstream.on('response', (answer) => {
      const { connection: _hop, 'keep-alive': _alive, ...answerHeaders } = answer.headers
      response.writeHead(answer.statusCode ?? 502, answerHeaders)
      answer.pipe(response)
      // A response that breaks off must break off for the client too, or it would look complete.
      answer.on('error', () => response.destroy())
    })
    upstream.on('error', (cause) => {
      const error = fileServerDown({ user: options.user.name }, { cause })
      if (!response.destroyed) sendError(response, { error, logger: options.logger })
    })
    request.on('error', () => upstream.destroy())
    response.on('close', () => {
      if (!response.writableFinished) upstream.destroy()
      resolve()
    })
    request.pipe(upstream)
  })
}
