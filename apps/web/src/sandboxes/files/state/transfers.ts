import { isThreadboxError, type ThreadboxClient } from '@threadbox/sdk'
import { createStore } from 'zustand/vanilla'
import { randomId } from '../../../page/client/random-id.ts'
import type { Readable } from '../../../page/client/readable.ts'
import { freeName, joinPath, nameOfPath, parentOf } from '../../../page/content/state/names.logic.ts'
import type { Dropped } from './dropped-files.ts'

/** An upload into a sandbox. `taken`: a file of this name already exists, and you have to choose what to do. */
export type Transfer = {
  id: string
  path: string
  sizeBytes: number
  sentBytes: number
  status: 'waiting' | 'sending' | 'done' | 'taken' | 'failed'
  error: unknown
}

export type TakenAnswer = 'replace' | 'keep-both' | 'skip'

/** By thread. */
export type ThreadTransfers = Readonly<Record<string, readonly Transfer[]>>

export type Transfers = {
  byThread: Readable<ThreadTransfers>
  /** Uploads dropped files into a folder. Never overwrites an existing file without confirmation. */
  add(threadId: string, folder: string, dropped: Dropped): void
  answer(threadId: string, ids: readonly string[], answer: TakenAnswer): void
  retry(threadId: string, id: string): void
  /** Stops running uploads and clears the list. */
  clear(threadId: string): void
}

/** The number of parallel uploads; more would take the connections that the page itself needs. */
const parallel = 2
/** Progress is reported at most this often. */
const progressMs = 100
const none: readonly Transfer[] = []

export function transfersOf(transfers: ThreadTransfers, threadId: string): readonly Transfer[] {
  return transfers[threadId] ?? none
}

type Job = { threadId: string; id: string; file: File; mayReplace: boolean; abort: AbortController }

/** Uploads of the files pane. They belong to no page and continue across navigation. */
export function makeTransfers(
  client: ThreadboxClient,
  onWritten: (threadId: string, folder: string) => void,
): Transfers {
  const byThread = createStore<ThreadTransfers>()(() => ({}))
  const jobs = new Map<string, Job>()

  const of = (threadId: string) => transfersOf(byThread.getState(), threadId)
  const put = (threadId: string, next: readonly Transfer[]) => byThread.setState({ [threadId]: next })
  const change = (job: Pick<Job, 'threadId' | 'id'>, values: Partial<Transfer>) => {
    put(
      job.threadId,
      of(job.threadId).map((transfer) => (transfer.id === job.id ? { ...transfer, ...values } : transfer)),
    )
  }
  const find = (threadId: string, id: string) => of(threadId).find((transfer) => transfer.id === id)
  const send = async (job: Job): Promise<void> => {
    const transfer = find(job.threadId, job.id)
    if (transfer === undefined || job.abort.signal.aborted) return
    change(job, { status: 'sending' })
    let reportedAt = 0
    try {
      await client.files.write(job.threadId, transfer.path, job.file, {
        onlyIfNew: !job.mayReplace,
        signal: job.abort.signal,
        onProgress: (sentBytes) => {
          if (Date.now() - reportedAt < progressMs) return
          reportedAt = Date.now()
          change(job, { sentBytes })
        },
      })
      change(job, { status: 'done', sentBytes: transfer.sizeBytes })
      jobs.delete(job.id)
      onWritten(job.threadId, parentOf(transfer.path))
    } catch (error) {
      if (job.abort.signal.aborted) return
      const isTaken = isThreadboxError(error) && error.code === 'file.path-taken'
      change(job, { status: isTaken ? 'taken' : 'failed', error })
    }
  }
  const queue = makeQueue(send)
  const enqueue = (job: Job) => {
    change(job, { status: 'waiting', sentBytes: 0, error: null })
    queue.add(job)
  }
  return {
    byThread,
    add: (threadId, folder, { files, folders }) => {
      // Finished uploads are visible in the file list; those that need a decision stay.
      const kept = of(threadId).filter(({ status }) => status !== 'done')
      const added = files.map(({ path, file }) => {
        const transfer = newTransfer(joinPath(folder, path), file.size)
        jobs.set(transfer.id, { threadId, id: transfer.id, file, mayReplace: false, abort: new AbortController() })
        return transfer
      })
      put(threadId, [...kept, ...added])
      for (const { id } of added) {
        const job = jobs.get(id)
        if (job !== undefined) queue.add(job)
      }
      void makeEmptyFolders(client, { threadId, folder, files, folders }).then(() => onWritten(threadId, folder))
    },
    answer: (threadId, ids, answer) => {
      if (answer === 'skip') {
        for (const id of ids) jobs.delete(id)
        put(
          threadId,
          of(threadId).filter(({ id }) => !ids.includes(id)),
        )
        return
      }
      for (const id of ids) {
        const job = jobs.get(id)
        const transfer = find(threadId, id)
        if (job === undefined || transfer === undefined) continue
        if (answer === 'keep-both') change(job, { path: nextPath(transfer.path) })
        enqueue({ ...job, mayReplace: answer === 'replace' })
      }
    },
    retry: (threadId, id) => {
      const job = jobs.get(id)
      if (job?.threadId === threadId) enqueue(job)
    },
    clear: (threadId) => {
      for (const [id, job] of jobs) {
        if (job.threadId !== threadId) continue
        job.abort.abort()
        jobs.delete(id)
      }
      put(threadId, none)
    },
  }
}

function newTransfer(path: string, sizeBytes: number): Transfer {
  return { id: randomId(), path, sizeBytes, sentBytes: 0, status: 'waiting', error: null }
}

/** Runs a few jobs in parallel, the others in order. */
function makeQueue(send: (job: Job) => Promise<void>): { add(job: Job): void } {
  const waiting: Job[] = []
  let running = 0
  const next = () => {
    while (running < parallel) {
      const job = waiting.shift()
      if (job === undefined) return
      running += 1
      void send(job).finally(() => {
        running -= 1
        next()
      })
    }
  }
  return {
    add: (job) => {
      waiting.push(job)
      next()
    },
  }
}

/** The same name with the next number. The server checks that it is free. */
function nextPath(path: string): string {
  const name = nameOfPath(path)
  const numbered = /^(.*) \((\d+)\)(\.[^.]*)?$/.exec(name)
  const following =
    numbered === null
      ? freeName(name, new Set([name]))
      : `${numbered[1]} (${Number(numbered[2]) + 1})${numbered[3] ?? ''}`
  return joinPath(parentOf(path), following)
}

/** Folders with files in them are created by uploading the files. */
async function makeEmptyFolders(
  client: ThreadboxClient,
  dropped: Dropped & { threadId: string; folder: string },
): Promise<void> {
  const { threadId, folder, files, folders } = dropped
  const filled = new Set(files.flatMap(({ path }) => above(path)))
  for (const empty of folders) {
    if (filled.has(empty) || folders.some((other) => other.startsWith(`${empty}/`))) continue
    await client.files.makeFolder(threadId, joinPath(folder, empty)).catch(() => undefined)
  }
}

function above(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
