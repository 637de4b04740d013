import type { PlacedSkills, PlaceSkills } from '@threadbox/protocol/host'
import { sandboxPaused } from '../../machine/errors/memory.errors.ts'
import { otherBoot, sandboxNotRunning } from '../../machine/errors/orders.errors.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { isAsleep } from '../../memory/memory/paused-boots.ts'
import type { OrdersParts } from './sandbox-orders.ts'

/** Orders about what is at `/skills`. */
export type SkillOrders = {
  /** Of a boot that is awake: what a paused one has seen stays as its memory knows it. */
  placeSkills(sandboxId: string, order: PlaceSkills): Promise<PlacedSkills>
  storeSkill(digest: string, bytes: Uint8Array): Promise<void>
}

export function makeSkillOrders(
  parts: OrdersParts & { known: (sandboxId: string) => Promise<StoredSandbox> },
): SkillOrders {
  return {
    placeSkills: (sandboxId, { bootId, skills }) =>
      parts.lock(sandboxId, async () => {
        const { placeId } = await parts.known(sandboxId)
        const boot = await parts.boots.current(sandboxId)
        if (boot === undefined) throw sandboxNotRunning({ sandboxId })
        if (boot.bootId !== bootId) throw otherBoot({ sandboxId, bootId, currentBootId: boot.bootId })
        if (isAsleep(boot)) throw sandboxPaused({})
        return await parts.skills.place(parts.files.skillsOf(placeId), skills)
      }),
    storeSkill: (digest, bytes) => parts.skills.store(digest, bytes),
  }
}
