import path from 'node:path'
import { isThreadboxError } from '@threadbox/errors'
import { bootNotRunning, memoryNotSaved } from '@threadbox/sandbox-driver'
import type { BootRecord } from './boot-record.ts'
import type { BootParts } from './boot-start.ts'
import { type Machine, writeImage } from './memory-image.ts'

/** Stops the clock of a boot. runsc refuses to pause what is paused: that is asked only when it refused. */
export async function freezeBoot(parts: BootParts, record: BootRecord): Promise<void> {
  const { bootId } = record
  try {
    await parts.runsc.pause(bootId)
  } catch (error) {
    if (await isPaused(parts, bootId)) return
    throw memoryNotSaved({ bootId, reason: reasonOf(error) }, { cause: error })
  }
}

export async function thawBoot(parts: BootParts, record: BootRecord): Promise<void> {
  const { bootId } = record
  try {
    await parts.runsc.resume(bootId)
  } catch (error) {
    const status = await parts.runsc.status(bootId).catch(() => 'gone')
    if (status === 'running') return
    throw bootNotRunning({ bootId }, { cause: error })
  }
}

export async function saveBoot(
  parts: BootParts,
  options: { record: BootRecord; directory: string; machine: Machine },
): Promise<{ bytes: number }> {
  const { bootId } = options.record
  const logFile = path.join(parts.records.directoryOf(bootId), 'checkpoint.log')
  try {
    return await writeImage({
      directory: options.directory,
      machine: options.machine,
      save: () => parts.runsc.checkpoint({ containerId: bootId, imageDirectory: options.directory, logFile }),
    })
  } catch (error) {
    throw memoryNotSaved({ bootId, reason: reasonOf(error) }, { cause: error })
  }
}

async function isPaused(parts: BootParts, bootId: string): Promise<boolean> {
  return (await parts.runsc.status(bootId).catch(() => 'gone')) === 'paused'
}

function reasonOf(error: unknown): string {
  if (isThreadboxError(error)) return error.message
  return error instanceof Error ? error.message : String(error)
}
