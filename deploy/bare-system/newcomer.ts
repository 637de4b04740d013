import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { blocksInHtml, blocksInMarkdown, type CodeBlock } from '../../docs-site/tools/code-blocks.ts'
import { account, connect } from './client.ts'
import { fixedResponse, startFixedModel } from './fixed-model.ts'

/**
 * A newcomer who does what “Start in five minutes” says, and nothing else: reads the page as the installation serves it,
 * signs up, sends its messages in order, connects a model, and lets an agent run on a schedule. Fails when something on
 * the page doesn’t work, or when the page has a command or a message that the newcomer didn’t use. Uses nothing but Node.
 *
 * `--ran` is the command that installed threadbox, without the options for the port and the data directory.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '7717' },
    'data-dir': { type: 'string', default: '/var/lib/threadbox' },
    ran: { type: 'string', default: '' },
  },
})
const turnLimitMs = 120_000
/** A schedule of every minute is due within one; the rest is for its run. */
const runLimitMs = 240_000
const pollMs = 100

const { token, call: callApi, page } = connect({ port: values.port, dataDirectory: values['data-dir'] })
const startedAt = performance.now()
const say = (text: string) =>
  process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}\n`)

const blocks = await blocksToUse()
const routes = new Set(
  [...(await page('/docs/build/api/')).matchAll(/<code[^>]*>([A-Z]+ \/[^<]+)<\/code><\/h3>/g)].map(([, name]) => name),
)

await call('POST /auth/sign-up', { body: { token: token(), ...account } })
say('signed up with the link’s token')
const { id: threadId } = await call<{ id: string }>('POST /threads', { body: {} })
const model = await startFixedModel()
try {
  await sendBlocks()
  const agentId = await saveAsAgent()
  await runOnSchedule(agentId)
} finally {
  model.close()
}
say(`✓ the page works as it is written: ${blocks.length} commands and messages used`)

/** The commands and messages of the page. The page of the checkout says which ones have values to replace. */
async function blocksToUse(): Promise<CodeBlock[]> {
  const source = join(import.meta.dirname, '../../docs-site/src/content/docs/start.md')
  const written = blocksInMarkdown(readFileSync(source, 'utf8'))
  const served = blocksInHtml(await page('/docs/start/'))
  const same = ({ language, text }: Pick<CodeBlock, 'language' | 'text'>) => `${language}: ${text}`
  if (served.map(same).join('\n') !== written.map(same).join('\n'))
    throw new Error(`/docs/start/ has other code than ${source}:\n${served.map(same).join('\n')}`)
  return written.filter(({ language, mark }) => ['sh', 'text'].includes(language) && mark !== 'no-run')
}

async function sendBlocks(): Promise<void> {
  let hasModel = false
  for (const { language, text } of blocks) {
    if (language === 'sh') {
      if (text !== values.ran) throw new Error(`The page has a command that wasn’t run: ${text}`)
      say(`ran before: ${text}`)
      continue
    }
    const isForModel = !text.startsWith('/')
    if (isForModel && !hasModel) {
      await connectModel()
      hasModel = true
    }
    await sendMessage(text)
  }
  if (!hasModel) await connectModel()
}

/** Sends a message and waits until its turn has ended with what the page promises. */
async function sendMessage(text: string): Promise<void> {
  const sentAt = performance.now()
  const message = { text, key: crypto.randomUUID() }
  const sent = await call<{ turnId: string }>('POST /threads/{threadId}/messages', { ids: { threadId }, body: message })
  const { turn, made } = await until({ what: `the end of “${text}”`, limitMs: turnLimitMs }, async () => {
    const read = await call<Conversation>('GET /threads/{threadId}/entries', { ids: { threadId } })
    const found = read.turns.find(({ id, status }) => id === sent.turnId && status !== 'running')
    return found && { turn: found, made: read.entries.filter(({ turnId }) => turnId === found.id) }
  })
  if (turn.status !== 'finished') throw new Error(`“${text}” failed: ${JSON.stringify({ turn, made })}`)
  const result = resultOf(text, made)
  if (result === '') throw new Error(`“${text}” shows nothing: ${JSON.stringify(made)}`)
  const took = Math.round(performance.now() - sentAt)
  say(`${text}  (${took} ms)\n${result.trimEnd().replaceAll(/^/gm, '          ')}`)
}

/** What the conversation shows for a message; empty if it isn’t what the page promises. */
function resultOf(text: string, made: readonly Entry[]): string {
  if (!text.startsWith('/')) return made.find(({ kind }) => kind === 'text')?.text ?? ''
  if (text === '/pause') return made.some(({ code }) => code === 'sandbox-paused') ? 'paused' : ''
  const one = made.find(({ kind }) => kind === 'tool-call')
  if (one?.status !== 'succeeded') return ''
  const shown = one.result?.displays?.flatMap(({ items }) => items.flatMap((item) => item.text ?? [])) ?? []
  return [one.output?.tail ?? '', ...shown].filter((part) => part !== '').join('\n')
}

/** “Save and test makes one real call and shows what came back.” */
async function connectModel(): Promise<void> {
  const chosen = { provider: 'openai-compatible', name: 'Fixed response', model: 'fixed', baseUrl: model.baseUrl }
  const body = { ...chosen, contextTokens: 100_000, isDefault: true }
  const { id: modelId } = await call<{ id: string }>('POST /models', { body })
  const test = await call<{ ok: boolean }>('POST /models/{modelId}/test', { ids: { modelId } })
  if (!test.ok) throw new Error(`The model’s test failed: ${JSON.stringify(test)}`)
  say(`connected a model at ${model.baseUrl}, and tested it`)
}

async function saveAsAgent(): Promise<string> {
  const saved = await call<{ id: string }>('POST /threads/{threadId}/environments', { ids: { threadId }, body: {} })
  const body = { name: 'Newcomer', instructions: 'Say hello.', environment: { id: saved.id } }
  const { id } = await call<{ id: string }>('POST /agents', { body })
  say('saved the thread as an agent')
  return id
}

async function runOnSchedule(agentId: string): Promise<void> {
  const schedule = { name: 'Every minute', cron: '* * * * *', timeZone: 'UTC', input: 'Say hello.' }
  const { id: scheduleId } = await call<{ id: string }>('POST /agents/{agentId}/schedules', {
    ids: { agentId },
    body: schedule,
  })
  say('added a schedule: every minute')
  const run = await until({ what: 'a scheduled run that succeeded', limitMs: runLimitMs }, async () => {
    const { runs } = await call<{ runs: Run[] }>('GET /agents/{agentId}/runs', { ids: { agentId } })
    const wrong = runs.find(({ status }) => status === 'failed' || status === 'cancelled')
    if (wrong !== undefined) throw new Error(`The scheduled run didn’t succeed: ${JSON.stringify(wrong)}`)
    return runs.find(({ status, trigger }) => status === 'succeeded' && trigger === 'schedule')
  })
  await call('DELETE /schedules/{scheduleId}', { ids: { scheduleId } })
  if (run.output?.includes(fixedResponse) !== true) throw new Error(`The run has no response: ${JSON.stringify(run)}`)
  say(`the scheduled run succeeded: ${run.output}`)
}

/** Makes a request that the API page lists; only the IDs in its path are filled in. */
async function call<Answer>(route: string, sent: { ids?: Record<string, string>; body?: unknown }): Promise<Answer> {
  if (!routes.has(route)) throw new Error(`/docs/build/api/ has no ${route}`)
  const [method = '', path = ''] = route.split(' ')
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sent.ids?.[name] ?? '')
  return await callApi(method, filled, sent.body)
}

async function until<Value>(
  { what, limitMs }: { what: string; limitMs: number },
  find: () => Promise<Value | undefined>,
): Promise<Value> {
  for (const from = performance.now(); performance.now() - from < limitMs; await setTimeout(pollMs)) {
    const found = await find()
    if (found !== undefined) return found
  }
  throw new Error(`Waited ${limitMs / 1000} s for ${what}.`)
}

type Entry = {
  kind: string
  turnId: string
  status?: string
  code?: string
  text?: string
  output?: { tail: string }
  result?: { displays?: { items: { text?: string }[] }[] }
}
type Conversation = { entries: Entry[]; turns: { id: string; status: string }[] }
type Run = { status: string; trigger: string; output: string | null }
