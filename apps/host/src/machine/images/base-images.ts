import path from 'node:path'
import type { DiskStore } from '@threadbox/disk-store'
import type { SetupStep } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import { hostPreparing, imageMissing } from '../errors/orders.errors.ts'
import type { FactsStore } from '../state/facts.store.ts'
import { unpackArchive, unpackVersion } from './unpack-archive.ts'

/** The image that new sandboxes are made from. */
export type BaseImages = {
  /**
   * Imports the archive, unless it was already imported. New sandboxes then use it; older images stay for their disks.
   */
  prepare(): Promise<void>
  /** Id of the image for new sandboxes. Throws `host.preparing` before the first one is ready, `host.image-missing`. */
  current(): Promise<string>
  /** The steps in progress. */
  preparing(): SetupStep[]
  /** Why the archive could not be imported; undefined if it was, or is being imported. */
  problem(): string | undefined
}

export function makeBaseImages(options: {
  /** A .tar.zst; its name without the extension begins the image's id. Empty: uses an earlier import. */
  archive: string
  disks: DiskStore
  /** Images that archived disks need, beside those of the disks that are here. */
  neededImages(): Promise<string[]>
  facts: FactsStore
  logger: Logger
  signal: AbortSignal
}): BaseImages {
  const { archive, disks, facts, logger, signal } = options
  let failure: unknown
  let isImporting = archive !== ''

  const importArchive = async () => {
    const imageId = `${path.basename(archive, '.tar.zst')}-${unpackVersion}`
    await disks.importImage({
      imageId,
      build: async (directory) => {
        logger.info({ imageId }, 'unpacking the base image')
        await unpackArchive({ archive, directory, signal })
      },
    })
    await facts.set('currentImage', imageId)
    await removeUnused(imageId)
  }
  const removeUnused = async (current: string) => {
    const used = new Set([...(await disks.listDisks()).map((disk) => disk.imageId), ...(await options.neededImages())])
    for (const { imageId } of await disks.listImages()) {
      if (imageId !== current && !used.has(imageId)) await disks.deleteImage(imageId)
    }
  }
  return {
    prepare: async () => {
      if (archive === '') return
      try {
        await importArchive()
      } catch (error) {
        failure = error
        throw error
      } finally {
        isImporting = false
      }
    },
    current: async () => {
      const imageId = await facts.find('currentImage')
      if (imageId !== undefined) return imageId
      if (isImporting) throw hostPreparing({ what: 'the base image' })
      throw imageMissing({}, { cause: failure })
    },
    preparing: () => (isImporting ? ['base-image'] : []),
    problem: () => (failure instanceof Error ? failure.message : failure === undefined ? undefined : String(failure)),
  }
}
