import { useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { isNarrowPage } from '../../../page/client/browser.ts'
import {
  memoryOf,
  type PaneMemories,
  type PaneVisit,
  readMemories,
  type ShownPane,
  shownPane,
  withPane,
  withView,
} from './pane-memory.logic.ts'

/** A part of a pane to scroll into view and focus, once. */
export type PaneTarget = 'limits'

export type PaneState = {
  memories: PaneMemories
  visit: PaneVisit | null
  /** The thread whose page is open; null on other pages. */
  threadId: string | null
  paneTarget: PaneTarget | null
}

const storageKey = 'threadbox.panes'
const closeListeners = new Set<() => void>()
const panes = createStore<PaneState>()(() => ({
  memories: readMemories(globalThis.localStorage?.getItem(storageKey) ?? null),
  visit: null,
  threadId: null,
  paneTarget: null,
}))
/** The element that had the focus when the user opened the pane; it gets the focus back. */
let opener: Element | null = null

export function usePaneState(): PaneState {
  return useStore(panes)
}

/** Another tab may have changed the entries of other threads, so each write starts from the stored value. */
function remember(update: (memories: PaneMemories) => PaneMemories): void {
  const state = panes.getState()
  const stored = readMemories(localStorage.getItem(storageKey))
  const threads = { ...stored.threads }
  const own = state.threadId === null ? undefined : state.memories.threads[state.threadId]
  if (state.threadId !== null && own !== undefined) threads[state.threadId] = own
  const memories = update({ threads, pinned: state.memories.pinned })
  panes.setState({ memories })
  try {
    localStorage.setItem(storageKey, JSON.stringify(memories))
  } catch {
    // The storage is full: the change lasts until the next reload.
  }
}

/** Sets the open page. Changes of its thread by other tabs apply from here on. */
export function enterPage(threadId: string | null): void {
  const { threadId: before, memories: own } = panes.getState()
  if (before === threadId) return
  opener = null
  const stored = readMemories(localStorage.getItem(storageKey))
  const memories = { threads: stored.threads, pinned: own.pinned }
  panes.setState({ threadId, visit: null, paneTarget: null, memories })
}

/** The pane that is shown beside the current page. */
function currentPane(): ShownPane | null {
  const { memories, threadId, visit } = panes.getState()
  return shownPane(memories, { threadId, visit, isNarrow: isNarrowPage() })
}

/** Opens a pane beside the conversation, or closes it if it is the open one. */
export function togglePane(pane: string): void {
  const shown = currentPane()
  if (shown !== null && shown.threadId === panes.getState().threadId && shown.pane === pane) closePane()
  else openPane(pane)
}

/** Opens a pane. A target is scrolled into view and focused, also if the pane is already open. */
export function openPane(pane: string, paneTarget: PaneTarget | null = null): void {
  const { threadId } = panes.getState()
  if (threadId === null) return
  const shown = currentPane()
  const isShown = shown !== null && shown.threadId === threadId && shown.pane === pane
  if (isShown && paneTarget === null) return
  if (!isShown) opener = document.activeElement
  remember((memories) => withPane(memories, { threadId, pane, at: Date.now() }))
  panes.setState({ visit: { threadId, pane }, paneTarget })
}

/**
 * Opens a pane of a thread automatically: the focus stays where it is, and on a narrow screen nothing is covered. If
 * another thread or a pinned pane is shown, the pane appears when you return to the thread.
 */
export function offerPane(threadId: string, pane: string): void {
  const { threadId: open, memories } = panes.getState()
  const { pinned } = memories
  remember((memories) => withPane(memories, { threadId, pane, at: Date.now() }))
  if (open !== threadId || isNarrowPage() || (pinned !== null && pinned.threadId !== threadId)) return
  opener = null
  panes.setState({ visit: null, paneTarget: null })
}

/**
 * Closes the pane, and unpins a pinned one. The focus returns to the element that opened it, else to the pane’s toggle,
 * unless `keepsFocus` is true.
 */
export function closePane(options: { keepsFocus?: boolean } = {}): void {
  const shown = currentPane()
  if (shown === null) return
  for (const listener of closeListeners) listener()
  if (shown.isPinned) pin(null)
  if (shown.threadId === panes.getState().threadId)
    remember((memories) => withPane(memories, { threadId: shown.threadId, pane: null, at: Date.now() }))
  panes.setState({ visit: null, paneTarget: null })
  const target = returnTarget(shown.pane)
  opener = null
  // After the next paint: content below a sheet can’t take the focus before.
  if (options.keepsFocus !== true) requestAnimationFrame(() => target?.focus())
}

/** Calls `onClose` when the user closes the pane. */
export function usePaneClose(onClose: () => void): void {
  useEffect(() => {
    closeListeners.add(onClose)
    return () => void closeListeners.delete(onClose)
  }, [onClose])
}

function returnTarget(pane: string): HTMLElement | null {
  if (opener instanceof HTMLElement && opener !== document.body && opener.isConnected) return opener
  return document.querySelector<HTMLElement>(`[data-pane-toggle=${CSS.escape(pane)}]`)
}

/** Keeps a pane open in other threads and on other pages; null unpins it. */
export function pin(pinned: PaneMemories['pinned']): void {
  remember((memories) => ({ ...memories, pinned }))
}

/** True if the user opened the pane just now, so that it takes the focus; false after a reload. */
export function wasPaneOpenedByUser(): boolean {
  return opener !== null && panes.getState().paneTarget === null
}

/** Clears the requested target, because it is in view. */
export function reachPaneTarget(): void {
  panes.setState({ paneTarget: null })
}

/** The stored view of a pane for a thread, which the pane parses. */
export function usePaneView(threadId: string, pane: string): unknown {
  return useStore(panes, ({ memories }) => memoryOf(memories, threadId).views[pane])
}

export function viewOf(threadId: string, pane: string): unknown {
  return memoryOf(panes.getState().memories, threadId).views[pane]
}

export function rememberView(threadId: string, pane: string, view: unknown): void {
  remember((memories) => withView(memories, { threadId, pane, view, at: Date.now() }))
}
