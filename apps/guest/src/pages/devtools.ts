import type { Readable, Writable } from 'node:stream'

export type DevToolsEvent = { method: string; params: Record<string, unknown>; sessionId: string | undefined }

/** A browser's DevTools over two pipes: JSON messages that end with a zero byte. */
export type DevTools = {
  /** Rejects if the browser refuses, and with the reason of the end after the connection has ended. */
  send<Result = Record<string, unknown>>(
    method: string,
    params?: Record<string, unknown>,
    sessionId?: string,
  ): Promise<Result>
  onEvent(listener: (event: DevToolsEvent) => void): void
  /** Ends every waiting and every later command with this reason. The first reason counts. */
  end(reason: Error): void
}

/** A page can make the browser send any amount in one message, such as a huge string written to the console. */
const maxMessageBytes = 48 * 1024 * 1024

export class MessageTooLarge extends Error {}

/** Over pipes instead of a port, so that nothing else in the sandbox can reach the browser. */
export function makeDevTools(pipes: { input: Writable; output: Readable }): DevTools {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  const listeners: ((event: DevToolsEvent) => void)[] = []
  let lastId = 0
  let ended: Error | undefined
  const end = (reason: Error) => {
    ended ??= reason
    for (const command of waiting.values()) command.reject(ended)
    waiting.clear()
  }
  const take = (text: string) => {
    const message = JSON.parse(text) as {
      id?: number
      result?: unknown
      error?: { message: string }
      method?: string
      params?: Record<string, unknown>
      sessionId?: string
    }
    if (message.method !== undefined) {
      const event = { method: message.method, params: message.params ?? {}, sessionId: message.sessionId }
      for (const listener of listeners) listener(event)
      return
    }
    const command = waiting.get(message.id ?? 0)
    waiting.delete(message.id ?? 0)
    if (message.error === undefined) command?.resolve(message.result)
    else command?.reject(new Error(message.error.message))
  }
  readMessages(pipes.output, { take, end })
  pipes.input.on('error', end)
  return {
    send: <Result>(method: string, params = {}, sessionId?: string) =>
      new Promise<Result>((resolve, reject) => {
        if (ended !== undefined) return reject(ended)
        lastId += 1
        waiting.set(lastId, { resolve: resolve as (result: unknown) => void, reject })
        pipes.input.write(`${JSON.stringify({ id: lastId, method, params, sessionId })}\0`)
      }),
    onEvent: (listener) => void listeners.push(listener),
    end,
  }
}

function readMessages(output: Readable, to: { take(text: string): void; end(reason: Error): void }): void {
  let pieces: Buffer[] = []
  let bytes = 0
  output.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, from)) {
      pieces.push(chunk.subarray(from, at))
      to.take(Buffer.concat(pieces).toString('utf8'))
      pieces = []
      bytes = 0
      from = at + 1
    }
    pieces.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > maxMessageBytes) {
      output.destroy()
      to.end(new MessageTooLarge('The page produced more console output than can be read.'))
    }
  })
  output.on('error', to.end)
  output.on('close', () => to.end(new Error('The browser has ended.')))
}
