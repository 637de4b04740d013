import type { OpenPort, Service, ServiceStatus, ServicesView } from '@threadbox/sdk'
import type { GlyphState } from '../../../ui/glyph.tsx'

/** What the pane can show: a service, or a port that some other process listens on. `key` is what is remembered. */
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
 * What has a tab: every service, and of the other open ports the one that was asked for. A port that is remembered and no
 * longer open keeps its tab as stopped, so that the person sees what became of it.
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

/** The tab that is in front: what was asked for, else what runs, else the first. */
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

/** Open ports that have no tab. */
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
 * Services that began to run between two views, the latest last. What woke with its sandbox did not begin. When nothing was
 * known before (`before` is undefined), what is starting right now began, and what runs since `pageOpenedAt` or later (ms
 * since epoch): it started while its page was loading.
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
