import { maxTerminalInput, type TerminalClientFrame, type TerminalServerFrame } from '@threadbox/sdk'
import { afterClose, afterFrame, inParts, type LinkState, newLink, retryDelayMs } from './link.logic.ts'

export type LinkHandlers = {
  onState: (state: LinkState) => void
  onFrame: (frame: TerminalServerFrame) => void
  /** `end`: the offset at which this output ends. */
  onOutput: (data: Uint8Array, end: number) => void
}

/**
 * The socket of one view of a terminal. It reconnects automatically at the byte where it was lost, until the terminal
 * ends.
 */
export type TerminalLink = {
  /** Input without a connection is dropped: it would arrive when it is no longer expected. */
  type(text: string): void
  /** Sends a report of the terminal itself. It never wakes the sandbox. */
  report(text: string): void
  resize(size: { cols: number; rows: number }): void
  wake(): void
  /** Acknowledges all output before the offset as drawn. */
  drawn(offset: number): void
  close(): void
}

export function linkTerminal(addressAfter: (offset: number) => string, handlers: LinkHandlers): TerminalLink {
  let state = newLink
  let offset = 0
  let attempt = 0
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  const become = (next: LinkState) => {
    if (next === state) return
    state = next
    handlers.onState(state)
  }
  const send = (frame: TerminalClientFrame) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
  }
  const take = (data: unknown) => {
    if (data instanceof ArrayBuffer) {
      offset += data.byteLength
      handlers.onOutput(new Uint8Array(data), offset)
      return
    }
    const frame = JSON.parse(String(data)) as TerminalServerFrame
    if (frame.type === 'start') offset = frame.offset
    become(afterFrame(state, frame))
    handlers.onFrame(frame)
  }
  const connect = () => {
    clearTimeout(timer)
    const opened = new WebSocket(addressAfter(offset))
    socket = opened
    opened.binaryType = 'arraybuffer'
    opened.onopen = () => {
      attempt = 0
      become({ ...state, connection: 'open' })
    }
    opened.onmessage = (event) => take(event.data)
    opened.onclose = (event) => {
      if (isClosed || socket !== opened) return
      become(afterClose(state, event.code))
      if (state.connection === 'over') return
      timer = setTimeout(connect, retryDelayMs(attempt))
      attempt += 1
    }
  }
  const retryNow = () => {
    if (state.connection === 'waiting' && socket?.readyState === WebSocket.CLOSED) connect()
  }
  addEventListener('online', retryNow)
  connect()
  return {
    type: (text) => {
      for (const data of inParts(text, maxTerminalInput)) send({ type: 'input', data })
    },
    report: (data) => send({ type: 'report', data }),
    resize: ({ cols, rows }) => send({ type: 'resize', cols, rows }),
    wake: () => send({ type: 'wake' }),
    drawn: (drawnOffset) => send({ type: 'ack', offset: drawnOffset }),
    close: () => {
      isClosed = true
      clearTimeout(timer)
      removeEventListener('online', retryNow)
      socket?.close()
    },
  }
}
