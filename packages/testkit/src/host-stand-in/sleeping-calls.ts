import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { HostApi, SleepingEntry } from '@threadbox/protocol/host'
import { errorOf } from './answers.ts'
import { known, type SandboxesStandIn } from './sandbox-calls.ts'

/** The host’s reads of a sleeping sandbox, from plain files. */
export function sleepingCalls(host: SandboxesStandIn): Pick<HostApi, 'sleepingFiles'> {
  return {
    sleepingFiles: async (sandboxId, question) => {
      const { actual } = known(host, sandboxId)
      if (actual === 'ready') throw errorOf({ code: 'sandbox.disk-not-readable', kind: 'conflict' })
      const { path } = question
      const real = (at: string) => host.pathOf(sandboxId, at)
      if (question.kind === 'list') {
        const names = (await found(readdir(real(path)))).toSorted()
        const entries = await Promise.all(names.map((name) => describe(join(path, name), real)))
        return { kind: 'list', page: { entries, total: names.length, next: null } }
      }
      const entry = await describe(path, real)
      if (question.kind === 'entry') return { kind: 'entry', entry }
      if (question.kind === 'archive') {
        return { kind: 'archive', entry, bytes: new Blob([host.archive(path, question.only)]).stream() }
      }
      const bytes = await readFile(real(path))
      const end = question.end === undefined ? bytes.length : question.end + 1
      return { kind: 'content', entry, bytes: new Blob([bytes.subarray(question.start, end)]).stream() }
    },
  }
}

async function describe(at: string, real: (path: string) => string): Promise<SleepingEntry> {
  const entry = await found(stat(real(at)))
  const { mtimeMs, size, mode } = entry
  return {
    name: basename(at),
    path: at,
    type: entry.isDirectory() ? 'directory' : 'file',
    sizeBytes: size,
    mode,
    linkTarget: null,
    modifiedSeconds: Math.floor(mtimeMs / 1000),
    modifiedNanos: Math.floor((mtimeMs % 1000) * 1e6),
  }
}

async function found<Value>(looked: Promise<Value>): Promise<Value> {
  return await looked.catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? errorOf({ code: 'file.not-found', kind: 'not-found' }) : error
  })
}
