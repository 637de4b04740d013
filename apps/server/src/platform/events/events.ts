import type { Logger } from '@threadbox/telemetry'

/**
 * Notifies features above that something has happened in this process and is stored. An event is a hint to check: it is
 * emitted at most once, and a missed effect is corrected elsewhere after a crash. Names and payloads are in the
 * `<area>.events.ts` of the area that emits them.
 */
export type Events<Payloads> = {
  on<Name extends keyof Payloads>(name: Name, listener: Listener<Payloads[Name]>): void
  /** Calls the listeners in the order of registration and resolves when all have finished. Never rejects. */
  emit<Name extends keyof Payloads>(name: Name, payload: Payloads[Name]): Promise<void>
}

export type Listener<Payload> = (payload: Payload) => void | Promise<void>

export function makeEvents<Payloads>(logger: Logger): Events<Payloads> {
  const listeners = new Map<keyof Payloads, Listener<never>[]>()
  const call = async <Name extends keyof Payloads>(name: Name, listener: Listener<never>, payload: Payloads[Name]) => {
    try {
      await (listener as Listener<Payloads[Name]>)(payload)
    } catch (error) {
      logger.warn({ err: error, event: name }, 'listener of an event failed')
    }
  }
  return {
    on: (name, listener) => {
      listeners.set(name, [...(listeners.get(name) ?? []), listener as Listener<never>])
    },
    emit: async (name, payload) => {
      await Promise.all((listeners.get(name) ?? []).map((listener) => call(name, listener, payload)))
    },
  }
}
