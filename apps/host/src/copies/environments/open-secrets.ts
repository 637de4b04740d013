import { readFile } from 'node:fs/promises'
import { openText } from '@threadbox/protocol/sealing'
import { z } from 'zod'
import type { Sealing } from '../../machine/state/sealing-key.ts'

/** Shorter ones would match by chance, and each is searched for on its own. */
const secretsSchema = z
  .array(
    z
      .string()
      .min(8)
      .max(64 * 1024),
  )
  .max(10_000)

/** For programs only: the daemon never opens what passes it. */
export async function openSecrets(order: { sealing: Sealing; sealedSecrets: string }): Promise<string[]> {
  return secretsSchema.parse(await openSealed(order.sealedSecrets, order.sealing))
}

/** Throws if it was sealed for another key. The texts of another program of the host need no check. */
export async function openSealed<Value>(sealed: string, { keyFile }: Sealing): Promise<Value> {
  return JSON.parse(await openText(sealed, await readFile(keyFile, 'utf8'))) as Value
}
