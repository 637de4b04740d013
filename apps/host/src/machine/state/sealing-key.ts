import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { makeSealingKey } from '@threadbox/protocol/sealing'
import type { FactsStore } from './facts.store.ts'

/** For texts that programs of the host read, and that pass its daemon unreadable. */
export type Sealing = {
  publicKey: string
  /** The private key, which only those programs read. */
  keyFile: string
}

/** Makes the key at the first start. A restored database can be without its file; texts are sealed for one order only. */
export async function openSealing(keyFile: string, facts: Pick<FactsStore, 'find' | 'set'>): Promise<Sealing> {
  const known = await facts.find('sealingKey')
  if (known !== undefined && existsSync(keyFile)) return { publicKey: known, keyFile }
  const { publicKey, privateKey } = await makeSealingKey()
  await writeFile(keyFile, privateKey, { mode: 0o600, flush: true })
  await facts.set('sealingKey', publicKey)
  return { publicKey, keyFile }
}
