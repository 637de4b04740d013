import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { StateFeature } from '../state/state.ts'
import type { ArchivePlace } from './archive-place.ts'
import type { ArchiveStore } from './archives.store.ts'

export type ArchivesDependencies = {
  store: ArchiveStore
  sandboxes: Pick<SandboxStore, 'find' | 'findById'>
  state: Pick<StateFeature, 'transition' | 'exclusively' | 'restorations'> & {
    sandboxes: Pick<StateFeature['sandboxes'], 'waking' | 'isHeld'>
  }
  host: Pick<HostClient, 'get' | 'diskContent' | 'sendDisk' | 'archive' | 'restore'>
  place: ArchivePlace
  /** Where a part is before it is stored. */
  spoolDirectory: string
  /** Sends the thread to open pages; never fails. */
  announce(threadId: string, isRecorded: false): Promise<void>
  system: System
  logger: Logger
}
