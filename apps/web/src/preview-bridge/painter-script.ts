import type { Region, Unreadable } from './messages.ts'

/** A picture of a region of the viewport as it is now, as PNG, and what of it the picture cannot show. */
export type Painter = (region: Region, scale: number) => Promise<{ image: Blob; missing: Unreadable[] }>

/** How the painter gives itself to the bridge: a property of its script, which nobody else sees before. */
export type PainterScript = HTMLScriptElement & { threadboxPainter?: Painter }
