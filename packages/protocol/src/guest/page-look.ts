import { z } from 'zod'

/**
 * A look at a page of the sandbox: the program `/.guest/look` gets this as its only argument (JSON), shows the page in a
 * browser inside the sandbox, prints one line of {@link pageReportSchema} and ends. Everything is in CSS pixels.
 */
export const pageLookSchema = z.object({
  url: z.string(),
  width: z.number().int(),
  height: z.number().int(),
  /** Picture from `scrollY` down to the end of the page, up to a limit, instead of one viewport. */
  isFullPage: z.boolean(),
  scrollY: z.number().int(),
  /** CSS selector of something that has to be visible before the picture is taken. */
  waitFor: z.string().nullable(),
  /** How long the page may take to load; what is there by then is shown. */
  loadTimeoutMs: z.number().int(),
})
export type PageLook = z.infer<typeof pageLookSchema>

/** Why there is no picture. */
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

/** What was seen. All text is the page's own and bounded. */
export const pageReportSchema = z.object({
  problem: z.enum(pageProblems).nullable(),
  /** What the browser said about the problem. */
  detail: z.string().max(2000),
  /** Where it ended up, after redirects. */
  url: z.string().max(2000),
  httpStatus: z.number().int().nullable(),
  title: z.string().max(500),
  isLoaded: z.boolean(),
  /** Null when nothing was waited for. */
  waitForFound: z.boolean().nullable(),
  pageWidth: count,
  pageHeight: count,
  picture: z
    .object({
      mediaType: z.enum(['image/png', 'image/jpeg']),
      base64: z.string().max(6_000_000),
      /** What it shows of the page. */
      top: count,
      height: count,
      /** Pixels of the picture for one CSS pixel. */
      scale: z.number(),
    })
    .nullable(),
  text: z.string().max(110_000),
  textCharacters: count,
  console: z.array(z.object({ level: z.string().max(20), text: z.string().max(1000), times: count })).max(50),
  consoleLeftOut: count,
  failedRequests: z.array(z.object({ url: z.string().max(500), problem: z.string().max(200) })).max(30),
  failedRequestsLeftOut: count,
  /** What the page tried and was not let: windows, dialogs that were dismissed. */
  windowsRefused: count,
  dialogs: z.array(z.string().max(300)).max(10),
})
export type PageReport = z.infer<typeof pageReportSchema>
