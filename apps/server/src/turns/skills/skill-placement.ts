import type { Logger } from '@threadbox/telemetry'
import type { HostClient } from '../../sandboxes/public.ts'
import type { SkillPackages } from './skill-packages.ts'
import { skillNotFound } from './skills.errors.ts'
import type { SkillRow } from './skills.table.ts'

export type AwakeThread = { threadId: string; sandboxId: string; bootId: string }

/** Brings the skills of threads to where their sandboxes see them. */
export type SkillPlacement = {
  /**
   * The sandbox has the skills of now when this resolves; asks nobody while nothing has changed. A sandbox whose skills
   * cannot be brought there now is usable all the same: it is tried again with its next use.
   */
  deliver(boot: AwakeThread): Promise<void>
  /** Skills, or what threads have of them, may have changed: sandboxes that are awake are given them in the background. */
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
  /** What each sandbox was given, and in which state of all skills that was. */
  const given = new Map<string, { bootId: string; state: number; key: string }>()
  let state = 0

  const bring = async ({ threadId, sandboxId, bootId }: AwakeThread, isAwaited: boolean) => {
    const before = given.get(sandboxId)
    if (before?.bootId === bootId && before.state === state) return
    const now = state
    const skills = await options.skillsOf(threadId)
    const key = skills.map(({ name, digest }) => `${name} ${digest}`).join('\n')
    if (before?.bootId !== bootId || before.key !== key) {
      // Most likely nothing is there that would have to go: nobody has to wait until that is sure.
      if (isAwaited && key === '' && before?.bootId !== bootId) return void later({ threadId, sandboxId, bootId })
      await place(options, { sandboxId, bootId, skills })
    }
    given.set(sandboxId, { bootId, state: now, key })
  }
  const failed = (error: unknown, sandboxId: string) => {
    logger.warn({ err: error, sandboxId }, 'skills did not reach a sandbox, will be tried again')
  }
  const later = (boot: AwakeThread) => {
    bring(boot, false).catch((error: unknown) => failed(error, boot.sandboxId))
  }
  return {
    deliver: async (boot) => {
      try {
        await bring(boot, true)
      } catch (error) {
        failed(error, boot.sandboxId)
      }
    },
    refresh: () => {
      state += 1
      options.awake().then(
        (boots) => boots.forEach(later),
        (error: unknown) => logger.warn({ err: error }, 'sandboxes that are awake could not be listed'),
      )
    },
  }
}

/** Only what the host has not got is sent. */
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
    // Replaced or deleted since it was listed: then there is news, and this is tried again.
    if (bytes === undefined) throw skillNotFound({})
    await host.storeSkill(digest, bytes)
  }
  const again = await host.placeSkills(sandboxId, order)
  if (again.missing.length > 0) throw skillNotFound({})
}
