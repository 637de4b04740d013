import type { RefusalReason } from '@threadbox/protocol/egress'
import { makeChunkedBody } from './chunked-body.logic.ts'
import { type Guard, makeCollected } from './guard.ts'
import { checkRequestHead, type RequestBody } from './http-head.logic.ts'

/** Twice what most servers accept. */
const maxHeadBytes = 32 * 1024
const headEnd = Buffer.from('\r\n\r\n')
/** The end of a head can begin in an earlier piece. */
const endOverlap = headEnd.length - 1

/** Takes some bytes from the front, and says which of the collected ones pass. Undefined state: the next head. */
type Step = { used: number; forward?: Buffer; next?: State } | { refused: RefusalReason }
type State = { take(bytes: Buffer): Step }

/**
 * Lets requests to `name` pass, each after its whole head was read, with bodies of the length that the head says. So
 * every request of a connection is checked, also those that are sent before a response.
 */
export function makeHttpGuard(target: { name: string; port: number }): Guard {
  let isFirst = true
  const head = (): State => makeHeadState(target, { onPassed: () => (isFirst = false), head })
  let state = head()
  return {
    push: (bytes) => {
      const forward: Buffer[] = []
      let rest = bytes
      while (rest.length > 0) {
        const step = state.take(rest)
        if ('refused' in step) return step
        if (step.forward !== undefined && step.forward.length > 0) forward.push(step.forward)
        rest = rest.subarray(step.used)
        if (step.next !== undefined) state = step.next
      }
      return { forward }
    },
    isWaiting: () => isFirst,
  }
}

function makeHeadState(
  target: { name: string; port: number },
  { onPassed, head }: { onPassed: () => void; head: () => State },
): State {
  const headChecked = (whole: Buffer, before: number): Step => {
    const checked = checkRequestHead(whole, target)
    if ('refused' in checked) return checked
    onPassed()
    return { used: whole.length - before, forward: whole, next: stateAfter(checked.body, head) }
  }
  const collected = makeCollected(maxHeadBytes)
  return {
    take: (bytes) => {
      const before = collected.bytes().length
      // Nothing is copied of a head that arrives whole: a piece can have hundreds.
      const end = before === 0 ? bytes.subarray(0, maxHeadBytes).indexOf(headEnd) : -1
      if (end !== -1) return headChecked(bytes.subarray(0, end + headEnd.length), 0)
      collected.add(bytes)
      const all = collected.bytes()
      const foundAt = all.indexOf(headEnd, Math.max(0, before - endOverlap))
      if (foundAt !== -1) return headChecked(all.subarray(0, foundAt + headEnd.length), before)
      if (!/^[A-Z][A-Z_-]{0,23}( |$)/.test(all.toString('latin1', 0, 25))) return { refused: 'http-invalid' }
      return collected.isFull() ? { refused: 'too-long' } : { used: bytes.length }
    },
  }
}

function stateAfter(body: RequestBody, head: () => State): State {
  if (body.kind === 'websocket') return makeWebSocketState(head)
  if (body.kind === 'chunked') return makeChunkedState(head)
  return body.bytes === 0 ? head() : makeCountedState(body.bytes, head)
}

function makeCountedState(length: number, head: () => State): State {
  let left = length
  return {
    take: (bytes) => {
      const forward = bytes.subarray(0, left)
      left -= forward.length
      return { used: forward.length, forward, ...(left === 0 ? { next: head() } : {}) }
    },
  }
}

function makeChunkedState(head: () => State): State {
  const body = makeChunkedBody()
  return {
    take: (bytes) => {
      const { used, state } = body.take(bytes)
      if (state === 'invalid') return { refused: 'http-invalid' }
      // Also an incomplete line passes: without its end no server acts on it.
      return { used, forward: bytes.subarray(0, used), ...(state === 'ended' ? { next: head() } : {}) }
    },
  }
}

/**
 * A server that ignored the request for a WebSocket reads another request next. The second byte tells them apart: a client
 * masks its frames, so there it is 0x80 or more, which no server accepts in a method.
 */
function makeWebSocketState(head: () => State): State {
  const first = makeCollected(2)
  return {
    take: (bytes) => {
      const missing = bytes.subarray(0, 2 - first.bytes().length)
      first.add(missing)
      const [, second] = first.bytes()
      if (second === undefined) return { used: missing.length }
      if (second >= 0x80) return { used: missing.length, forward: first.bytes(), next: everything }
      return headAfter(head(), first.bytes(), missing.length)
    },
  }
}

/** The head whose first bytes were already taken. */
function headAfter(next: State, first: Buffer, used: number): Step {
  const step = next.take(first)
  return 'refused' in step ? step : { ...step, used, next: step.next ?? next }
}

const everything: State = { take: (bytes) => ({ used: bytes.length, forward: bytes }) }
