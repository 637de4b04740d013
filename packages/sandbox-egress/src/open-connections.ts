import { type HoldGate, makeHoldGate } from './hold-gate.ts'
import type { ReachTarget } from './reach-name.ts'

/** A connection of a sandbox through the relay. */
export type OpenConnection = {
  sandboxId: string
  name: string
  port: number
  isBrokered: boolean
  /** Of private addresses; see {@link ReachTarget}. */
  ranges: ReachTarget['ranges']
  gate: HoldGate
  /** Aborts when the connection has to end. */
  signal: AbortSignal
}

export type OpenConnections = {
  /** Undefined: too many. `serve` ends after the connection has. */
  open(what: Described, serve: (connection: OpenConnection) => Promise<void>): boolean
  /** Ends those that `isForbidden` says; returns when they have ended. */
  endThose(isForbidden: (connection: OpenConnection) => boolean): Promise<void>
  hold(sandboxId: string, isHeld: boolean): void
}
type Described = Pick<OpenConnection, 'sandboxId' | 'name' | 'port' | 'isBrokered' | 'ranges'>

/** More than any program opens; with it a sandbox can’t use up the memory of this process. */
const maxPerSandbox = 512
/** Each takes two descriptors and, when both sides are slow, some 200 KB. */
const maxInTotal = 4096

export function makeOpenConnections(): OpenConnections {
  const open = new Map<OpenConnection, { abort: AbortController; ended: Promise<void> }>()
  const counts = new Map<string, number>()
  const held = new Set<string>()
  const count = (sandboxId: string, by: number) => {
    const next = (counts.get(sandboxId) ?? 0) + by
    if (next === 0) counts.delete(sandboxId)
    else counts.set(sandboxId, next)
  }
  return {
    open: (what, serve) => {
      const { sandboxId } = what
      if (open.size >= maxInTotal || (counts.get(sandboxId) ?? 0) >= maxPerSandbox) return false
      const abort = new AbortController()
      const connection = { ...what, gate: makeHoldGate(held.has(sandboxId)), signal: abort.signal }
      count(sandboxId, 1)
      const ended = serve(connection).finally(() => {
        open.delete(connection)
        count(sandboxId, -1)
      })
      open.set(connection, { abort, ended })
      return true
    },
    endThose: async (isForbidden) => {
      const ending = [...open].filter(([connection]) => isForbidden(connection)).map(([, each]) => each)
      for (const { abort } of ending) abort.abort()
      await Promise.all(ending.map(({ ended }) => ended))
    },
    hold: (sandboxId, isHeld) => {
      if (isHeld) held.add(sandboxId)
      else held.delete(sandboxId)
      for (const connection of open.keys()) if (connection.sandboxId === sandboxId) connection.gate.hold(isHeld)
    },
  }
}
