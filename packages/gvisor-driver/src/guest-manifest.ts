import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'

/** The `guest.json` of a guest directory; the driver needs how its first process is started. */
const guestManifestSchema = z.object({ args: z.array(z.string()).min(1) })

/**
 * Reads the arguments of the first process, with the guest directory mounted at `/.guest`. Cached, because a guest
 * directory never changes.
 */
export function makeGuestArguments(): (guestDirectory: string) => Promise<readonly string[]> {
  const known = new Map<string, readonly string[]>()
  return async (guestDirectory) => {
    const args = known.get(guestDirectory) ?? (await readArguments(guestDirectory))
    known.set(guestDirectory, args)
    return args
  }
}

async function readArguments(guestDirectory: string): Promise<readonly string[]> {
  return guestManifestSchema.parse(JSON.parse(await readFile(path.join(guestDirectory, 'guest.json'), 'utf8'))).args
}
