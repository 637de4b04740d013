import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type BootRequest, bootFailed, bootUsed, memoryUnusable } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import { launchContainer } from './boot-launch.ts'
import type { BootRecords } from './boot-record.ts'
import type { BootWatches } from './boot-watch.ts'
import type { CgroupTree } from './cgroup-tree.ts'
import { followConsole, type GuestConsole, openGuestEnd } from './guest-console.ts'
import { identifyProcess, isAlive } from './process-identity.ts'
import type { RunscVersions } from './runsc-versions.ts'
import type { SandboxIds } from './shifted-ids.ts'

export type BootStartPorts = {
  runscs: RunscVersions
  cgroups: CgroupTree
  records: BootRecords
  machineBootId: string
  /** Makes the console pipe of a boot, and what all boots need, unless it exists: a restart of the machine removes it. */
  prepareStart: (boot: { consolePipe: string }) => Promise<void>
  guestArguments: (guestDirectory: string) => Promise<readonly string[]>
  logger: Logger
}

type StartOptions = {
  request: BootRequest
  watches: BootWatches
  /** The memory image that the boot resumes from, and the program that saved it; without one it starts fresh. */
  image?: { directory: string; runscPath: string; ids: SandboxIds }
}

/** Starts a boot, or finds it running. If it throws, processes, cgroup and files of this boot are gone. */
export async function startBoot(ports: BootStartPorts, options: StartOptions): Promise<void> {
  const { request, watches } = options
  const { bootId, sandboxId } = request
  const known = await ports.records.read(bootId)
  if (known?.phase === 'running' && known.process !== null && (await isAlive(known.process))) return
  // 'starting': the driver was killed during the start and never reported this boot, so it can be started again.
  if (known !== undefined && known.phase !== 'starting') throw bootUsed({ bootId })

  if (known !== undefined) await discard(ports, { bootId, watches })
  const runscPath = options.image?.runscPath ?? ports.runscs.currentPath
  const record = { version: 1, bootId, sandboxId, machineBootId: ports.machineBootId, runscPath, end: null } as const
  const directory = ports.records.directoryOf(bootId)
  await ports.records.write({ ...record, phase: 'starting', ids: 'machine', process: null })
  let guestConsole: GuestConsole | undefined
  try {
    const consolePipe = path.join(directory, 'console')
    await Promise.all([ports.cgroups.create({ bootId, limits: request.limits }), ports.prepareStart({ consolePipe })])
    await using guestEnd = await openGuestEnd(consolePipe)
    guestConsole = followConsole(consolePipe)
    const pidFile = path.join(directory, 'pid')
    const runsc = ports.runscs.at(runscPath)
    const ids = await launchContainer(
      { runsc, logger: ports.logger },
      {
        request,
        cgroupsPath: ports.cgroups.pathOf(bootId),
        guestArguments: await ports.guestArguments(request.mounts.guestDirectory),
        directory,
        pidFile,
        consoleDescriptor: guestEnd.fd,
        image: options.image,
      },
    )
    const process = await identifyProcess(Number(await readFile(pidFile, 'utf8')))
    if (process === undefined) throw new Error('its first process exited immediately')
    await ports.cgroups.applyBackstop({ bootId, limits: request.limits })
    // Only now: reading a memory image is the host’s work.
    await ports.cgroups.limitDisk(bootId)
    const running = { ...record, phase: 'running', ids, process } as const
    await ports.records.write(running)
    watches.begin({ record: running, console: guestConsole })
  } catch (error) {
    const reason = await explain(error, { directory, tail: guestConsole?.tail() ?? '' })
    guestConsole?.close()
    await discard(ports, { bootId, watches })
    if (options.image === undefined) throw bootFailed({ bootId, reason }, { cause: error })
    throw memoryUnusable({ problem: 'restore-failed', detail: reason }, { cause: error })
  }
}

async function discard(
  ports: BootStartPorts,
  { bootId, watches }: { bootId: string; watches: BootWatches },
): Promise<void> {
  await ports.cgroups.killAll(bootId)
  await watches.clean(bootId)
  watches.drop(bootId)
  await ports.records.remove(bootId)
}

/** The reason from runsc’s log, which says more than its exit code. */
async function explain(error: unknown, { directory, tail }: { directory: string; tail: string }): Promise<string> {
  const log = await readFile(path.join(directory, 'runsc.log'), 'utf8').catch(() => '')
  const messages = log.split('\n').flatMap((line) => /"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? [])
  const own = error instanceof Error ? error.message : String(error)
  return [messages.at(-1) ?? own, tail.trim().slice(-500)].filter((part) => part !== '').join('; ')
}
