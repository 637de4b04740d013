import type { Preview, ServiceStatus } from '@threadbox/sdk'

/** What the browser lets the page use besides what `previewFrameSandbox` says. */
export const framePermissions = 'fullscreen; clipboard-write; autoplay; gamepad'

/** `page`: something was loaded into the frame and stays there, whatever comes next. */
export type FrameState = { hasPage: boolean; load: 'none' | 'asked' | 'loading' | 'failed' | 'unavailable' }

/** What lies over the frame, or nothing. */
export type FrameCover = 'none' | 'starting' | 'suspended' | 'down' | 'failed' | 'unavailable'

/** A page that is there stays visible as long as what is said about it fits beside it. */
export function coverOf(status: ServiceStatus, frame: FrameState): FrameCover {
  if (status === 'suspended') return 'suspended'
  if (status === 'stopped' || status === 'error') return 'down'
  if (frame.load === 'unavailable') return 'unavailable'
  if (frame.load === 'failed') return 'failed'
  return status === 'starting' && !frame.hasPage ? 'starting' : 'none'
}

/** Whether the bar over the frame runs: something new is on its way. */
export function isOnItsWay(status: ServiceStatus, frame: FrameState): boolean {
  if (status === 'starting') return true
  return status === 'running' && (frame.load === 'asked' || frame.load === 'loading')
}

/**
 * Whether the page is to be loaded without the person having asked: when it never was, and when another process answers now.
 * A process that woke is the same, and so is its page. What sleeps or is down is not asked: that would wake it.
 */
export function loadsByItself(status: ServiceStatus, frame: FrameState & { wasDown: boolean }): boolean {
  return status === 'running' && (frame.wasDown || (!frame.hasPage && frame.load === 'none'))
}

/** Whether a page may stand in a frame here: never one of the app's own origin, which could act as the person. */
export function isForeign(preview: Preview, appOrigin: string): boolean {
  return preview.url !== null && URL.canParse(preview.url) && new URL(preview.url).origin !== appOrigin
}
