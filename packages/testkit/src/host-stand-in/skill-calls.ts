import { type HostApi, type PlaceSkills, type SkillFile, unpackSkill } from '@threadbox/protocol/host'
import { errorOf } from './answers.ts'
import { known, type SandboxesStandIn } from './sandbox-calls.ts'

/** The host’s skills: received packages, and what each sandbox got last. */
export type SkillsStandIn = {
  packages: Map<string, SkillFile[]>
  given: Map<string, { bootId: string; skills: PlaceSkills['skills'] }>
  /** Every order, including those with missing packages. */
  orders: { sandboxId: string; names: string[]; missing: number }[]
}

export function noSkillsYet(): SkillsStandIn {
  return { packages: new Map(), given: new Map(), orders: [] }
}

export function skillCalls(
  host: Pick<SandboxesStandIn, 'sandboxes'> & { skills: SkillsStandIn },
): Pick<HostApi, 'storeSkill' | 'placeSkills'> {
  const { skills } = host
  return {
    storeSkill: async (digest, bytes) => {
      skills.packages.set(digest, unpackSkill(bytes) ?? [])
    },
    placeSkills: async (sandboxId, order) => {
      const { actual, bootId } = known(host, sandboxId)
      if (bootId === null) throw errorOf({ code: 'sandbox.not-running', kind: 'conflict' })
      if (bootId !== order.bootId) throw errorOf({ code: 'sandbox.other-boot', kind: 'conflict' })
      if (actual !== 'ready') throw errorOf({ code: 'sandbox.paused', kind: 'conflict' })
      const missing = [...new Set(order.skills.map(({ digest }) => digest))].filter((one) => !skills.packages.has(one))
      skills.orders.push({ sandboxId, names: order.skills.map(({ name }) => name), missing: missing.length })
      if (missing.length === 0) skills.given.set(sandboxId, order)
      return { missing }
    },
  }
}
