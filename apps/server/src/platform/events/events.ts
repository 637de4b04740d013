import type { Logger } from '@threadbox/telemetry'

/**
 * Tells features above that something has happened here, in this process and after it is stored. An event is a hint to
 * check: it is told once at most, and what it would have caused is corrected elsewhere after a crash. The names, and what
 * goes with each, are in the `<area>.events.ts` of the area that tells them.
 */
export type Events<Payloads> = {
  on<Name extends keyof Payloads>(name: Name, listener: Listener<Payloads[Name]>): void
  /** Calls the listeners in the order in which they came and resolves when all have ended. Never rejects. */
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
