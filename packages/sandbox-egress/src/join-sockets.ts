import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { BulkReader } from './bulk-reader.ts'
import type { HoldGate } from './hold-gate.ts'
import { reset } from './reset.ts'

/**
 * A connection of which one side has ended sends in one direction only. Through the firewall, without the relay, it
 * would be forgotten after 60 to 120 s of silence (`nf_conntrack_tcp_timeout_close_wait`, `fin_wait`).
 */
const halfClosedMs = 120_000
/** Silence after which the kernel asks whether the other side still exists. */
const keepAliveMs = 60_000

/** What passes of the bytes that the sandbox sent. */
export type Inspect = (bytes: Buffer) => readonly Buffer[]

/**
 * Passes bytes in both directions, no faster than they are taken, until both have ended. If one side breaks, so does the
 * other.
 */
export async function joinSockets(options: {
  client: Socket
  upstream: Socket
  /** Gets what `upstream` receives; otherwise its stream does. */
  reader?: BulkReader | undefined
  gate: HoldGate
  inspect: Inspect
}): Promise<void> {
  const { client, upstream, reader, gate, inspect } = options
  const sides = [
    { from: client, to: upstream, inspect, reader: undefined },
    { from: upstream, to: client, inspect: asIs, reader },
  ]
  const closed = Promise.all([client, upstream].map((socket) => closeOf(socket)))
  for (const { from, to } of sides) from.once('close', () => hasEnded(from) || reset(to))
  upstream.setKeepAlive(true, keepAliveMs)
  const watched = () => {
    // A paused sandbox answers no probe, and its connections outlast that.
    client.setKeepAlive(!gate.isHeld(), keepAliveMs)
  }
  watched()
  const stops = [gate.onChange(watched), ...sides.map((side) => carry({ ...side, gate }))]
  if (client.destroyed || upstream.destroyed) for (const socket of [client, upstream]) reset(socket)
  await closed
  for (const stop of stops) stop()
}

const asIs: Inspect = (bytes) => [bytes]

/** In both directions, and in order. */
function hasEnded(socket: Socket): boolean {
  return socket.readableEnded && socket.writableFinished
}

type Carried = { from: Socket; to: Socket; gate: HoldGate; inspect: Inspect; reader: BulkReader | undefined }

/** Passes bytes in one direction. Returns how to stop listening to the gate. */
function carry({ from, to, gate, inspect, reader }: Carried): () => void {
  let isFull = false
  const update = () => {
    if (isFull || gate.isHeld()) from.pause()
    else from.resume()
  }
  const onRoom = () => {
    if (!isFull) return
    isFull = false
    update()
  }
  if (reader === undefined) {
    from.on('data', (bytes: Buffer) => {
      for (const part of inspect(bytes)) isFull = !to.write(part)
      if (isFull) update()
    })
    to.on('drain', onRoom)
  } else {
    reader.start((bytes) => {
      for (const part of inspect(bytes)) to.write(part, onRoom)
      // What the kernel didn’t take immediately is still read from the buffer.
      isFull = to.writableLength > 0
      return !isFull
    })
  }
  from.once('end', () => {
    to.end()
    for (const socket of [from, to]) endWhenSilent(socket, { other: socket === from ? to : from, gate })
  })
  update()
  return gate.onChange(update)
}

function endWhenSilent(socket: Socket, { other, gate }: { other: Socket; gate: HoldGate }): void {
  socket.setTimeout(halfClosedMs, () => {
    if (gate.isHeld()) return
    reset(socket)
    reset(other)
  })
}

async function closeOf(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close').catch(() => undefined)
}
