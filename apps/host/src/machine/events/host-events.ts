import type { HostEvent } from '@threadbox/protocol/host'

/** Events of this host, for current listeners. Nothing is stored: a listener lists the sandboxes first. */
export type HostEvents = {
  emit(event: HostEvent): void
  subscribe(listener: (event: HostEvent) => void): Disposable
}

export function makeHostEvents(): HostEvents {
  const listeners = new Set<(event: HostEvent) => void>()
  return {
    emit: (event) => {
      for (const listener of listeners) listener(event)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
  }
}
