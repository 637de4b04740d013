import { readUplinkMtu } from './links.ts'

/** A change that no event reported is found after this time. */
const keptForMs = 60_000

export type UplinkMtu = {
  /** In bytes. Read once, and again after a change. */
  read(): Promise<number>
  /** The machine’s network may have changed. */
  forget(): void
}

export function makeUplinkMtu(readMtu: () => Promise<number> = readUplinkMtu): UplinkMtu {
  let known: { value: Promise<number>; readAtMs: number } | undefined
  return {
    async read() {
      const nowMs = performance.now()
      if (known === undefined || nowMs - known.readAtMs > keptForMs) {
        known = { value: readMtu(), readAtMs: nowMs }
      }
      const reading = known
      try {
        return await reading.value
      } catch (error) {
        if (known === reading) known = undefined
        throw error
      }
    },
    forget() {
      known = undefined
    },
  }
}
