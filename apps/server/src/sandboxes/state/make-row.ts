import type { System } from '../../platform/system/system.ts'
import type { ReadDefaults } from '../../threads/public.ts'
import type { Sandbox } from './sandbox.logic.ts'
import { newSandbox } from './sandbox-rows.ts'
import type { SandboxStore } from './sandboxes.store.ts'

/** The row of a thread whose sandbox was not used yet. */
export async function makeRow(
  dependencies: { defaults: ReadDefaults; store: Pick<SandboxStore, 'insertIfMissing'>; system: System },
  threadId: string,
): Promise<Sandbox> {
  const { store, system } = dependencies
  const { limits } = (await dependencies.defaults([threadId]))(threadId)
  return await store.insertIfMissing(newSandbox({ id: system.newId('sandbox'), threadId, now: system.now(), limits }))
}
