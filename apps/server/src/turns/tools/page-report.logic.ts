import type { ThreadboxError } from '@threadbox/errors'
import type { PageLook, PageReport } from '@threadbox/protocol/guest'
import { excerptOfText } from '../../platform/texts/excerpt.logic.ts'
import {
  browserMissing,
  pageBrowserFailed,
  pageCrashed,
  pageFlooded,
  pageNoAnswer,
  pageNotResponding,
  pageTooMuchMemory,
  pageUnreachable,
} from './view-page.errors.ts'

type Failure = (facts: { url: string; detail: string }) => ThreadboxError

/** Errors for every reason why no screenshot was taken. */
const pageErrors = {
  'no-browser': () => browserMissing({}),
  'browser-failed': ({ detail }) => pageBrowserFailed({ detail }),
  unreachable: pageUnreachable,
  'no-answer': pageNoAnswer,
  'not-responding': pageNotResponding,
  crashed: pageCrashed,
  'too-much-memory': pageTooMuchMemory,
  flooded: pageFlooded,
} as const satisfies Record<NonNullable<PageReport['problem']>, Failure>

/** Returns why no screenshot was taken. */
export function errorOf(report: PageReport): ThreadboxError {
  const detail = report.detail === '' ? 'There was no screenshot.' : report.detail
  return pageErrors[report.problem ?? 'browser-failed']({ url: report.url, detail })
}

/** Programs in the sandbox can write anything into a report, so it is limited and only shown as text. */
const maxProblems = 20

/** Problems of the page for the card, one line each. */
export function problemsOf(report: PageReport): string[] {
  const lines = [
    ...report.console.filter(({ level }) => level === 'error' || level === 'assert').map(consoleLine),
    ...report.failedRequests.map(({ url, problem }) => `${url}: ${problem}`),
  ]
  return lines.slice(0, maxProblems).map((line) => line.slice(0, 400))
}

/** The report as text for the model, without the screenshot. */
export function reportText(report: PageReport, options: { view: PageLook; maxCharacters: number }): string {
  const { view, maxCharacters } = options
  const status = report.httpStatus === null ? '' : ` (HTTP ${report.httpStatus})`
  const title = report.title === '' ? '' : `, title ${JSON.stringify(report.title)}`
  const dropped = (count: number) => (count === 0 ? [] : [`(${count} more omitted)`])
  const sections = [
    [`${report.url}${status}${title}`, ...screenshotLines(report, view), ...notices(report, view)],
    section('Console', [...report.console.map(consoleLine), ...dropped(report.consoleLeftOut)]),
    section('Failed requests', [
      ...report.failedRequests.map(({ url, problem }) => `${url}: ${problem}`),
      ...dropped(report.failedRequestsLeftOut),
    ]),
    section('Page text', report.text === '' ? [] : [excerptOfText(report.text, maxCharacters).text]),
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines]
}

function consoleLine({ level, text, times }: PageReport['console'][number]): string {
  return `${level}: ${text}${times === 1 ? '' : ` (${times} times)`}`
}

function screenshotLines(report: PageReport, view: PageLook): string[] {
  const { picture, pageWidth, pageHeight } = report
  if (picture === null) return []
  const end = picture.top + picture.height
  const scale = picture.scale === 1 ? '' : `, scaled to ${Math.round(picture.scale * 100)}%`
  const rest = end < pageHeight ? ` The page continues below: use scroll_y=${end} to see more.` : ''
  return [
    `Viewport ${view.width}×${view.height}, page ${pageWidth}×${pageHeight} CSS pixels; ` +
      `the screenshot shows y=${picture.top} to ${end}${scale}.${rest}`,
  ]
}

function notices(report: PageReport, view: PageLook): string[] {
  const { isLoaded, waitForFound, windowsRefused, dialogs, text, textCharacters } = report
  return [
    report.problem === null && !isLoaded
      ? `The page was still loading after ${view.loadTimeoutMs / 1000} s. This is what it showed.`
      : null,
    waitForFound === false ? `${view.waitFor} did not become visible in time.` : null,
    report.problem === null && text.trim() === '' ? 'The page has no visible text.' : null,
    textCharacters > text.length
      ? `The page has ${textCharacters} characters of text; only the beginning is included.`
      : null,
    windowsRefused > 0 ? `The page tried to open ${windowsRefused} windows, which were blocked.` : null,
    dialogs.length > 0 ? `Dialogs that the page opened were dismissed: ${dialogs.join('; ')}` : null,
  ].filter((line) => line !== null)
}
