import { makeSerial } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import type { AddressPool } from './address-pool.logic.ts'
import { renderMachineTable } from './firewall.logic.ts'
import { hasTable, makeNft } from './firewall.ts'
import { watchTable } from './firewall-watch.ts'
import type { NetworkNames } from './names.logic.ts'

/**
 * The one rule of an installation in the machine’s namespace: the sandboxes’ way to the internet. If another program
 * removes it (`nft flush ruleset`, a restarted firewall service), it is restored immediately.
 */
export type MachineFirewall = {
  install(): Promise<void>
  /** Stops watching the rule, so that it can be removed. */
  forget(): Promise<void>
}

const run = makeNft()

export function makeMachineFirewall(options: {
  names: NetworkNames
  pool: AddressPool
  logger: Logger
}): MachineFirewall {
  const { names, pool, logger } = options
  const { table } = names
  const serial = makeSerial()
  let stopWatching: (() => void) | undefined
  const restore = async () => {
    if (stopWatching === undefined || (await hasTable(table))) return
    await run([renderMachineTable({ names, pool })])
    logger.warn({ table }, 'another program removed the rule for the sandboxes’ way to the internet; it was restored')
  }
  const onMissing = () =>
    void serial(restore).catch((error) => logger.error({ err: error }, 'sandboxes have no way to the internet'))
  return {
    install: async () => {
      stopWatching?.()
      await run([renderMachineTable({ names, pool })])
      stopWatching = watchTable({ table, logger, onMissing })
    },
    forget: async () => {
      stopWatching?.()
      stopWatching = undefined
      // Waits until a restore in progress is finished.
      await serial.settled()
    },
  }
}

/** Adding it first makes deleting a missing table succeed. */
export async function removeMachineTable(table: string): Promise<void> {
  await run([`add table inet ${table}`, `delete table inet ${table}`])
}
