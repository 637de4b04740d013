/**
 * The messages between app and bridge. The bridge runs in a page that can be hostile: the app treats its messages as
 * claims of the page, and the bridge does only what any script of the page could.
 */
export type Region = { x: number; y: number; width: number; height: number }

export type AppMessage =
  | { threadbox: 'hello' }
  | { threadbox: 'pick'; id: string; x: number; y: number }
  | { threadbox: 'capture'; id: string; region: Region; scale: number }

export type ConsoleLevel = 'debug' | 'log' | 'info' | 'warn' | 'error'
export type ConsoleLine = { level: ConsoleLevel; text: string; at: number }

/** Visible content that no script of the page can read, so that a screenshot taken by a script lacks it. */
export const unreadableKinds = ['frame', 'image', 'media'] as const
export type Unreadable = (typeof unreadableKinds)[number]

/** An element in a region; its box is relative to the page’s viewport. */
export type PageElement = { selector: string; text: string; width: number; height: number }

export type BridgeMessage =
  /**
   * `isNew`: the first message of this page. `isLocked`: no script can paint it (trusted types), so there are no
   * screenshots of it.
   */
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

/** Limits that the bridge respects and the app checks. */
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
