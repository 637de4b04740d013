import type { Preview, ServiceStatus } from '@threadbox/sdk'

/** Features that the browser grants the page in addition to `previewFrameSandbox`. */
export const framePermissions = 'fullscreen; clipboard-write; autoplay; gamepad'

/** `hasPage`: a page was loaded into the frame and stays there. */
export type FrameState = { hasPage: boolean; load: 'none' | 'asked' | 'loading' | 'failed' | 'unavailable' }

/** What covers the frame, if anything. */
export type FrameCover = 'none' | 'starting' | 'suspended' | 'down' | 'failed' | 'unavailable'

/** A loaded page stays visible as long as the message about it fits beside it. */
export function coverOf(status: ServiceStatus, frame: FrameState): FrameCover {
  if (status === 'suspended') return 'suspended'
  if (status === 'stopped' || status === 'error') return 'down'
  if (frame.load === 'unavailable') return 'unavailable'
  if (frame.load === 'failed') return 'failed'
  return status === 'starting' && !frame.hasPage ? 'starting' : 'none'
}

/** True while a new page is being loaded: the progress bar is shown. */
export function isOnItsWay(status: ServiceStatus, frame: FrameState): boolean {
  if (status === 'starting') return true
  return status === 'running' && (frame.load === 'asked' || frame.load === 'loading')
}

/**
 * True if the page is to be loaded without a request: when it never was, and when another process serves it now. A
 * process that woke is the same, and so is its page. A service that sleeps or is down is never loaded: that would wake
 * it.
 */
export function shouldAutoLoad(status: ServiceStatus, frame: FrameState & { wasDown: boolean }): boolean {
  return status === 'running' && (frame.wasDown || (!frame.hasPage && frame.load === 'none'))
}

/** True if a page can be framed here: never one of the app’s own origin, which could act as the user. */
export function isForeign(preview: Preview, appOrigin: string): boolean {
  return preview.url !== null && URL.canParse(preview.url) && new URL(preview.url).origin !== appOrigin
}
