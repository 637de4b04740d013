import { bootNotRunning, memoryNotSaved } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import { reasonOf } from './boot-memory.ts'
import type { BootRecord } from './boot-record.ts'
import type { CgroupTree } from './cgroup-tree.ts'
import type { FreezeMark, FreezeMarks } from './freeze-marks.ts'
import type { KernelControl } from './kernel-control.ts'
import type { RunscVersions } from './runsc-versions.ts'

export type BootFreezePorts = {
  runscs: RunscVersions
  kernel: KernelControl
  freezeMarks: FreezeMarks
  cgroups: Pick<CgroupTree, 'killAll'>
  logger: Logger
}

/** Two stops are possible: of a call without a reply, and of the command after it. The third attempt is the check. */
const thawAttempts = 3

/**
 * Stops the clock of a boot, by a call to its kernel, or by `runsc pause` if the kernel does not respond as expected. If it
 * throws, it is not known whether the boot runs: `thawBoot` makes sure of it.
 */
export async function freezeBoot(ports: BootFreezePorts, record: BootRecord): Promise<void> {
  const { bootId } = record
  let mark = await ports.freezeMarks.read(bootId)
  if (mark === 'by-call') return
  if (mark === 'no') mark = await freezeByCall(ports, bootId)
  if (mark === 'by-call') return await ports.freezeMarks.write(bootId, mark)
  // Also after a driver that was killed between its call and its mark.
  if (mark === 'unsure' && (await ports.kernel.tasks(bootId)) === 'frozen') return
  await ports.freezeMarks.write(bootId, 'unsure')
  await freezeByCommand(ports, record)
  if (mark !== 'unsure') await ports.freezeMarks.write(bootId, 'by-command')
}

/** Returns how it is frozen; `no` if not. */
async function freezeByCall({ kernel, freezeMarks, logger }: BootFreezePorts, bootId: string): Promise<FreezeMark> {
  await freezeMarks.write(bootId, 'unsure')
  const reply = await kernel.pause(bootId)
  if (reply.outcome === 'done') return 'by-call'
  logger.warn({ bootId, ...reply }, 'the kernel of a sandbox did not freeze it when asked; runsc does')
  return reply.outcome === 'unclear' ? 'unsure' : 'no'
}

/** runsc refuses to pause a paused container: its status is read only after a refusal. */
async function freezeByCommand({ runscs }: BootFreezePorts, { bootId, runscPath }: BootRecord): Promise<void> {
  const runsc = runscs.at(runscPath)
  try {
    await runsc.pause(bootId)
  } catch (error) {
    const status = await runsc.status(bootId).catch(() => 'gone')
    if (status === 'paused') return
    throw memoryNotSaved({ bootId, reason: reasonOf(error) }, { cause: error })
  }
}

/**
 * Lets a frozen boot continue, in the way in which it was frozen. A boot that does not continue is ended, so none stays
 * frozen: throws `driver.boot-not-running`.
 */
export async function thawBoot(ports: BootFreezePorts, record: BootRecord): Promise<void> {
  const { bootId } = record
  const mark = await ports.freezeMarks.read(bootId)
  const isThawed = mark === 'by-call' ? await thawByCall(ports, bootId) : await thawByCommand(ports, record)
  const isCertain = isThawed && mark !== 'unsure'
  if (!isCertain && !(await makeRun(ports, bootId))) {
    ports.logger.error({ bootId }, 'a frozen sandbox does not continue; it is ended')
    await ports.cgroups.killAll(bootId)
    throw bootNotRunning({ bootId })
  }
  await ports.freezeMarks.write(bootId, 'no')
}

async function thawByCall({ kernel, freezeMarks, logger }: BootFreezePorts, bootId: string): Promise<boolean> {
  await freezeMarks.write(bootId, 'unsure')
  const reply = await kernel.resume(bootId)
  if (reply.outcome === 'done') return true
  logger.warn({ bootId, ...reply }, 'the kernel of a sandbox did not confirm that it continues')
  return false
}

/** runsc refuses to resume a container that it did not pause. */
async function thawByCommand({ runscs, logger }: BootFreezePorts, { bootId, runscPath }: BootRecord): Promise<boolean> {
  const runsc = runscs.at(runscPath)
  try {
    await runsc.resume(bootId)
    return true
  } catch (error) {
    if ((await runsc.status(bootId).catch(() => 'gone')) === 'running') return true
    logger.warn({ err: error, bootId }, 'runsc could not let a sandbox continue')
    return false
  }
}

/** Ends the stops that the kernel shows, one at a time: one too many would end the kernel. */
async function makeRun({ kernel }: BootFreezePorts, bootId: string): Promise<boolean> {
  for (let attempt = 0; attempt < thawAttempts; attempt++) {
    const state = await kernel.tasks(bootId)
    if (state === 'running') return true
    if (state === undefined) return false
    await kernel.resume(bootId)
  }
  return (await kernel.tasks(bootId)) === 'running'
}
