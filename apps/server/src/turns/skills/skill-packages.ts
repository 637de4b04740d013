import { packSkill, type SkillFile, unpackSkill } from '@threadbox/protocol/host'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'

/** The contents of skills: a package is a blob, and its digest is in the skill's row. */
export type SkillPackages = {
  put(skillId: string, files: readonly SkillFile[]): Promise<string>
  /** Returns the package in the form that the host accepts. Undefined when the skill was changed or deleted since. */
  get(skillId: string, digest: string): Promise<Uint8Array | undefined>
  files(skillId: string, digest: string): Promise<SkillFile[] | undefined>
  /** Deletes a previous package of the skill. */
  delete(skillId: string, digest: string): Promise<void>
  deleteAll(skillId: string): Promise<void>
}

export function makeSkillPackages(blobs: BlobStore): SkillPackages {
  const folderOf = (skillId: string) => `skills/${skillId}`
  const keyOf = (skillId: string, digest: string) => `${folderOf(skillId)}/${digest}`
  const get = async (skillId: string, digest: string) => {
    const blob = await blobs.get(keyOf(skillId, digest))
    return blob && new Uint8Array(await new Response(blob.stream).arrayBuffer())
  }
  return {
    put: async (skillId, files) => {
      const bytes = packSkill(files)
      const digest = sha256Of(bytes)
      await blobs.put(keyOf(skillId, digest), bytes)
      return digest
    },
    get,
    files: async (skillId, digest) => {
      const bytes = await get(skillId, digest)
      return bytes && unpackSkill(bytes)
    },
    delete: (skillId, digest) => blobs.delete(keyOf(skillId, digest)),
    deleteAll: (skillId) => blobs.deleteAll(folderOf(skillId)),
  }
}
