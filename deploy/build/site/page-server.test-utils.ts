import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { process as processes, runs, services as serviceProtocol } from '@threadbox/protocol/guest'
import {
  type LoginServer,
  type McpTestServer,
  type ModelServer,
  type ScriptedIssuer,
  startLoginServer,
  startMcpServer,
  startModelServer,
  startScriptedIssuer,
  startTestServer,
  type TestServer,
} from '@threadbox/testkit'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import {
  type GuestServices,
  makeGuestServices,
} from '../../../apps/server/src/sandboxes/services/guest-services.test-utils.ts'
import { makeGuestTerminals } from '../../../apps/server/src/sandboxes/terminals/guest-terminals.test-utils.ts'

/** The person that the page signs up, in the words of its requests. */
export const person = { email: 'you@example.com', password: 'correct horse battery' }
/** Messages to which the model responds with a call of a tool. */
export const askForTool = 'Call the tool.'
export const askForFile = 'Share the file.'
/** A command that runs until it is stopped. */
export const endless = '/run sleep infinity'

/** A server process without an owner, and everything that it talks to: a host, a model, MCP servers and their sign-in. */
export type SignIn = { email: string; password: string }

export type PageServer = AsyncDisposable & {
  directory: string
  server: TestServer
  /** Of the installation, for programs beside the server. */
  environment: Record<string, string>
  /** A folder outside the installation. */
  stores: string
  token: string
  host: HostStandIn
  services: GuestServices
  model: ModelServer
  tools: McpTestServer
  /** An MCP server that requires a sign-in. */
  lockedTools: McpTestServer
  /** Where people can sign in. */
  issuer: ScriptedIssuer
  /** Makes a request with the key of the page. */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  /** Makes a request as the signed-in person. */
  callSignedIn<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  /** The same, as another person. */
  callAs<Answer>(signIn: SignIn, method: string, path: string, body?: unknown): Promise<Answer>
  useKey(apiKey: string): void
  /** The sandbox whose git is run. */
  gitIn(sandboxId: string): void
}

