import type { DiskStore } from '@threadbox/disk-store'
import { type CleanedSandbox, cleanedSandboxSchema } from '@threadbox/protocol/host'
import { runProgram } from '../../machine/programs/run-program.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { Sealing } from '../../machine/state/sealing-key.ts'
import type { CleanerAnswer, CleanerOrder } from './clean-disk/main.ts'
import { diskNotCleaned } from './environments.errors.ts'

type CleanPorts = {
  disks: Pick<DiskStore, 'getDisk' | 'listImages' | 'namesBesideImage' | 'syncDisk'>
  sealing: Sealing
}
type CleaningOrder = { sandbox: StoredSandbox } & Pick<CleanerOrder, 'sealedSecrets' | 'redact'> &
  Partial<Pick<CleanerOrder, 'withoutState'>>

/** Parts of the removed texts that identify copies elsewhere, sealed. They never leave this machine. */
export type RemovedTexts = { sealedTexts: string; hasMore: boolean }

/**
 * Removes secrets and traces from a disk in which nothing runs. If it is interrupted, a part is done; the same order
 * again does the rest.
 */
export async function cleanDisk(
  ports: CleanPorts,
  wanted: CleaningOrder & { mode?: 'cleans' | 'collects' },
): Promise<{ cleaned: CleanedSandbox; removed: RemovedTexts }> {
  const { path: directory } = await ports.disks.getDisk(wanted.sandbox.placeId)
  const names = (await ports.disks.namesBesideImage(wanted.sandbox.placeId)) ?? null
  const answer = await runCleaner(ports, { ...wanted, directory, names, mode: wanted.mode ?? 'cleans' })
  await ports.disks.syncDisk(wanted.sandbox.placeId)
  return answer
}

/** Finds what would be removed from this directory, without changing it. */
export async function findUnwantedFiles(
  ports: CleanPorts,
  wanted: CleaningOrder & { directory: string },
): Promise<Pick<CleanedSandbox, 'removed' | 'redacted'>> {
  return (await runCleaner(ports, { ...wanted, names: null, mode: 'looks' })).cleaned
}

async function runCleaner(
  { disks, sealing }: CleanPorts,
  wanted: CleaningOrder & { directory: string } & Pick<CleanerOrder, 'mode' | 'names'>,
): Promise<{ cleaned: CleanedSandbox; removed: RemovedTexts }> {
  const { sandbox, sealedSecrets, redact, names, mode, directory, withoutState = false } = wanted
  const image = (await disks.listImages()).find(({ imageId }) => imageId === sandbox.imageId)
  const imagePath = image?.path ?? null
  const order: CleanerOrder = { sealing, sealedSecrets, redact, names, mode, withoutState, imagePath }
  const failed = (problem: string) => diskNotCleaned({ problem })
  const answer = (await runProgram('clean-disk', { directory, order, failed })) as CleanerAnswer
  const removed = { sealedTexts: answer.sealedTexts, hasMore: answer.hasMoreTexts }
  return { cleaned: cleanedSandboxSchema.parse(answer), removed }
}
