import type { Logger } from '@threadbox/telemetry'
import { isMachineIdle } from '../../machine/programs/machine-pressure.ts'
import type { LaunchPorts, WaitingBoot } from '../launch/launch.ts'
import { makePythonUse, type PythonUse } from './python-use.ts'

/** Which spares get a Python kernel: with `on`, if one is likely to be used, and while the machine is idle. */
export type KernelPolicy = 'on' | 'always' | 'off'

type Spare = { placeId: string; address: string; waiting: WaitingBoot }

/** Python kernels that wait in spares. */
export type SpareKernels = Pick<PythonUse, 'began' | 'used'> & {
  /**
   * Starts the kernel of a spare that has none. Returns `none` if none is to get one, and `busy` if it waits until the
   * machine is idle.
   */
  giveNext(spares: readonly Spare[]): Promise<'given' | 'none' | 'busy'>
  has(allocationId: string): boolean
  forget(allocationId: string): void
}

/** The machine's pressure is an average of 10 s. */
const idleCheckMs = 5_000
/** Measured: 9 s on a machine with every core busy. */
const prewarmTimeoutMs = 60_000

export function makeSpareKernels(ports: {
  policy: KernelPolicy
  /** Called when spares that have no kernel are to get one, perhaps. */
  onDue: () => void
  launch: Pick<LaunchPorts, 'gateway' | 'clock'>
  logger: Logger
}): SpareKernels {
  const { policy, onDue, launch, logger } = ports
  const python = makePythonUse(launch.clock)
  // One whose kernel could not be started stays without.
  const given = new Set<string>()
  const areWanted = () => policy === 'always' || (policy === 'on' && python.isLikely())
  let timer: NodeJS.Timeout | undefined
  return {
    began: python.began,
    used: (sandboxId) => {
      python.used(sandboxId)
      if (areWanted()) onDue()
    },
    giveNext: async (spares) => {
      const next = areWanted() ? spares.find(({ placeId }) => !given.has(placeId)) : undefined
      if (next === undefined) return 'none'
      if (policy !== 'always' && !(await isMachineIdle())) {
        clearTimeout(timer)
        timer = setTimeout(onDue, idleCheckMs).unref()
        return 'busy'
      }
      given.add(next.placeId)
      // Python takes seconds to start in a sandbox. Each has its own, started inside it.
      const guest = { address: next.address, accessToken: next.waiting.accessToken }
      await launch.gateway
        .prewarm({ guest }, AbortSignal.timeout(prewarmTimeoutMs))
        .catch((error: unknown) => logger.info({ err: error }, 'a waiting sandbox has no kernel'))
      return 'given'
    },
    has: (allocationId) => given.has(allocationId),
    forget: (allocationId) => void given.delete(allocationId),
  }
}
