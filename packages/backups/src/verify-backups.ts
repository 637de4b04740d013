import type { ObjectStore } from '@threadbox/object-store'
import { type BackupIndex, bytesOf, manifestNameOf } from './manifest.ts'
import { readFiles } from './read-files.ts'
import type { RecoveryKey } from './recovery-key.ts'
import { objectName, stateOfObject } from './sealed-object.ts'
import { listBackups, readIndex, readManifest } from './stored-backups.ts'

export type VerifiedBackup = {
  name: string
  /** Empty: intact. */
  problems: readonly string[]
  objects: number
  sizeBytes: number
}

/** Reads every stored byte of every backup once, and compares it with what the signed indexes say. Needs no recovery key. */
export async function verifyBackups(store: ObjectStore, verificationKey: string): Promise<VerifiedBackup[]> {
  const states = new Map<string, Promise<string>>()
  const stateOf = ([sha256, sizeBytes]: readonly [string, number]) => {
    const known = states.get(sha256) ?? stateOfObject(store, objectName(sha256), { sha256, sizeBytes })
    states.set(sha256, known)
    return known
  }
  const verified: VerifiedBackup[] = []
  for (const name of await listBackups(store)) {
    const index = await readIndex(store, name, verificationKey).catch((error: Error) => error)
    if (index instanceof Error) {
      verified.push({ name, problems: [index.message], objects: 0, sizeBytes: 0 })
      continue
    }
    const problems: string[] = []
    const state = await stateOfObject(store, manifestNameOf(name), index.manifest)
    if (state !== 'intact') problems.push(`the manifest is ${state}`)
    for (const object of index.objects) {
      const found = await stateOf(object)
      if (found !== 'intact') problems.push(`the object ${object[0].slice(0, 12)} is ${found}`)
    }
    verified.push({ name, problems, ...sizeOf(index) })
  }
  return verified
}

/** Decrypts a backup completely and compares each piece, without writing anything. */
export async function verifyContent(store: ObjectStore, name: string, key: RecoveryKey): Promise<VerifiedBackup> {
  const { index, manifest } = await readManifest(store, name, key)
  const { lost } = await readFiles({ store, manifest, identity: key.identity, write: async () => undefined })
  return { name, problems: lost.map(({ path, reason }) => `${path}: ${reason}`), ...sizeOf(index) }
}

function sizeOf(index: BackupIndex): { objects: number; sizeBytes: number } {
  return { objects: index.objects.length, sizeBytes: bytesOf(index) }
}
