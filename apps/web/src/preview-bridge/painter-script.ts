import type { Region, Unreadable } from './messages.ts'

/** Takes a screenshot of a region of the viewport as PNG, with the kinds of content that it can’t show. */
export type Painter = (region: Region, scale: number) => Promise<{ image: Blob; missing: Unreadable[] }>

/**
 * How the painter hands itself to the bridge: a property of its script element, which no other script can read before.
 */
export type PainterScript = HTMLScriptElement & { threadboxPainter?: Painter }
