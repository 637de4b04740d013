import { type PageLook, type PageReport, pageReportSchema } from '@threadbox/protocol/guest'
import { serviceNameSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { parseJson } from '../../platform/system/parse-json.ts'
import { imageTypeOf } from '../../platform/texts/media-type.logic.ts'
import { serviceFailed } from '../../sandboxes/public.ts'
import { resultBlob } from '../../threads/public.ts'
import type { CallOutcome } from '../record/turn-record.ts'
import { followExecution } from './follow-run.ts'
import { makeMemoryRecorder } from './memory-recorder.ts'
import { failedWith, succeeded } from './outcomes.ts'
import { errorOf, problemsOf, reportText } from './page-report.logic.ts'
import { endStatusOf } from './run-outcome.ts'
import { defineTool, type ToolContext } from './tool.ts'
import { callInputInvalid } from './tools.errors.ts'
import { pageBrowserFailed, pageLookUnsupported, pageNotLocal } from './view-page.errors.ts'

const defaultTimeoutSeconds = 30
/** Models with vision scale larger images down. */
const maxEdge = 1568

const input = z.object({
  service: serviceNameSchema.optional().describe('Service name. Default: the only service.'),
  url: z.string().min(1).max(2000).optional().describe('URL, instead of a service: http://localhost:<port>/…'),
  path: z.string().max(2000).optional().describe('With a service: path and query of the page. Default: /'),
  width: z.number().int().min(200).max(maxEdge).optional().describe('Viewport width. Default 1280; a phone is 390.'),
  height: z.number().int().min(200).max(maxEdge).optional().describe('Viewport height. Default 800.'),
  full_page: z.boolean().optional().describe('Captures up to 2400 pixels of a page that is taller than the viewport.'),
  scroll_y: z.number().int().min(0).max(1_000_000).optional().describe('Pixels to scroll down first.'),
  wait_for: z.string().min(1).max(500).optional().describe('CSS selector of an element that must be visible first.'),
  timeout_seconds: z.number().int().min(1).max(120).optional().describe('Time limit for loading. Default 30.'),
})
type Input = z.infer<typeof input>

/** The browser's start and the screenshot have separate limits in the guest; this limit is longer than all of them. */
const beyondLoadingMs = 150_000
/** A report with its screenshot and all of its text. */
const maxReportBytes = 8 * 1024 * 1024

/** Shows a page of the sandbox to the model and the user: screenshot, text, console, failed requests. */
export const viewPage = defineTool({
  name: 'view_page',
  description:
    "Opens a page served by this sandbox in a headless browser and returns a screenshot with the page's text, HTTP " +
    'status, console messages and failed requests. The user sees the screenshot too. Scripts run, so you see what a ' +
    'visitor sees. Each call is a new visit without cookies; it cannot click or type. Only for services and ports of ' +
    'this sandbox.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async (call, context) => {
    const view: PageLook = {
      url: await addressOf(call, context),
      width: call.width ?? 1280,
      height: call.height ?? 800,
      isFullPage: call.full_page ?? false,
      scrollY: call.scroll_y ?? 0,
      waitFor: call.wait_for ?? null,
      loadTimeoutMs: (call.timeout_seconds ?? defaultTimeoutSeconds) * 1000,
    }
    const recorder = makeMemoryRecorder(maxReportBytes)
    const timeoutMs = view.loadTimeoutMs + beyondLoadingMs
    const end = await followExecution(
      { ...context, recorder },
      {
        start: { case: 'startCommand', value: { command: commandFor(view), timeoutMs } },
        onDisplay: async () => undefined,
      },
    )
    void context.sandbox.runs.forget({ key: context.call.id }).catch(() => undefined)
    const exitCode = end.kind === 'ended' ? end.ended.exitCode : null
    const { status, error } = endStatusOf(end, { timeoutMs, isSuccess: exitCode === 0 })
    if (error !== null) {
      return { status, result: null, error, output: { text: `Error: ${error.message} ${error.remedy}`, isError: true } }
    }
    if (exitCode === 126 || exitCode === 127) throw pageLookUnsupported({})
    return await outcomeOf(context, { view, report: reportIn(recorder.text()) })
  },
})

/**
 * Runs the guest's program without the session's state and without environment variables that the user set for other
 * programs. Its argument is JSON in single quotes.
 */
function commandFor(view: PageLook): string {
  const argument = `'${JSON.stringify(view).replaceAll("'", "'\\''")}'`
  const unset = ['LD_PRELOAD', 'LD_LIBRARY_PATH', 'NODE_OPTIONS', 'NODE_PATH'].map((name) => `-u ${name}`).join(' ')
  return `( cd / && exec env ${unset} /.guest/look ${argument} 2>/dev/null )`
}

async function addressOf(call: Input, { call: record, services, signal }: ToolContext): Promise<string> {
  if (call.url !== undefined) {
    const address = loopbackAddress(call.url)
    if (address === undefined) throw pageNotLocal({ url: call.url })
    return address
  }
  const known = (await services.list(record.threadId)).services
  const name = call.service ?? (known.length === 1 ? known[0]?.name : undefined)
  if (name === undefined) {
    const names = known.map((service) => service.name).join(', ')
    throw callInputInvalid({ problem: `name a service or a URL (services: ${names || 'none'}).` })
  }
  await services.get(record.threadId, name)
  const { port, status, problem } = await services.settled(record.threadId, name, signal)
  if (status !== 'running') throw serviceFailed({ name, problem: problem?.message ?? `it is ${status}.` })
  const path = call.path ?? '/'
  const address = loopbackAddress(`http://localhost:${port}${path.startsWith('/') ? '' : '/'}${path}`)
  if (address === undefined) throw callInputInvalid({ problem: 'path is not valid.' })
  return address
}

/** Returns the URL if it points to the machine of the browser; undefined for any other. */
export function loopbackAddress(text: string): string | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '') return undefined
  if (url.hostname === '0.0.0.0') url.hostname = 'localhost'
  const isLoopback = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  return isLoopback ? url.href : undefined
}

function reportIn(text: string): PageReport {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  const report = pageReportSchema.safeParse(parseJson(line))
  if (!report.success) throw pageBrowserFailed({ detail: 'it returned no report.' })
  return report.data
}

async function outcomeOf(context: ToolContext, seen: { view: PageLook; report: PageReport }): Promise<CallOutcome> {
  const { report } = seen
  const text = reportText(report, { view: seen.view, maxCharacters: context.outputCharacters })
  if (report.problem !== null || report.picture === null) {
    const failed = failedWith(errorOf(report))
    const textForModel = `${failed?.output.text ?? ''}\n\nCaptured before that:\n${text}`
    return {
      status: 'failed',
      result: null,
      error: failed?.error ?? null,
      output: { text: textForModel, isError: true },
    }
  }
  const bytes = Buffer.from(report.picture.base64, 'base64')
  const mediaType = imageTypeOf(bytes)
  if (mediaType !== report.picture.mediaType) throw pageBrowserFailed({ detail: 'it returned an invalid image.' })
  const { key, url } = resultBlob(context.call, 'image')
  await context.blobs.put(key, bytes)
  const page = { title: report.title, httpStatus: report.httpStatus, problems: problemsOf(report) }
  const result = { kind: 'image' as const, path: report.url, mediaType, sizeBytes: bytes.length, url, page }
  return succeeded(result, text, { key, mediaType })
}
