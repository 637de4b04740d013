import { findTestMachine } from '@threadbox/testkit'
import { describeMachine, type Machine } from '../../performance/machine.ts'
import type { Technology } from '../driver.ts'
import { makeOciDriver } from './oci.ts'
import type { Place } from './place.ts'

const flags = [
  '--network=sandbox',
  '--overlay2=none',
  '--platform=systrap',
  '--allow-connected-on-save',
  '--ignore-cgroups',
]

/** The runsc of the product, without the product. */
export function bareRunsc(place: Place): Technology {
  return {
    name: 'runsc',
    about:
      'gVisor without a product: a snapshot of the same image, a network namespace with loopback, `runsc run`; commands by ' +
      '`runsc exec`; a pause is `runsc pause`, `checkpoint` and a sync, a fork is a checkpoint, a snapshot and `runsc restore`',
    hasImage: true,
    open: async () => {
      const { runscPath } = await findTestMachine()
      const { runsc }: Machine = await describeMachine()
      return {
        driver: await makeOciDriver({ file: runscPath, flags, separates: 'kernel', saves: 'frozen' }, place),
        version: runsc,
      }
    },
  }
}
