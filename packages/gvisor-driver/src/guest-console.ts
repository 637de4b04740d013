import { constants, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Socket } from 'node:net'

/**
 * Standard output and error of a guest, through a named pipe: the daemon keeps the last part in memory, so nothing
 * inside can fill the host’s disk with output. The guest’s end is open for reading too, so writing continues (into the
 * pipe’s buffer) while no daemon is running.
 */
export type GuestConsole = { tail(): string; close(): void }

const keptBytes = 16 * 1024

/** Opens the guest’s end; the caller closes it once runsc has it. */
export async function openGuestEnd(path: string) {
  return await open(path, constants.O_RDWR)
}

export function followConsole(path: string): GuestConsole {
  // Opening without blocking never waits, and the socket owns the descriptor: a file handle would close it twice.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const socket = new Socket({ fd: descriptor, readable: true, writable: false })
  let kept = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-keptBytes)
  })
  socket.on('error', () => socket.destroy())
  return {
    tail: () => kept.toString('utf8'),
    close: () => {
      socket.destroy()
    },
  }
}
