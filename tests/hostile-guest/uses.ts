import type { ThreadboxClient } from '@threadbox/sdk'
import type { ReplyRule, ScriptedCall } from '@threadbox/testkit'
import type { TestInstallation, TestThread } from '../stack/installation.ts'
import { viewTerminal } from '../stack/terminal-view.ts'
import { signIn } from '../system/previews/visitor.ts'
import { hostilePort } from './script.ts'

/**
 * What a person does with a thread while its guest misbehaves. Resolves with what they get to know. When `signal` is
 * aborted, they have had enough: they stop the turn, or leave the page.
 */
export type Using = { installation: TestInstallation; thread: TestThread; signal: AbortSignal }

/** Of what has no end. */
const enoughBytes = 8 * 1024 * 1024

const done = async (work: Promise<unknown>) => {
  await work
  return 'ok'
}

async function turn({ installation, thread, signal }: Using, text: string): Promise<string> {
  let stopping: Promise<unknown> | undefined
  const stop = () => {
    stopping = installation.client.threads.stop(thread.id).catch(() => undefined)
  }
  signal.addEventListener('abort', stop, { once: true })
  const { calls, turn: ended } = await thread.say(text)
  signal.removeEventListener('abort', stop)
  // A stop that arrives later would stop the next turn.
  await stopping
  const [call] = calls
  if (call === undefined) return ended.failure === null ? ended.status : `${ended.status} ${ended.failure.code}`
  return call.error === null ? call.status : `${call.status} ${call.error.code}`
}

async function called(using: Using, name: string, input: object): Promise<string> {
  return await turn(using, `${please}${JSON.stringify({ name, input })}`)
}

const please = 'Please call '
const pleaseCall = /Please call (\{"name":"\w+","input":\{[^{}]*\}\})/g

/** A model that calls the tool that a message asks for. */
export const obedient: ReplyRule = ({ messages }) => {
  // After a call that was stopped, its result, notes of the server and the next text are one message.
  const asked = [...(messages.at(-1)?.text ?? '').matchAll(pleaseCall)].at(-1)?.[1]
  return asked === undefined ? { text: 'Done.' } : { calls: [JSON.parse(asked) as ScriptedCall] }
}

async function downloaded({ installation, signal }: Using, url: string): Promise<string> {
  const headers = { authorization: `Bearer ${installation.server.apiKey}` }
  const answer = await fetch(url, { headers, signal })
  if (!answer.ok) return ((await answer.json()) as { error: { code: string } }).error.code
  let size = 0
  for await (const part of answer.body ?? []) size += part.length
  return `${size} bytes`
}

const file = '/home/user/note.txt'
const calls = (use: (client: ThreadboxClient, using: Using) => Promise<unknown>) => (using: Using) =>
  done(use(using.installation.client, using))

const startService = calls((client, { thread }) =>
  client.services.start(thread.id, { name: 'site', port: 8090, command: 'sleep 60' }),
)

type Use = (using: Using) => Promise<string>

export const uses = {
  run: (using) => turn(using, '/run true'),
  python: (using) => turn(using, '/python 1'),
  readTool: (using) => called(using, 'read_file', { path: file }),
  listTool: (using) => called(using, 'list_files', { path: '/home/user' }),
  searchTool: (using) => called(using, 'search_files', { pattern: 'x' }),
  writeTool: (using) => called(using, 'write_file', { path: '/home/user/other.txt', content: 'x' }),
  pageTool: (using) => called(using, 'view_page', { url: 'http://127.0.0.1:9999/', timeout_seconds: 2 }),
  list: calls((client, { thread, signal }) => client.files.list(thread.id, '/home/user', { signal })),
  entry: calls((client, { thread, signal }) => client.files.entry(thread.id, file, { signal })),
  folder: calls((client, { thread }) => client.files.makeFolder(thread.id, '/home/user/folder')),
  move: calls((client, { thread }) => client.files.move(thread.id, { from: file, to: '/home/user/moved.txt' })),
  remove: calls((client, { thread }) => client.files.delete(thread.id, file)),
  write: calls((client, { thread, signal }) => client.files.write(thread.id, file, new Blob(['x']), { signal })),
  watch: calls((client, { thread }) => client.files.watch(thread.id, ['/home/user'])),
  download: (using) => downloaded(using, using.installation.client.files.contentUrl(using.thread.id, file)),
  archive: (using) => downloaded(using, using.installation.client.files.archiveUrl(using.thread.id, '/home/user')),
  panel: calls((client, { thread, signal }) => client.sandboxes.get(thread.id, signal)),
  git: calls((client, { thread, signal }) => client.git.look(thread.id, '/home/user', { signal })),
  terminals: calls((client, { thread, signal }) => client.terminals.list(thread.id, signal)),
  openTerminal: calls((client, { thread }) => client.terminals.open(thread.id, {})),
  viewTerminal: async (using) => {
    const { id } = await using.installation.client.terminals.open(using.thread.id, {})
    using view = await viewTerminal(using.installation, { threadId: using.thread.id, id })
    await waitFor(1000)
    return view.frames
      .map(({ type }) => type)
      .slice(0, 4)
      .join(' ')
  },
  startService,
  stopService: async (using: Using): Promise<string> => {
    await startService(using)
    return await done(using.installation.client.services.stop(using.thread.id, 'site'))
  },
  serviceLogs: async (using: Using): Promise<string> => {
    await startService(using)
    return await done(using.installation.client.services.logs(using.thread.id, 'site', { signal: using.signal }))
  },
  services: calls((client, { thread, signal }) => client.services.list(thread.id, signal)),
  preview: async ({ installation, thread, signal }) => {
    const { visitor, preview } = await openPreview({ installation, thread })
    const answer = await Promise.race([visitor.stream(`${preview.origin}/page`), rejected(signal)])
    let size = 0
    for await (const part of answer) {
      size += (part as Buffer).length
      if (size >= enoughBytes) break
    }
    return `${answer.statusCode}`
  },
  socket: async (using) => {
    const { socket } = await openSocket(using)
    let size = 0
    for await (const part of socket) {
      size += (part as Buffer).length
      if (size >= enoughBytes) break
    }
    return `${Math.floor(size / 1024 / 1024)} MiB`
  },
  /** Opens it, and reads nothing of it. */
  unreadSocket: async (using) => {
    const { answer, socket } = await openSocket(using)
    socket.pause()
    await waitFor(1000)
    socket.destroy()
    return `${answer.statusCode}`
  },
  pauseAndWake: calls(async (client, { thread }) => {
    await client.sandboxes.pause(thread.id)
    await client.sandboxes.wake(thread.id)
  }),
  restart: calls((client, { thread }) => client.sandboxes.restart(thread.id)),
} as const satisfies Record<string, Use>
export type UseName = keyof typeof uses

async function openPreview({ installation, thread }: Pick<Using, 'installation' | 'thread'>) {
  const visitor = await signIn(installation.server)
  const preview = await visitor.open(thread.id, { port: hostilePort, path: '/page' })
  await visitor.enter(preview)
  return { visitor, preview }
}

async function openSocket(using: Using) {
  const { visitor, preview } = await openPreview(using)
  return await visitor.upgrade(`${preview.origin}/socket`, { origin: preview.origin })
}

const waitFor = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
}
