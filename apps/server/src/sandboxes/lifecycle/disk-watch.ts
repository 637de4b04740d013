import type { Logger } from '@threadbox/telemetry'
import type { HostClient } from '../host/host-client.ts'
import type { AwakeSandbox } from '../state/sandbox-access.ts'
import type { SandboxReads } from '../state/sandbox-reads.ts'
import type { Announcements } from './announcements.ts'

/** Announces a nearly full disk with its largest folders, once each time it becomes nearly full. */
export type DiskWatch = { check(threadId: string): Promise<void> }

/** A disk is announced from `full` on, and again only after it was below `relieved`. */
const shares = { full: 0.9, relieved: 0.85 }
const listTimeoutMs = 10_000
const maxFolders = 5
/** Longer lists are cut: few levels are enough to find the largest folders. */
const maxListBytes = 4 * 1024 * 1024

export function makeDiskWatch(dependencies: {
  store: Pick<SandboxReads, 'find'>
  host: HostClient
  ifAwake: (threadId: string) => Promise<AwakeSandbox | undefined>
  announcements: Announcements
  logger: Logger
}): DiskWatch {
  const announced = new Set<string>()
  return {
    check: async (threadId) => {
      const row = await dependencies.store.find(threadId)
      if (row?.state !== 'active') return
      const usedBytes = (await dependencies.host.get(row.id))?.diskUsedBytes ?? 0
      const share = usedBytes / row.disk_bytes
      if (share < shares.relieved) announced.delete(row.id)
      if (share < shares.full || announced.has(row.id)) return
      announced.add(row.id)
      const sandbox = await dependencies.ifAwake(threadId)
      const folders = sandbox === undefined ? [] : await largestFolders(sandbox, dependencies.logger)
      const params = { usedBytes, limitBytes: row.disk_bytes, folders: JSON.stringify(folders) }
      await dependencies.announcements.notify(threadId, 'disk-nearly-full', params)
    },
  }
}

async function largestFolders(sandbox: AwakeSandbox, logger: Logger): Promise<Folder[]> {
  const decoder = new TextDecoder()
  let list = ''
  try {
    const args = ['--block-size=1', '--one-file-system', '--max-depth=3', '/home/user', '/tmp', '/var']
    const stream = sandbox.processes.start(
      { process: { cmd: 'du', args, envs: {} }, stdin: false },
      { signal: AbortSignal.timeout(listTimeoutMs) },
    )
    for await (const { event } of stream) {
      const what = event?.event
      if (what?.case !== 'data' || what.value.output.case !== 'stdout') continue
      list += decoder.decode(what.value.output.value, { stream: true })
      if (list.length > maxListBytes) break
    }
  } catch (error) {
    logger.debug({ err: error }, 'folders of a full disk were not listed')
  }
  return foldersIn(list)
}

export type Folder = { path: string; bytes: number }

/**
 * Returns the largest folders in the output of `du`. A folder is left out if one folder inside holds more than half of
 * it.
 */
export function foldersIn(list: string): Folder[] {
  const all = list.split('\n').flatMap((line): Folder[] => {
    const match = /^(\d+)\t(\/.*)$/.exec(line)
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ bytes: Number(match[1]), path: match[2] }]
  })
  const isInside = (inner: Folder, outer: Folder) => inner !== outer && inner.path.startsWith(`${outer.path}/`)
  return all
    .filter((folder) => !all.some((inner) => isInside(inner, folder) && inner.bytes > folder.bytes / 2))
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, maxFolders)
}
