import { z } from 'zod'

/**
 * Renders a page of the sandbox: the program `/.guest/look` gets this as its only argument (JSON), shows the page in a
 * browser inside the sandbox, prints one line of {@link pageReportSchema} and exits. Everything is in CSS pixels.
 */
export const pageLookSchema = z.object({
  url: z.string(),
  width: z.number().int(),
  height: z.number().int(),
  /** The image extends from `scrollY` to the end of the page, up to a limit, instead of one viewport. */
  isFullPage: z.boolean(),
  scrollY: z.number().int(),
  /** CSS selector of an element that must be visible before the screenshot is taken. */
  waitFor: z.string().nullable(),
  /** How long the page can take to load; whatever has loaded by that time is shown. */
  loadTimeoutMs: z.number().int(),
})
export type PageLook = z.infer<typeof pageLookSchema>

/** Why no screenshot was taken. */
export const pageProblems = [
  'no-browser',
  'browser-failed',
  'unreachable',
  'no-answer',
  'not-responding',
  'crashed',
  'too-much-memory',
  'flooded',
] as const

const count = z.number().int().nonnegative()

/** What the browser saw. All text is the page’s own and bounded. */
export const pageReportSchema = z.object({
  problem: z.enum(pageProblems).nullable(),
  /** What the browser reported about the problem. */
  detail: z.string().max(2000),
  /** Final address, after redirects. */
  url: z.string().max(2000),
  httpStatus: z.number().int().nullable(),
  title: z.string().max(500),
  isLoaded: z.boolean(),
  /** Null if nothing was waited for. */
  waitForFound: z.boolean().nullable(),
  pageWidth: count,
  pageHeight: count,
  picture: z
    .object({
      mediaType: z.enum(['image/png', 'image/jpeg']),
      base64: z.string().max(6_000_000),
      /** The visible part of the page. */
      top: count,
      height: count,
      /** Image pixels per CSS pixel. */
      scale: z.number(),
    })
    .nullable(),
  text: z.string().max(110_000),
  textCharacters: count,
  console: z.array(z.object({ level: z.string().max(20), text: z.string().max(1000), times: count })).max(50),
  consoleLeftOut: count,
  failedRequests: z.array(z.object({ url: z.string().max(500), problem: z.string().max(200) })).max(30),
  failedRequestsLeftOut: count,
  /** Windows and dialogs that the page tried to open and that were blocked or dismissed. */
  windowsRefused: count,
  dialogs: z.array(z.string().max(300)).max(10),
})
export type PageReport = z.infer<typeof pageReportSchema>
