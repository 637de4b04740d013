import { delaysOf } from '@threadbox/concurrency'
import { type TerminalProblem, type TerminalServerFrame, type TerminalStatus, terminalCloseCodes } from '@threadbox/sdk'

/** What a view knows about its socket and the terminal at the other end. */
export type LinkState = {
  connection: 'connecting' | 'open' | 'waiting' | 'over'
  /** Null until the server has sent it. */
  status: TerminalStatus | null
  exitCode: number | null
  /** Why the last request failed. The next output clears it. */
  problem: TerminalProblem | null
}

export const newLink: LinkState = { connection: 'connecting', status: null, exitCode: null, problem: null }

/** Waits between attempts; the last one repeats. */
export const retryDelayMs = delaysOf([250, 500, 1000, 2000, 4000, 8000])
/**
 * Close codes after which the client doesn’t reconnect: the terminal ended, you were signed out, the terminal was
 * closed, or a message wasn’t understood (1003).
 */
const { over, loggedOut, gone } = terminalCloseCodes
const lastCodes = new Set<number>([over, loggedOut, gone, 1003])

export function afterFrame(state: LinkState, frame: TerminalServerFrame): LinkState {
  switch (frame.type) {
    case 'status':
      return { ...state, status: frame.status, exitCode: frame.exitCode, problem: null }
    case 'error':
      return { ...state, problem: frame.error }
    case 'start':
      return { ...state, problem: null }
    default:
      return state
  }
}

export function afterClose(state: LinkState, code: number): LinkState {
  return { ...state, connection: lastCodes.has(code) ? 'over' : 'waiting' }
}

/** Splits a text into parts of up to `maxCharacters`, without splitting a character. */
export function inParts(text: string, maxCharacters: number): string[] {
  const parts: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + maxCharacters)
    const isHalf = to < text.length && /[\ud800-\udbff]/.test(text[to - 1] ?? '')
    if (isHalf) to -= 1
    parts.push(text.slice(from, to))
    from = to
  }
  return parts
}
