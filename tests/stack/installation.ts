import { hostPaths } from '@threadbox/protocol/host'
import {
  createClient,
  type Entry,
  type ThreadboxClient,
  type ThreadEvent,
  type ToolCallEntry,
  type Turn,
} from '@threadbox/sdk'
import { startTestHost, startTestServer, type TestHost, type TestServer } from '@threadbox/testkit'

/** The whole product as processes of this machine: host daemon, server, and a client that is signed in as the owner. */
export type TestInstallation = AsyncDisposable & {
  host: TestHost
  server: TestServer
  client: ThreadboxClient
  /** A new thread of the owner. */
  newThread(): Promise<TestThread>
}

export type TestThread = {
  id: string
  /** Sends a message and resolves when its turn has ended. */
  say(text: string, options?: SayOptions): Promise<Said>
  entries(): Promise<Entry[]>
}
export type SayOptions = {
  attachmentIds?: string[]
  /** Gets every event of the thread from before the message was sent until its turn has ended. */
  onEvent?: (event: ThreadEvent) => void
  /** Called immediately before the message is sent; the event stream is open by then. */
  onSend?: () => void
}
export type Said = {
  turn: Turn
  entries: Entry[]
  /** The tool calls of the turn, in order. */
  calls: ToolCallEntry[]
}

export async function startInstallation(
  options: {
    hostEnvironment?: Record<string, string>
    serverEnvironment?: Record<string, string>
    /** Number of a thread’s snapshots that are kept with memory; none unless a test is about them. */
    memorySnapshots?: number
    /** With the product’s own settings; for measurements. */
    asInstalled?: boolean
    /** A proxy between server and host daemon. */
    between?: (host: TestHost) => Promise<AsyncDisposable & { socketPath: string }>
  } = {},
): Promise<TestInstallation> {
  await using cleanup = new AsyncDisposableStack()
  const { asInstalled = false } = options
  const host = await startTestHost({ environment: options.hostEnvironment ?? {}, asInstalled })
  cleanup.defer(() => host.close())
  const between = await options.between?.(host)
  if (between !== undefined) cleanup.use(between)
  const way: Record<string, string> = between === undefined ? {} : { THREADBOX_HOST_SOCKET: between.socketPath }
  const environment = { ...way, ...options.serverEnvironment }
  const { memorySnapshots = 0 } = options
  const server = await startTestServer({ host, memorySnapshots, asInstalled, environment })
  cleanup.defer(() => server.close())
  const client = createClient({ baseUrl: server.loopbackOrigin, apiKey: server.apiKey, fetch: keyOrOwner(server) })
  const kept = cleanup.move()
  return {
    host,
    server,
    client,
    newThread: async () => testThread(client, (await client.threads.create({})).id),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Sends with the key, and what no key can do, such as connecting a model, as the signed-in owner. */
function keyOrOwner({ asOwner }: Pick<TestServer, 'asOwner'>): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.status !== 403) return response
    const body = (await response.clone().json()) as { error?: { code?: string } }
    return body.error?.code === 'auth.session-required' ? await asOwner(input, init) : response
  }
}

/** A handle on an existing thread. */
export function testThread(client: ThreadboxClient, threadId: string): TestThread {
  const entries = async () => {
    const pages: Entry[] = []
    let before: string | null = null
    do {
      const page: Awaited<ReturnType<typeof client.threads.entries>> = await client.threads.entries(threadId, {
        limit: 200,
        ...(before === null ? {} : { before }),
      })
      pages.unshift(...page.entries)
      before = page.before
    } while (before !== null)
    return pages
  }
  return {
    id: threadId,
    entries,
    say: async (text, options = {}) => {
      const { turn } = await sendAndFollow(client, threadId, { text, ...options })
      const own = (await entries()).filter((entry) => entry.turnId === turn.id)
      return { turn, entries: own, calls: own.filter((entry) => entry.kind === 'tool-call') }
    },
  }
}

async function sendAndFollow(
  client: ThreadboxClient,
  threadId: string,
  message: { text: string } & SayOptions,
): Promise<{ turn: Turn }> {
  const { lastSeq } = await client.threads.entries(threadId, { limit: 1 })
  const following = new AbortController()
  const ended = Promise.withResolvers<Turn>()
  const turns = new Map<string, Turn>()
  let turnId: string | undefined
  const checkTurn = () => {
    const turn = turnId === undefined ? undefined : turns.get(turnId)
    if (turn !== undefined && turn.status !== 'running') ended.resolve(turn)
  }
  const stream = client.streamThread(threadId, {
    after: lastSeq,
    signal: following.signal,
    onEvent: (event) => {
      message.onEvent?.(event)
      if (event.type === 'turn-updated') turns.set(event.turn.id, event.turn)
      checkTurn()
    },
  })
  stream.catch(ended.reject)
  try {
    message.onSend?.()
    const accepted = await client.threads.sendMessage(threadId, {
      text: message.text,
      attachmentIds: message.attachmentIds ?? [],
      key: crypto.randomUUID(),
    })
    turnId = accepted.turnId
    checkTurn()
    return { turn: await ended.promise }
  } finally {
    following.abort()
  }
}

/** Of all sandboxes that the host has. */
export async function sandboxIdsOf({ host }: Pick<TestInstallation, 'host'>): Promise<string[]> {
  const { body } = await host.request('GET', hostPaths.list())
  return (body as { sandboxes: { sandboxId: string }[] }).sandboxes.map(({ sandboxId }) => sandboxId)
}
