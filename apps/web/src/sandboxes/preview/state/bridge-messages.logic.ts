import * as z from 'zod/mini'
import { bridgeLimits, unreadableKinds } from '../../../preview-bridge/messages.ts'

// The app’s policy forbids generating code from text, which the library would use to be faster.
z.config({ jitless: true })

const limits = bridgeLimits
const id = z.string().check(z.maxLength(64))
const pixels = z.number().check(z.gte(-1_000_000), z.lte(1_000_000))
const size = z.number().check(z.gte(0), z.lte(1_000_000))
const shortText = (length: number) => z.string().check(z.maxLength(length))
const regionSchema = z.object({ x: pixels, y: pixels, width: size, height: size })

/** A path of the page’s own origin: one slash, and nothing that a browser would read as another host. */
const pathSchema = shortText(limits.path).check(z.regex(/^\/(?![/\\])[^\s\\]*$/))

const lineSchema = z.object({
  level: z.enum(['debug', 'log', 'info', 'warn', 'error']),
  text: shortText(limits.lineText),
  at: z.number().check(z.gte(0)),
})

const elementSchema = z.object({
  selector: shortText(limits.selector),
  text: shortText(limits.elementText),
  width: size,
  height: size,
})

/** Messages of the bridge, as claims of a page that can be hostile: everything is bounded. */
export const bridgeMessageSchema = z.discriminatedUnion('threadbox', [
  z.object({
    threadbox: z.literal('page'),
    path: pathSchema,
    title: shortText(limits.title),
    isNew: z.boolean(),
    isLocked: z.boolean(),
  }),
  z.object({
    threadbox: z.literal('console'),
    lines: z.array(lineSchema).check(z.maxLength(limits.linesPerMessage)),
    dropped: z.number().check(z.gte(0), z.lte(1_000_000)),
  }),
  z.object({ threadbox: z.literal('picked'), id, region: z.nullable(regionSchema) }),
  z.object({
    threadbox: z.literal('captured'),
    id,
    image: z.instanceof(Blob).check(z.refine((blob) => blob.size <= limits.imageBytes)),
    elements: z.array(elementSchema).check(z.maxLength(limits.elements)),
    missing: z.array(z.enum(unreadableKinds)).check(z.maxLength(unreadableKinds.length)),
    viewport: z.object({ width: size, height: size, scrollX: pixels, scrollY: pixels }),
  }),
  z.object({ threadbox: z.literal('failed'), id, message: shortText(limits.message) }),
])
export type Captured = Extract<z.infer<typeof bridgeMessageSchema>, { threadbox: 'captured' }>
