import type { Check, SetupState, Status } from '@threadbox/protocol/public'
import type { Settings, Users } from '../people/public.ts'
import type { HostClient } from '../sandboxes/public.ts'

export type InstallationStatus = {
  setup(): Promise<SetupState>
  /** With checks the host inspects the machine again, which takes a moment. */
  now(options: { withChecks: boolean }): Promise<Status>
}

export function makeStatus(options: {
  version: string
  host: HostClient
  users: Users
  hasModel: () => Promise<boolean>
  settings: Pick<Settings, 'values'>
}): InstallationStatus {
  const { host, version } = options
  const hostInfo = () => host.info().catch(() => undefined)
  return {
    setup: async () => {
      const info = await hostInfo()
      return {
        ownerExists: await options.users.ownerExists(),
        adminsMayRead: (await options.settings.values()).adminsMayRead === 'with-reason',
        version,
        isHostReachable: info !== undefined,
        preparing: info?.preparing ?? [],
        steps: info?.preparingSteps ?? [],
      }
    },
    now: async ({ withChecks }) => {
      const info = await hostInfo()
      return {
        version,
        host:
          info === undefined
            ? null
            : {
                isReachable: true,
                memoryTotalBytes: info.memoryTotalBytes,
                memoryUsedBytes: info.memoryTotalBytes - info.memoryAvailableBytes,
                poolTotalBytes: info.poolTotalBytes,
                poolUsedBytes: info.poolUsedBytes,
                awakeSandboxes: info.awakeSandboxes,
              },
        checks: [...reachability(info !== undefined), ...(withChecks ? await checksOf(host) : [])],
        hasModel: await options.hasModel(),
      }
    },
  }
}

/** What the server itself finds, by permanent code like the host's findings. */
export const reachabilityWords = {
  'host-reachable-fine': { detail: 'Responding.', cure: '' },
  'host-reachable-missing': { detail: 'Not responding.', cure: 'Run `threadbox doctor` on the server.' },
} as const

function reachability(isReachable: boolean): Check[] {
  const code = isReachable ? 'host-reachable-fine' : 'host-reachable-missing'
  const { detail, cure } = reachabilityWords[code]
  const status = isReachable ? 'ok' : 'failed'
  return [{ id: 'host-reachable', status, title: 'Sandbox service', detail, cure: cure || null, code, values: {} }]
}

async function checksOf(host: HostClient): Promise<Check[]> {
  const report = await host.doctor().catch(() => ({ checks: [] }))
  return report.checks.map(({ state, cure, ...check }) => ({ ...check, status: state, cure: cure || null }))
}
