import type { BootsArea } from '../boots/boots.ts'
import type { MachineArea } from '../machine/machine.ts'
import type { MemoryArea } from '../memory/memory.ts'
import { type Archives, makeArchives } from './archives/archives.ts'
import { type Forks, makeForks } from './forks/forks.ts'
import { makeMoveAddress } from './rewinds/move-address.ts'
import { makeRewinds, type Rewinds } from './rewinds/rewinds.ts'
import { makeSleepingFiles, type SleepingFiles } from './sleeping/sleeping-files.ts'

/** What is made from a disk at rest. */
export type CopiesArea = { forks: Forks; rewinds: Rewinds; archives: Archives; sleeping: SleepingFiles }

export function makeCopiesArea(known: { machine: MachineArea; boots: BootsArea; memory: MemoryArea }): CopiesArea {
  const { machine, memory } = known
  const { disks, network, addresses, stores, logger } = machine
  const { launch, running } = known.boots
  const { paused, room, memories, snapshots } = memory
  const { sandboxes, boots, pausePoints, memoryImages: images } = stores
  const goesOn = { launch, running, disks, network, boots, room, logger, memories }
  const moveAddress = makeMoveAddress({ addresses, attachments: launch.attachments, network, sandboxes })
  const rewinds = makeRewinds({ ...goesOn, moveAddress, paused, snapshots, store: stores.rewinds })
  return {
    forks: makeForks({
      ...goesOn,
      sandboxes,
      addresses,
      images,
      pausePoints,
      store: stores.forks,
      signal: machine.signal,
    }),
    rewinds,
    archives: makeArchives({ sandboxes, boots, disks, rewinds, snapshots, pausePoints, logger }),
    sleeping: makeSleepingFiles({ sandboxes, boots, disks, paused }),
  }
}
