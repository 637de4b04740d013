import type { GatewayApi } from '@threadbox/protocol/gateway'
import { canSaveMemory, type SandboxDriver } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { Boots } from '../boots/boots.ts'
import type { Compressions } from './compressions.ts'

/** A boot that rests or is about to rest: from now on the gateway can hold requests to it. */
export type Rest = {
  sandboxId: string
  bootId: string
  driverBootId: string
  /** True from before the driver is asked to freeze it. */
  isFreezing: boolean
  /** Undefined until it is frozen. */
  frozenAt: number | undefined
}
type RestedBoot = Pick<Rest, 'sandboxId' | 'bootId'>

/** The boots that rest, at most one of each sandbox. The caller has the sandbox’s turn. */
export type Rests = {
  begin(rest: Rest): void
  find(boot: RestedBoot): Rest | undefined
  /** Forgets a boot that has ended, or that the gateway holds no requests to. */
  drop(boot: RestedBoot): void
  /** Lets the boot of a sandbox continue. Returns false if none rests. Never leaves one frozen. */
  rouse(sandboxId: string): Promise<boolean>
  /** Has the gateway pass the requests that wait for a boot. */
  pass(boot: RestedBoot): Promise<void>
  sandboxIds(): string[]
}

export type RestsPorts = {
  boots: Pick<BootsStore, 'current'>
  running: Pick<Boots, 'end'>
  driver: SandboxDriver
  gateway: Pick<GatewayApi, 'rouse'>
  compressions: Pick<Compressions, 'cancel'>
  logger: Logger
}

export function makeRests(ports: RestsPorts): Rests {
  const resting = new Map<string, Rest>()
  const find = ({ sandboxId, bootId }: RestedBoot) => {
    const rest = resting.get(sandboxId)
    return rest?.bootId === bootId ? rest : undefined
  }
  const pass = async ({ sandboxId, bootId }: RestedBoot) => {
    // A gateway that can’t be reached holds no requests, and one that lives on tells of the next that waits.
    await ports.gateway.rouse({ sandboxId, bootId }).catch((error: unknown) => {
      ports.logger.warn({ err: error, sandboxId, bootId }, 'the gateway was not told that a boot continues')
    })
  }
  return {
    begin: (rest) => void resting.set(rest.sandboxId, rest),
    find,
    drop: (boot) => {
      const rest = find(boot)
      if (rest === undefined) return
      resting.delete(boot.sandboxId)
      void ports.compressions.cancel(rest)
    },
    rouse: async (sandboxId) => {
      const rest = resting.get(sandboxId)
      if (rest === undefined) return false
      await ports.compressions.cancel(rest)
      if (rest.isFreezing) await thaw(ports, rest)
      await pass(rest)
      resting.delete(sandboxId)
      return true
    },
    pass,
    sandboxIds: () => [...resting.keys()],
  }
}

/** A boot that doesn’t continue is ended. */
async function thaw({ driver, boots, running, logger }: RestsPorts, rest: Rest): Promise<void> {
  if (!canSaveMemory(driver)) return
  await driver.thaw(rest.driverBootId).catch(async (error: unknown) => {
    const { sandboxId, bootId, driverBootId } = rest
    const isRunning = (await driver.inspect(driverBootId))?.state === 'running'
    const boot = await boots.current(sandboxId)
    // Its end is recorded by what follows it.
    if (!isRunning || boot?.bootId !== bootId) return
    logger.error({ err: error, sandboxId, bootId }, 'a boot that rested cannot continue')
    const detail = 'It was frozen while it was idle, and couldn’t continue.'
    await running.end(boot, { cause: 'unknown', detail })
  })
}
