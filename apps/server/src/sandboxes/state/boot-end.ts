import type { HostSandbox } from '@threadbox/protocol/host'
import type { System } from '../../platform/system/system.ts'
import type { Sandbox } from './sandbox.models.ts'
import type { Transition } from './transitions.ts'

/** Takes note of a boot that is over: the sandbox is cold, and the thread says why. */
export type NoteEnd = (row: Sandbox, actual: Pick<HostSandbox, 'lastBootEnd'> | undefined) => Promise<void>

export function makeNoteEnd({ transition, system }: { transition: Transition; system: Pick<System, 'now'> }): NoteEnd {
  return async (row, actual) => {
    const known = actual?.lastBootEnd
    const end =
      known != null && known.bootId === row.boot_id
        ? known
        : { bootId: row.boot_id ?? '', cause: 'unknown' as const, at: system.now(), detail: '' }
    await transition(row, { type: row.state === 'paused' ? 'memory-dropped' : 'boot-ended', end })
  }
}
