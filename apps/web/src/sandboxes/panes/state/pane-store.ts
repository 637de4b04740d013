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
} from './pane-memory.models.ts'

/** A part of a pane that is to come into view with the focus, once. */
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
/** What had the focus when the person opened the pane; it gets the focus back. */
let opener: Element | null = null

export function usePaneState(): PaneState {
  return useStore(panes)
}

/** Another tab may have changed what belongs to other threads: what is written starts from what is stored. */
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
    // The storage is full: it holds until the next reload.
  }
}

/** Tells which page is open. What another tab remembers of its thread counts from here on. */
export function enterPage(threadId: string | null): void {
  const { threadId: before, memories: own } = panes.getState()
  if (before === threadId) return
  opener = null
  const stored = readMemories(localStorage.getItem(storageKey))
  const memories = { threads: stored.threads, pinned: own.pinned }
  panes.setState({ threadId, visit: null, paneTarget: null, memories })
}

/** What stands beside the page now. */
function currentPane(): ShownPane | null {
  const { memories, threadId, visit } = panes.getState()
  return shownPane(memories, { threadId, visit, isNarrow: isNarrowPage() })
}

/** Opens a pane beside the conversation, or closes it when it is the one that is open. */
export function togglePane(pane: string): void {
  const shown = currentPane()
  if (shown !== null && shown.threadId === panes.getState().threadId && shown.pane === pane) closePane()
  else openPane(pane)
}

/** With a target that part comes into view and has the focus, also when the pane is open already. */
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
 * Opens a pane of a thread without the person having asked: the focus stays where it is, and on a narrow screen nothing is
 * covered. Beside another thread, or beside what is pinned, it is there when the person comes back.
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
 * The focus goes back to what opened the pane, else to the pane's toggle, unless it is to go elsewhere. A pinned pane is no
 * longer pinned.
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
  // After the next paint: what lay under a sheet cannot take the focus before.
  if (options.keepsFocus !== true) requestAnimationFrame(() => target?.focus())
}

/** Tells a pane that the person closes it. */
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

/** Keeps a pane open in other threads and on other pages; null ends that. */
export function pin(pinned: PaneMemories['pinned']): void {
  remember((memories) => ({ ...memories, pinned }))
}

/** Whether the person opened the pane just now, so that the focus belongs into it; not so after a reload. */
export function wasPaneAskedFor(): boolean {
  return opener !== null && panes.getState().paneTarget === null
}

/** The part of the pane that was asked for is in view. */
export function reachPaneTarget(): void {
  panes.setState({ paneTarget: null })
}

/** What a pane remembered of a thread; the pane knows how to read it. */
export function usePaneView(threadId: string, pane: string): unknown {
  return useStore(panes, ({ memories }) => memoryOf(memories, threadId).views[pane])
}

export function viewOf(threadId: string, pane: string): unknown {
  return memoryOf(panes.getState().memories, threadId).views[pane]
}

export function rememberView(threadId: string, pane: string, view: unknown): void {
  remember((memories) => withView(memories, { threadId, pane, view, at: Date.now() }))
}
