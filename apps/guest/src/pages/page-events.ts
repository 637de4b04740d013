import type { PageReport } from '@threadbox/protocol/guest'
import type { DevToolsEvent } from './devtools.ts'

/** Messages and failed requests of a page while it is open, bounded whatever the page does. */
export type PageEvents = {
  take(event: DevToolsEvent): void
  facts(): Pick<
    PageReport,
    'httpStatus' | 'console' | 'consoleLeftOut' | 'failedRequests' | 'failedRequestsLeftOut' | 'dialogs'
  >
  /** True once there are so many messages that listening costs more than it tells. */
  isFlooded(): boolean
}

const maxLines = 50
const maxFailures = 30
const maxDialogs = 10
/** Requests known by id; beyond this, a page's failed requests are only counted. */
const maxRequests = 5000
/** Number of messages after which the console is ignored. */
const floodOfMessages = 2000

/** `mainFrame`: the frame whose document response counts as the page's. */
export function makePageEvents(mainFrame: string): PageEvents {
  const lines = new Map<string, PageReport['console'][number]>()
  const requests = new Map<string, string>()
  const failures: PageReport['failedRequests'] = []
  const dialogs: string[] = []
  let httpStatus: number | null = null
  let messages = 0
  let consoleLeftOut = 0
  let failuresLeftOut = 0
  const say = (level: string, text: string) => {
    messages += 1
    const line = { level: level.slice(0, 20), text: cut(text, 1000), times: 1 }
    const key = `${line.level} ${line.text}`
    const known = lines.get(key)
    if (known !== undefined) known.times += 1
    else if (lines.size < maxLines) lines.set(key, line)
    else consoleLeftOut += 1
  }
  const fail = (url: string, problem: string) => {
    // The browser requests it automatically.
    if (url.endsWith('/favicon.ico')) return
    if (failures.length < maxFailures) failures.push({ url: cut(url, 500), problem: cut(problem, 200) })
    else failuresLeftOut += 1
  }
  const take = ({ method, params }: DevToolsEvent) => {
    if (method === 'Runtime.consoleAPICalled') say(textOf(params.type), argumentsOf(params.args))
    if (method === 'Runtime.exceptionThrown') say('error', exceptionOf(record(params.exceptionDetails)))
    if (method === 'Log.entryAdded') {
      const entry = record(params.entry)
      // Failed requests are reported with their reason below.
      if (entry.source !== 'network') say(textOf(entry.level), textOf(entry.text))
    }
    if (method === 'Network.requestWillBeSent' && requests.size < maxRequests) {
      requests.set(textOf(params.requestId), textOf(record(params.request).url))
    }
    if (method === 'Network.responseReceived') {
      const { url, status } = record(params.response)
      const isPage = params.type === 'Document' && params.frameId === mainFrame
      if (isPage && typeof status === 'number') httpStatus = status
      else if (typeof status === 'number' && status >= 400) fail(textOf(url), `HTTP ${status}`)
    }
    if (method === 'Network.loadingFailed') {
      const url = requests.get(textOf(params.requestId)) ?? '(unknown address)'
      // Requests that the page canceled, or that our own shutdown cut off, are not reported.
      if (params.canceled !== true && params.type !== 'Document') fail(url, textOf(params.errorText))
    }
    if (method === 'Page.javascriptDialogOpening' && dialogs.length < maxDialogs) {
      dialogs.push(cut(`${textOf(params.type)}: ${textOf(params.message)}`, 300))
    }
  }
  return {
    take,
    isFlooded: () => messages > floodOfMessages,
    facts: () => ({
      httpStatus,
      console: [...lines.values()],
      consoleLeftOut,
      failedRequests: failures,
      failedRequestsLeftOut: failuresLeftOut,
      dialogs,
    }),
  }
}

/** Cuts a text without leaving half a surrogate pair at its end. */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  return `${text.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function argumentsOf(value: unknown): string {
  const list = Array.isArray(value) ? value.map(record) : []
  return list
    .map((item) => {
      if ('value' in item) return typeof item.value === 'string' ? item.value : JSON.stringify(item.value)
      return textOf(item.description) || textOf(item.unserializableValue) || textOf(item.type)
    })
    .join(' ')
}

function exceptionOf(details: Record<string, unknown>): string {
  const thrown = record(details.exception)
  const what = textOf(thrown.description) || textOf(thrown.value) || textOf(details.text)
  const url = textOf(details.url)
  return url === '' ? what : `${what} (${url}:${Number(details.lineNumber ?? 0) + 1})`
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
