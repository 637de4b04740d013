import path from 'node:path'
import { isThreadboxError } from '@threadbox/errors'
import { memoryNotSaved } from '@threadbox/sandbox-driver'
import type { BootRecord, BootRecords } from './boot-record.ts'
import type { CgroupTree } from './cgroup-tree.ts'
import { writeImage } from './memory-image.ts'
import type { RunscVersions } from './runsc-versions.ts'

export type BootMemoryPorts = {
  runscs: RunscVersions
  records: BootRecords
  cgroups: Pick<CgroupTree, 'withoutDiskLimit'>
  /** The features of this host’s processor. */
  cpuFeatures: () => Promise<readonly string[]>
}

export async function saveBoot(
  ports: BootMemoryPorts,
  options: { record: BootRecord; directory: string },
): Promise<{ bytes: number }> {
  const { bootId, runscPath, ids } = options.record
  const runsc = ports.runscs.at(runscPath)
  const logFile = path.join(ports.records.directoryOf(bootId), 'checkpoint.log')
  try {
    return await writeImage({
      directory: options.directory,
      version: await runsc.version(),
      cpuFeatures: await ports.cpuFeatures(),
      ids,
      save: () =>
        ports.cgroups.withoutDiskLimit(bootId, () =>
          runsc.checkpoint({ containerId: bootId, imageDirectory: options.directory, logFile }),
        ),
    })
  } catch (error) {
    throw memoryNotSaved({ bootId, reason: reasonOf(error) }, { cause: error })
  }
}

export function reasonOf(error: unknown): string {
  if (isThreadboxError(error)) return error.message
  return error instanceof Error ? error.message : String(error)
}
