/** Widths in which a page can be shown; `full` is the width of the pane. */
export const frameWidths = { full: null, tablet: 768, phone: 390 } as const
export type FrameWidth = keyof typeof frameWidths

/** What the preview of a thread showed last, stored on this device. */
export type PreviewView = {
  /** The key of the target in front. */
  target: string | null
  /** The path for each target key; the root if there is none. */
  paths: Record<string, string>
  width: FrameWidth
  areLogsOpen: boolean
  /** Services whose preview you closed: it doesn’t open automatically again. */
  closed: string[]
}

const rememberedPaths = 50

export function readPreviewView(value: unknown): PreviewView {
  const stored = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  const paths = typeof stored.paths === 'object' && stored.paths !== null ? Object.entries(stored.paths) : []
  const { target, width, closed } = stored
  return {
    target: typeof target === 'string' ? target : null,
    paths: Object.fromEntries(paths.filter((entry): entry is [string, string] => isPath(entry[1]))),
    width: typeof width === 'string' && Object.hasOwn(frameWidths, width) ? (width as FrameWidth) : 'full',
    areLogsOpen: stored.areLogsOpen === true,
    closed: Array.isArray(closed) ? closed.filter((name): name is string => typeof name === 'string') : [],
  }
}

export function pathOf(view: PreviewView, key: string): string {
  return view.paths[key] ?? '/'
}

export function withPath(view: PreviewView, key: string, path: string): PreviewView {
  const { [key]: _before, ...others } = view.paths
  const kept = Object.entries(others).slice(-rememberedPaths)
  return { ...view, paths: Object.fromEntries(path === '/' ? kept : [...kept, [key, path]]) }
}

/** Selects a target. Its preview may open automatically again. */
export function withTarget(view: PreviewView, target: string): PreviewView {
  return { ...view, target, closed: view.closed.filter((name) => name !== target) }
}

export function withClosed(view: PreviewView, target: string | null): PreviewView {
  if (target === null || view.closed.includes(target)) return view
  return { ...view, closed: [...view.closed, target].slice(-rememberedPaths) }
}

/**
 * Turns text typed into the address row into a path of the page: `forecast?day=1`, or a full URL, of which only the
 * path counts because the pane shows one origin.
 */
export function pathTyped(text: string): string {
  const typed = text.trim()
  const withoutOrigin = typed.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/^(?:localhost|[\d.]+):\d+/i, '')
  const path = withoutOrigin.startsWith('/') ? withoutOrigin : `/${withoutOrigin}`
  // Two slashes would name another host.
  return path.replace(/^\/{2,}/, '/').replaceAll('\\', '/')
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/') && value.length <= 8192
}
