import path from 'node:path'
import { isThreadboxError } from '@threadbox/errors'
import { bootNotRunning, memoryNotSaved } from '@threadbox/sandbox-driver'
import type { BootRecord } from './boot-record.ts'
import type { BootParts } from './boot-start.ts'
import { writeImage } from './memory-image.ts'

/** Stops the clock of a boot. runsc refuses to pause what is paused: that is asked only when it refused. */
export async function freezeBoot(parts: BootParts, record: BootRecord): Promise<void> {
  const { bootId, runscPath } = record
  const runsc = parts.runscs.at(runscPath)
  try {
    await runsc.pause(bootId)
  } catch (error) {
    const status = await runsc.status(bootId).catch(() => 'gone')
    if (status === 'paused') return
    throw memoryNotSaved({ bootId, reason: reasonOf(error) }, { cause: error })
  }
}

export async function thawBoot(parts: BootParts, record: BootRecord): Promise<void> {
  const { bootId, runscPath } = record
  const runsc = parts.runscs.at(runscPath)
  try {
    await runsc.resume(bootId)
  } catch (error) {
    const status = await runsc.status(bootId).catch(() => 'gone')
    if (status === 'running') return
    throw bootNotRunning({ bootId }, { cause: error })
  }
}

export async function saveBoot(
  parts: BootParts,
  options: { record: BootRecord; directory: string },
): Promise<{ bytes: number }> {
  const { bootId, runscPath } = options.record
  const runsc = parts.runscs.at(runscPath)
  const logFile = path.join(parts.records.directoryOf(bootId), 'checkpoint.log')
  try {
    return await writeImage({
      directory: options.directory,
      version: await runsc.version(),
      cpuFeatures: await parts.cpuFeatures(),
      save: () => runsc.checkpoint({ containerId: bootId, imageDirectory: options.directory, logFile }),
    })
  } catch (error) {
    throw memoryNotSaved({ bootId, reason: reasonOf(error) }, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  if (isThreadboxError(error)) return error.message
  return error instanceof Error ? error.message : String(error)
}
