/**
 * What app and bridge say to each other. The bridge runs inside a page that may be hostile: the app reads what it says as
 * the page's own claims, and the bridge does only what any script of the page could.
 */
export type Region = { x: number; y: number; width: number; height: number }

export type AppMessage =
  | { threadbox: 'hello' }
  | { threadbox: 'pick'; id: string; x: number; y: number }
  | { threadbox: 'capture'; id: string; region: Region; scale: number }

export type ConsoleLevel = 'debug' | 'log' | 'info' | 'warn' | 'error'
export type ConsoleLine = { level: ConsoleLevel; text: string; at: number }

/** What a page shows and no script of it may read, so that a picture by a script is empty there. */
export const unreadableKinds = ['frame', 'image', 'media'] as const
export type Unreadable = (typeof unreadableKinds)[number]

/** An element under a region; its box is that of the page's viewport. */
export type PageElement = { selector: string; text: string; width: number; height: number }

export type BridgeMessage =
  /** `isNew`: first of this page. `isLocked`: no script may paint it (trusted types), so there are no pictures of it. */
  | { threadbox: 'page'; path: string; title: string; isNew: boolean; isLocked: boolean }
  | { threadbox: 'console'; lines: ConsoleLine[]; dropped: number }
  | { threadbox: 'picked'; id: string; region: Region | null }
  | {
      threadbox: 'captured'
      id: string
      image: Blob
      elements: PageElement[]
      missing: Unreadable[]
      viewport: { width: number; height: number; scrollX: number; scrollY: number; devicePixelRatio: number }
    }
  | { threadbox: 'failed'; id: string; message: string }

/** Bounds that the bridge keeps and the app checks. */
export const bridgeLimits = {
  path: 2048,
  title: 300,
  lineText: 2000,
  linesPerMessage: 50,
  elements: 12,
  selector: 300,
  elementText: 200,
  message: 300,
  imageBytes: 30 * 1024 * 1024,
}
