import { contentOf, type ObjectStore } from '@threadbox/object-store'
import { backupDamaged, backupNotFound, recoveryKeyOther } from './backups.errors.ts'
import {
  type BackupIndex,
  indexNameOf,
  indexSchema,
  type Manifest,
  manifestNameOf,
  manifestSchema,
} from './manifest.ts'
import { isSigned, type MachineKeys, type RecoveryKey, signText } from './recovery-key.ts'
import { openSealed, stateOfObject, storeSealed } from './sealed-object.ts'

/** Before the text that is signed, so that no signature of another kind counts. */
const domain = 'threadbox backup index 1\n'

/** The names of all backups, the newest first. */
export async function listBackups(store: ObjectStore): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of store.list('backups/')) {
    const [, backup] = /^backups\/(.+)\.sig$/.exec(name) ?? []
    if (backup !== undefined) names.push(backup)
  }
  return names.toSorted().toReversed()
}

/** The index makes a backup exist: it is written last, and read again. */
export async function writeManifest(options: {
  store: ObjectStore
  manifest: Manifest
  keys: MachineKeys
  spoolDirectory: string
}): Promise<BackupIndex> {
  const { store, manifest, keys, spoolDirectory } = options
  const { name } = manifest
  const content = toBytes(JSON.stringify(manifest))
  const nameOf = () => manifestNameOf(name)
  const sealed = await storeSealed({ content, recipient: keys.recipient, store, spoolDirectory, nameOf })
  const { sha256, sizeBytes } = sealed
  const objects = manifest.packs.map((pack): [string, number] => [pack.object, pack.sizeBytes])
  const index: BackupIndex = { format: 1, name, manifest: { sha256, sizeBytes }, objects }
  const text = JSON.stringify(index)
  const signature = signText(`${domain}${text}`, keys.signingKey)
  const stored = await store.put(indexNameOf(name), await contentOf(`${text}\n${signature}\n`))
  const state = await stateOfObject(store, manifestNameOf(name), index.manifest)
  if (stored === 'existed' || sealed.result === 'existed' || state !== 'intact') {
    throw backupDamaged({ name, reason: 'the store returns another manifest than it was given' })
  }
  return index
}

async function* toBytes(text: string): AsyncIterable<Uint8Array> {
  const size = 1024 * 1024
  for (let start = 0; start < text.length; start += size) yield Buffer.from(text.slice(start, start + size))
}

export async function readIndex(store: ObjectStore, name: string, verificationKey: string): Promise<BackupIndex> {
  const stream = await store.get(indexNameOf(name))
  if (stream === undefined) throw backupNotFound({ name, place: store.place })
  const [text = '', signature = ''] = (await new Response(stream).text()).split('\n')
  if (!isSigned(`${domain}${text}`, signature, verificationKey)) {
    throw backupDamaged({ name, reason: 'its signature is not that of this installation' })
  }
  const index = indexSchema.parse(JSON.parse(text))
  if (index.name !== name) throw backupDamaged({ name, reason: `it is the backup ${index.name} under another name` })
  return index
}

export async function readManifest(
  store: ObjectStore,
  name: string,
  key: RecoveryKey,
): Promise<{ index: BackupIndex; manifest: Manifest }> {
  const index = await readIndex(store, name, key.verificationKey)
  const state = await stateOfObject(store, manifestNameOf(name), index.manifest)
  if (state !== 'intact') throw backupDamaged({ name, reason: `its manifest is ${state}` })
  const stream = await store.get(manifestNameOf(name))
  const parts: Uint8Array[] = []
  try {
    for await (const part of openSealed(stream ?? new ReadableStream(), key.identity)) parts.push(part)
  } catch (cause) {
    throw recoveryKeyOther({ place: store.place }, { cause })
  }
  return { index, manifest: manifestSchema.parse(JSON.parse(Buffer.concat(parts).toString('utf8'))) }
}
