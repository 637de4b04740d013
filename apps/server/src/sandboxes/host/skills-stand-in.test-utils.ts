import type { IncomingMessage } from 'node:http'
import { buffer, json } from 'node:stream/consumers'
import { type HostSandbox, type PlaceSkills, type SkillFile, unpackSkill } from '@threadbox/protocol/host'

/** What a host remembers of skills: packages that were sent, and what each sandbox was given last. */
export type SkillsStandIn = {
  packages: Map<string, SkillFile[]>
  given: Map<string, { bootId: string; skills: PlaceSkills['skills'] }>
  /** Every order, also one that named packages which were not there. */
  orders: { sandboxId: string; names: string[]; missing: number }[]
  /** How many of the next orders fail. */
  failures: number
}

export function noSkillsYet(): SkillsStandIn {
  return { packages: new Map(), given: new Map(), orders: [], failures: 0 }
}

type Answer = { body: unknown }

export async function storeSkill(skills: SkillsStandIn, digest: string, request: IncomingMessage): Promise<Answer> {
  skills.packages.set(digest, unpackSkill(await buffer(request)) ?? [])
  return { body: {} }
}

/** Undefined: the boot is not awake. */
export async function placeSkills(
  skills: SkillsStandIn,
  sandbox: HostSandbox,
  request: IncomingMessage,
): Promise<Answer | undefined> {
  const order = (await json(request)) as PlaceSkills
  if (sandbox.actual !== 'ready' || sandbox.bootId !== order.bootId || skills.failures > 0) {
    skills.failures = Math.max(0, skills.failures - 1)
    return undefined
  }
  const { sandboxId } = sandbox
  const missing = [...new Set(order.skills.map(({ digest }) => digest))].filter((one) => !skills.packages.has(one))
  skills.orders.push({ sandboxId, names: order.skills.map(({ name }) => name), missing: missing.length })
  if (missing.length === 0) skills.given.set(sandboxId, order)
  return { body: { missing } }
}
