import type { OpenPort, Service, ServiceStatus, ServicesView } from '@threadbox/sdk'
import type { GlyphState } from '../../../ui/glyph.tsx'

/** What the pane can show: a service, or a port that another process listens on. `key` is the stored identifier. */
export type PreviewTarget = {
  key: string
  name: string
  port: number
  status: ServiceStatus
  service: Service | null
}

export const noServices: ServicesView = { services: [], openPorts: [] }

export function keyOfPort(port: number): string {
  return `:${port}`
}

/**
 * Returns the tabs: every service, and of the other open ports the selected one. A selected port that has closed keeps
 * its tab as stopped, so that its end is visible.
 */
export function targetsOf(view: ServicesView, wanted: string | null): PreviewTarget[] {
  const targets: PreviewTarget[] = view.services.map((service) => ({
    key: service.name,
    name: service.name,
    port: service.port,
    status: service.status,
    service,
  }))
  const port = portOfKey(wanted)
  if (port === null || targets.some((target) => target.port === port)) return targets
  const isOpen = view.openPorts.some((open) => open.port === port)
  const key = keyOfPort(port)
  return [...targets, { key, name: '', port, status: isOpen ? 'running' : 'stopped', service: null }]
}

/** The tab in front: the selected one, else a running one, else the first. */
export function chosenTarget(targets: readonly PreviewTarget[], wanted: string | null): PreviewTarget | null {
  const port = portOfKey(wanted)
  return (
    targets.find((target) => target.key === wanted) ??
    targets.find((target) => target.port === port) ??
    targets.findLast((target) => target.status === 'running' || target.status === 'starting') ??
    targets[0] ??
    null
  )
}

/** Open ports without a tab. */
export function offeredPorts(view: ServicesView, targets: readonly PreviewTarget[]): OpenPort[] {
  return view.openPorts.filter((open) => !targets.some((target) => target.port === open.port))
}

const glyphs: Record<ServiceStatus, GlyphState> = {
  starting: 'waking',
  running: 'running',
  suspended: 'suspended',
  stopped: 'stopped',
  error: 'error',
}

export function glyphOfService(status: ServiceStatus): GlyphState {
  return glyphs[status]
}

/**
 * Services that started between two views, the latest last. Services that woke with their sandbox aren’t included.
 * Without an earlier view (`before` is undefined), these are the ones that are starting now, and those running since
 * `pageOpenedAt` (ms since epoch) or later, which started while the page was loading.
 */
export function startedServices(
  before: ServicesView | undefined,
  after: ServicesView,
  pageOpenedAt: number = Number.POSITIVE_INFINITY,
): Service[] {
  return after.services.filter((service) => {
    if (!isUp(service.status)) return false
    if (before === undefined) return service.status === 'starting' || service.since >= pageOpenedAt
    const known = before.services.find(({ name }) => name === service.name)
    if (known === undefined || known.port !== service.port || known.command !== service.command) return true
    if (service.status === 'starting') return known.status !== 'starting'
    return known.status === 'stopped' || known.status === 'error'
  })
}

function isUp(status: ServiceStatus): boolean {
  return status === 'starting' || status === 'running'
}

function portOfKey(key: string | null): number | null {
  const match = /^:(\d{1,5})$/.exec(key ?? '')
  return match === null ? null : Number(match[1])
}
