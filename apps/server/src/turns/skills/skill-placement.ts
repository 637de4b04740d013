import type { Logger } from '@threadbox/telemetry'
import type { HostClient } from '../../sandboxes/public.ts'
import type { SkillPackages } from './skill-packages.ts'
import { skillNotFound } from './skills.errors.ts'
import type { SkillRow } from './skills.table.ts'

export type AwakeThread = { threadId: string; sandboxId: string; bootId: string }

/** Delivers the skills of threads to their sandboxes. */
export type SkillPlacement = {
  /**
   * Resolves when the sandbox has the current skills; sends no request if nothing has changed. A failed delivery
   * doesn't keep the sandbox from being used: it is tried again at its next use.
   */
  deliver(boot: AwakeThread): Promise<void>
  /**
   * Delivers skills to all awake sandboxes in the background. Call it when skills, or which of them threads have, may
   * have changed.
   */
  refresh(): void
}

export function makeSkillPlacement(options: {
  host: Pick<HostClient, 'placeSkills' | 'storeSkill'>
  packages: Pick<SkillPackages, 'get'>
  skillsOf: (threadId: string) => Promise<Pick<SkillRow, 'id' | 'name' | 'digest'>[]>
  awake: () => Promise<AwakeThread[]>
  logger: Logger
}): SkillPlacement {
  const { logger } = options
  /** What was delivered to each sandbox, and the value of `state` at that time. */
  const delivered = new Map<string, { bootId: string; state: number; key: string }>()
  let state = 0

  const deliver = async ({ threadId, sandboxId, bootId }: AwakeThread, isAwaited: boolean) => {
    const before = delivered.get(sandboxId)
    if (before?.bootId === bootId && before.state === state) return
    const now = state
    const skills = await options.skillsOf(threadId)
    const key = skills.map(({ name, digest }) => `${name} ${digest}`).join('\n')
    if (before?.bootId !== bootId || before.key !== key) {
      // Usually the sandbox has no skills that would have to be removed, so its use doesn't wait for that.
      if (isAwaited && key === '' && before?.bootId !== bootId)
        return void deliverInBackground({ threadId, sandboxId, bootId })
      await place(options, { sandboxId, bootId, skills })
    }
    delivered.set(sandboxId, { bootId, state: now, key })
  }
  const failed = (error: unknown, sandboxId: string) => {
    logger.warn({ err: error, sandboxId }, 'skills did not reach a sandbox, will be tried again')
  }
  const deliverInBackground = (boot: AwakeThread) => {
    deliver(boot, false).catch((error: unknown) => failed(error, boot.sandboxId))
  }
  return {
    deliver: async (boot) => {
      try {
        await deliver(boot, true)
      } catch (error) {
        failed(error, boot.sandboxId)
      }
    },
    refresh: () => {
      state += 1
      options.awake().then(
        (boots) => boots.forEach(deliverInBackground),
        (error: unknown) => logger.warn({ err: error }, 'sandboxes that are awake could not be listed'),
      )
    },
  }
}

/** Sends only packages that the host doesn't have. */
async function place(
  { host, packages }: Parameters<typeof makeSkillPlacement>[0],
  wanted: { sandboxId: string; bootId: string; skills: Pick<SkillRow, 'id' | 'name' | 'digest'>[] },
): Promise<void> {
  const { sandboxId, bootId } = wanted
  const order = { bootId, skills: wanted.skills.map(({ name, digest }) => ({ name, digest })) }
  const { missing } = await host.placeSkills(sandboxId, order)
  if (missing.length === 0) return
  for (const { id, digest } of wanted.skills.filter((skill) => missing.includes(skill.digest))) {
    const bytes = await packages.get(id, digest)
    // Replaced or deleted since it was listed: a refresh follows and tries again.
    if (bytes === undefined) throw skillNotFound({})
    await host.storeSkill(digest, bytes)
  }
  const again = await host.placeSkills(sandboxId, order)
  if (again.missing.length > 0) throw skillNotFound({})
}
