import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below Linux’s range for the local ends of connections, which any program could take before a test listens. */
const range = { from: 20_000, to: 32_000 }

/** A port of 127.0.0.1 on which nothing listens, and that the kernel gives to no other program. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.from, range.to)
    const probe = createServer().listen(port, '127.0.0.1')
    try {
      await once(probe, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    probe.close()
    await once(probe, 'close')
    return port
  }
}
