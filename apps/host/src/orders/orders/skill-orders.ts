import { bootMismatch, sandboxNotRunning } from '@threadbox/protocol/gateway'
import type { HostApi } from '@threadbox/protocol/host'
import type { BootFiles } from '../../boots/launch/boot-files.ts'
import { sandboxPaused } from '../../machine/errors/memory.errors.ts'

import type { SkillPlaces } from '../../machine/skills/skill-places.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import { isBootAsleep } from '../../memory/memory/paused-boots.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type SkillOrderPorts = {
  context: OrderContext
  boots: BootsStore
  files: BootFiles
  skills: SkillPlaces
}

/** Orders about `/skills` of an awake boot: a paused one keeps the skills that its memory knows. */
export function skillOrders(ports: SkillOrderPorts): Pick<HostApi, 'placeSkills' | 'storeSkill'> {
  return {
    placeSkills: (sandboxId, { bootId, skills }) =>
      ports.context.lock(sandboxId, async () => {
        const { placeId } = await ports.context.requireSandbox(sandboxId)
        const boot = await ports.boots.current(sandboxId)
        if (boot === undefined) throw sandboxNotRunning({ sandboxId })
        if (boot.bootId !== bootId) throw bootMismatch({ sandboxId, bootId, currentBootId: boot.bootId })
        if (isBootAsleep(boot)) throw sandboxPaused({})
        return await ports.skills.place(ports.files.skillsOf(placeId), skills)
      }),
    storeSkill: (digest, bytes) => ports.skills.store(digest, bytes),
  }
}
