import type { DiskNaming } from '@threadbox/disk-store'
import { cacheDirectoryOf, fileRankOf, isThreadboxFile } from '@threadbox/protocol/host'

/** How the host names a sandbox's changed files: those of people by path, those of caches by number only. */
export const naming: DiskNaming = { isLeftOut: isThreadboxFile, folderOf: cacheDirectoryOf, rankOf: fileRankOf }
