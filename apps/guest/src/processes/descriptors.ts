import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { isThreadboxFile } from '@threadbox/protocol/guest'

/** Target of a process's open descriptor as `/proc` names it: a path, or `socket:[inode]` and the like. */
export type Descriptor = { path: string; target: string }

/** Open descriptors of a process; undefined if they cannot be read because it has ended. */
export function readDescriptors(pid: number): Descriptor[] | undefined {
  const directory = `/proc/${pid}/fd`
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch {
    return undefined
  }
  return names.flatMap((name) => {
    const path = `${directory}/${name}`
    try {
      return [{ path, target: readlinkSync(path) }]
    } catch {
      // Closed since it was listed.
      return []
    }
  })
}

export function socketInode({ target }: Descriptor): string | undefined {
  return /^socket:\[(\d+)\]$/.exec(target)?.[1]
}

const deletedMark = ' (deleted)'

/** Regular files without a name that the process holds open, each once. */
export function deletedFiles(pid: number, descriptors: Descriptor[]): { pid: number; path: string; bytes: number }[] {
  const found = new Map<string, { pid: number; path: string; bytes: number }>()
  for (const { path, target } of descriptors) {
    if (!target.endsWith(deletedMark) || target.startsWith('/dev/') || target.startsWith('/memfd:')) continue
    try {
      const facts = statSync(path)
      if (!facts.isFile()) continue
      found.set(`${facts.dev}/${facts.ino}`, { pid, path: target.slice(0, -deletedMark.length), bytes: facts.size })
    } catch {
      // Closed since it was listed.
    }
  }
  return [...found.values()]
}

const memoryDirectories = /^\/(?:dev|proc|sys)\//
/** `O_WRONLY` and `O_RDWR`, as `/proc/<pid>/fdinfo` has them. */
const writing = 0o3

/** Regular files on the disk that the process has open for writing, each once; threadbox's own are excluded. */
export function writtenFiles(pid: number, descriptors: Descriptor[]): { pid: number; path: string }[] {
  const paths = new Set(
    descriptors
      .filter(({ target }) => target.startsWith('/') && !target.endsWith(deletedMark))
      .filter(({ target }) => !memoryDirectories.test(target) && !isThreadboxFile(target))
      .filter(isWritten)
      .map(({ target }) => target),
  )
  return [...paths].map((path) => ({ pid, path }))
}

function isWritten({ path }: Descriptor): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(path.replace('/fd/', '/fdinfo/'), 'utf8'))?.[1]
    return (Number.parseInt(flags ?? '0', 8) & writing) !== 0 && statSync(path).isFile()
  } catch {
    // Closed since it was listed.
    return false
  }
}
