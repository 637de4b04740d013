import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/** An answer from here on is worth a program that is started for it. */
const largeBytes = 4 * 1024 * 1024
const wantedBytes = 2 * 1024 * 1024
/** A burst of large answers must not become a burst of programs: the others pass as they are. */
const maxAtOnce = 4

/**
 * Makes the connection of a large answer hold more. Linux gives a unix socket 208 KiB and never more by itself, as it does
 * for TCP: on busy processors the two ends wait for each other all the time, which halves what passes. Does nothing for
 * other connections, nor for answers whose reader keeps up.
 */
export function widenForLargeAnswer(response: ServerResponse): void {
  const { socket } = response
  if (socket === null || socket.remoteAddress !== undefined || widened.has(socket)) return
  const before = socket.bytesWritten
  const look = () => {
    if (socket.bytesWritten - before < largeBytes) return
    response.off('drain', look)
    if (socket.destroyed || widened.has(socket) || open >= maxAtOnce) return
    widened.add(socket)
    widenSendBuffer(socket).catch(() => undefined)
  }
  response.on('drain', look)
}

const widened = new WeakSet<Socket>()
let open = 0

/**
 * Resolves with the bytes that the kernel lets a connection hold for sending. Node has no call for it, so the perl of
 * Debian's base makes it on the same open socket: `SO_SNDBUFFORCE`, and `SO_SNDBUF` for whom that is not allowed.
 */
export async function widenSendBuffer(socket: Socket): Promise<number> {
  open += 1
  try {
    const child = spawn('perl', ['-e', program], { stdio: ['ignore', 'pipe', 'ignore', socket] })
    const [output] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')])
    return Number(output)
  } finally {
    open -= 1
  }
}

/** Level and names as in asm-generic/socket.h: the same on x86_64 and arm64. */
const program = `
my ($level, $sndbuf, $sndbufforce) = (1, 7, 32);
open(my $socket, "+<&=", 3) or die;
my $bytes = pack("i", ${wantedBytes});
setsockopt($socket, $level, $sndbufforce, $bytes) or setsockopt($socket, $level, $sndbuf, $bytes) or die;
print unpack("i", getsockopt($socket, $level, $sndbuf));
`
