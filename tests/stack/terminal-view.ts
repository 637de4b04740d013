import type { TerminalClientFrame, TerminalServerFrame } from '@threadbox/sdk'
import { expect, vi } from 'vitest'
import type { TestInstallation } from './installation.ts'

/** A terminal seen over its socket, as a page sees it: its output since this view came, and the frames it got. */
export type TerminalView = Disposable & {
  /** The end of the output; `offset` is after it. */
  text(): string
  offset(): number
  receivedBytes(): number
  frames: TerminalServerFrame[]
  /** The code with which the socket was closed. */
  closed(): number | undefined
  send(frame: TerminalClientFrame): void
  type(text: string): void
  shows(text: string | RegExp, timeoutMs?: number): Promise<void>
  hasStatus(status: string): Promise<void>
}

/** A view keeps this much of the end of its output. */
const keptCharacters = 256 * 1024

export async function viewTerminal(
  installation: TestInstallation,
  target: { threadId: string; id: string; after?: number; acks?: boolean },
): Promise<TerminalView> {
  const { client, server } = installation
  const url = client.terminals.socketUrl(target.threadId, target.id, target.after)
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${server.apiKey}` } })
  socket.binaryType = 'arraybuffer'
  let text = ''
  let offset = target.after ?? 0
  let receivedBytes = 0
  let closed: number | undefined
  const send: TerminalView['send'] = (frame) => socket.send(JSON.stringify(frame))
  const take = (data: unknown) => {
    if (typeof data === 'string') {
      const frame = JSON.parse(data) as TerminalServerFrame
      if (frame.type === 'start') offset = frame.offset
      view.frames.push(frame)
      return
    }
    const bytes = Buffer.from(data as ArrayBuffer)
    text = (text + bytes.toString('latin1')).slice(-keptCharacters)
    offset += bytes.length
    receivedBytes += bytes.length
    if (target.acks !== false) send({ type: 'ack', offset })
  }
  socket.onmessage = (event) => take(event.data)
  socket.onclose = (event) => {
    closed = event.code
  }
  const view: TerminalView = {
    frames: [],
    send,
    text: () => text,
    offset: () => offset,
    receivedBytes: () => receivedBytes,
    closed: () => closed,
    type: (data) => send({ type: 'input', data }),
    shows: (wanted, timeoutMs = 30_000) =>
      vi.waitFor(() => expect(text.slice(-5000)).toMatch(wanted), { timeout: timeoutMs, interval: 50 }),
    hasStatus: (status) =>
      vi.waitFor(() => expect(view.frames.filter(({ type }) => type === 'status').at(-1)).toMatchObject({ status }), {
        timeout: 30_000,
        interval: 50,
      }),
    [Symbol.dispose]: () => socket.close(),
  }
  await vi.waitFor(() => expect(view.frames.length).toBeGreaterThan(0), { timeout: 30_000, interval: 20 })
  return view
}
