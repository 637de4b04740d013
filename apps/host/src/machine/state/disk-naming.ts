import type { DiskNaming } from '@threadbox/disk-store'
import { cacheDirectoryOf, fileRankOf, isThreadboxFile } from '@threadbox/protocol/host'

/** How the host tells which files of a sandbox differ: those of people, and of a cache only how many. */
export const naming: DiskNaming = { isLeftOut: isThreadboxFile, folderOf: cacheDirectoryOf, rankOf: fileRankOf }