export async function startPageServer(): Promise<PageServer> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-page-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const stores = await mkdtemp(join(tmpdir(), 'threadbox-page-'))
  cleanup.defer(() => rm(stores, { recursive: true, force: true }))
  const host = cleanup.use(await startHostStandIn())
  const guest = serveGuest(host)
  const model = cleanup.use(await startModelServer())
  scriptModel(model)
  const tools = cleanup.use(await startMcpServer())
  tools.tools = [{ name: 'echo', answer: () => ({ content: [{ type: 'text', text: 'echo' }] }) }]
  const logins = cleanup.use(await startLoginServer())
  const lockedTools = cleanup.use(await startMcpServer())
  lockLogins(lockedTools, logins)
  const issuer = cleanup.use(await startScriptedIssuer())
  const environment = {
    THREADBOX_INSTALLATION: 'page00',
    THREADBOX_DATA: directory,
    THREADBOX_HOST_SOCKET: host.socketPath,
    THREADBOX_GATEWAY_SOCKET: host.socketPath,
    THREADBOX_CONNECTIONS_ALLOW: '127.0.0.0/8',
    THREADBOX_ARCHIVE_STORE: join(stores, 'archive'),
  }
  await mkdir(environment.THREADBOX_ARCHIVE_STORE)
  const at = { installation: 'page00', dataDirectory: directory, environment }
  const server = await startTestServer({ host: at, signUp: false })
  cleanup.defer(() => server.close())
  await host.followed()
  const kept = cleanup.move()
  return {
    directory,
    server,
    environment,
    stores,
    token: server.ownerToken.token,
    host,
    model,
    tools,
    lockedTools,
    issuer,
    ...guest,
    ...makeRequests(server),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function makeRequests(server: TestServer): Pick<PageServer, 'call' | 'callSignedIn' | 'callAs' | 'useKey'> {
  let apiKey = ''
  const sendSignedIn = async (signIn: SignIn, request: { method: string; path: string; body: unknown }) => {
    const signedIn = await send({}, { method: 'POST', path: '/auth/sign-in', body: signIn })
    const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
    return await send({ cookie: cookie.join('; ') }, request)
  }
  const send = async (
    headers: Record<string, string>,
    { method, path, body }: { method: string; path: string; body: unknown },
  ) => {
    // A text is a file.
    const [type, bytes] =
      typeof body === 'string' ? ['text/markdown', body] : ['application/json', JSON.stringify(body)]
    const response = await fetch(`${server.loopbackOrigin}/api/v1${path}`, {
      method,
      headers: { origin: server.loopbackOrigin, ...(body === undefined ? {} : { 'content-type': type }), ...headers },
      ...(body === undefined ? {} : { body: bytes }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const read = async <Answer>(response: Response) =>
    (response.status === 204 ? undefined : await response.json()) as Answer
  return {
    call: async (method, path, body) =>
      await read(await send({ authorization: `Bearer ${apiKey}` }, { method, path, body })),
    callSignedIn: async (method, path, body) => await read(await sendSignedIn(person, { method, path, body })),
    callAs: async (signIn, method, path, body) => await read(await sendSignedIn(signIn, { method, path, body })),
    useKey: (key) => {
      apiKey = key
    },
  }
}

function scriptModel(model: ModelServer): void {
  model.when(({ messages }) => {
    const words = messages.at(-1)?.text ?? ''
    if (words.includes(askForTool)) return { calls: [{ name: 'tools__echo', input: {} }] }
    if (words.includes(askForFile)) return { calls: [{ name: 'share_file', input: { path: 'notes.txt' } }] }
    return { text: 'Done.' }
  })
}

/** The page’s `POST /connections/login` sends no issuer, as for a server that doesn’t name itself in its response. */
function lockLogins(server: McpTestServer, logins: LoginServer): void {
  logins.metadata = { ...logins.metadata, authorization_response_iss_parameter_supported: false }
  server.logins = logins
  server.tools = [{ name: 'echo', answer: () => ({ content: [{ type: 'text', text: 'echo' }] }) }]
}

/** A guest for the stand-in: commands that print a line, real git, and services and terminals as a test sets them. */
export function serveGuest(host: HostStandIn): Pick<PageServer, 'services' | 'gitIn'> {
  const services = makeGuestServices()
  services.startsAs = { state: serviceProtocol.ServiceState.RUNNING }
  const terminals = makeGuestTerminals()
  const stops = new Map<string, () => void>()
  let root = ''
  host.guestRoutes = (router) => {
    services.routes(router)
    terminals.routes(router)
    router.service(runs.Runs, {
      read: async function* ({ key, offset, start }, { signal }) {
        const data = new TextEncoder().encode('Linux box\n').subarray(Number(offset))
        if (data.length > 0) yield { event: { case: 'output', value: { offset, data } } }
        const isEndless = start.case === 'startCommand' && start.value.command.includes('infinity')
        const { promise, resolve } = Promise.withResolvers<void>()
        stops.set(key, resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
        if (isEndless) await promise
        const cause = isEndless ? runs.EndCause.STOPPED : runs.EndCause.EXITED
        yield {
          event: { case: 'ended', value: { cause, cwd: '/home/user', outputSize: offset + BigInt(data.length) } },
        }
      },
      stop: ({ key }) => {
        stops.get(key)?.()
        return { wasRunning: true }
      },
      acknowledge: () => ({}),
      forget: () => ({}),
      list: () => ({}),
    })
    router.service(processes.Process, {
      start: async function* ({ process: { cmd = '', args = [] } = {} }) {
        const isGit = root !== '' && (cmd === 'git' || cmd === 'find')
        const real = args.map((arg) => (arg.startsWith('/home/user') ? root + arg : arg))
        const { exitCode, output } = isGit ? await runHere(cmd, real) : { exitCode: 0, output: '' }
        const value = Buffer.from(output.replaceAll(root, ''))
        yield { event: { event: { case: 'data', value: { output: { case: 'stdout', value } } } } }
        yield { event: { event: { case: 'end', value: { exitCode } } } }
      },
    })
  }
  const gitIn = (sandboxId: string) => {
    root = host.pathOf(sandboxId, '')
  }
  return { services, gitIn }
}

async function runHere(command: string, args: string[]): Promise<{ exitCode: number; output: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const closed = new Promise<number>((resolve) => {
    child.on('close', (code) => resolve(code ?? -1))
    child.on('error', () => resolve(127))
  })
  const output = await child.stdout.setEncoding('utf8').toArray()
  return { exitCode: await closed, output: output.join('') }
}
