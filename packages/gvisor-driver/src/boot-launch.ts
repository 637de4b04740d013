import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isErrorOf, type ThreadboxError } from '@threadbox/errors'
import type { BootRequest } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import { runscFailed } from './gvisor.errors.ts'
import type { RunscCommand } from './runsc-command.ts'
import { sandboxSpec, sharedPaths } from './sandbox-spec.ts'
import { type SandboxIds, shiftExitCodes } from './shifted-ids.ts'

export type Launch = {
  request: BootRequest
  cgroupsPath: string
  guestArguments: readonly string[]
  /** The directory of the boot’s record. */
  directory: string
  pidFile: string
  consoleDescriptor: number
  image: { directory: string; ids: SandboxIds } | undefined
}

/**
 * Starts the container of a boot, fresh or from an image; returns the IDs that it has. Where IDs can’t be shifted (kernels
 * before 5.15, some file systems), it has the machine’s, and `threadbox doctor` says so.
 */
export async function launchContainer(
  ports: { runsc: RunscCommand; logger: Logger },
  launch: Launch,
): Promise<SandboxIds> {
  try {
    await launchWith({ ...launch, runsc: ports.runsc, ids: 'shifted' })
    return 'shifted'
  } catch (error) {
    if (!isUnshifted(error)) throw error
    ports.logger.warn({ bootId: launch.request.bootId }, 'IDs can’t be shifted; the sandbox has the machine’s')
  }
  await launchWith({ ...launch, runsc: ports.runsc, ids: 'machine' })
  return 'machine'
}

async function launchWith(options: Launch & { runsc: RunscCommand; ids: SandboxIds }): Promise<void> {
  const { request, directory, ids, image, runsc } = options
  const spec = sandboxSpec(request, options)
  await writeFile(path.join(directory, 'config.json'), JSON.stringify(spec), { mode: 0o600 })
  const run = {
    containerId: request.bootId,
    bundleDirectory: directory,
    pidFile: options.pidFile,
    logFile: path.join(directory, 'runsc.log'),
    consoleDescriptor: options.consoleDescriptor,
    shift: ids === 'shifted' ? sharedPaths(request) : undefined,
  }
  if (image === undefined) return await runsc.run(run)
  await runsc.restore({ ...run, imageDirectory: image.directory, hasOtherIds: image.ids !== ids })
}

/** True if runsc was not started at all, because IDs could not be shifted. */
function isUnshifted(error: unknown): error is ThreadboxError {
  const codes: unknown[] = Object.values(shiftExitCodes)
  return isErrorOf(runscFailed, error) && codes.includes(error.details.exitCode)
}
