import type { PersonalNames } from '@threadbox/protocol/public'
import { type Access, subjectOfThread } from '../access/access.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import type { ThreadRow } from '../log/threads.table.ts'

/** Names of a person’s own things of one kind that the thread uses, or would again. */
export type PersonalUse = {
  kind: keyof PersonalNames
  read(userId: string, thread: ThreadRow): Promise<readonly string[]>
}

/** What is a person’s own and stops working when others can work in a thread, for the dialogs that say so. */
export type PersonalUses = {
  /** Only the user’s own: each person’s are theirs to know. */
  ofThread(userId: string, thread: ThreadRow): Promise<PersonalNames>
  /** In the threads of the workspace that others could work in, if only the user can yet. */
  ofWorkspace(userId: string, workspaceId: string): Promise<PersonalNames>
}

export function makePersonalUses(dependencies: {
  store: Pick<ThreadStore, 'findAny' | 'idsIn'>
  access: Pick<Access, 'people' | 'personalOwner'>
  uses: () => readonly PersonalUse[]
}): PersonalUses {
  const { store, access, uses } = dependencies
  const namesIn = async (userId: string, threads: readonly ThreadRow[]): Promise<PersonalNames> => {
    const names = { secrets: new Set<string>(), gitCredentials: new Set<string>(), connections: new Set<string>() }
    for (const thread of threads) {
      for (const { kind, read } of uses()) for (const name of await read(userId, thread)) names[kind].add(name)
    }
    const { secrets, gitCredentials, connections } = names
    return { secrets: [...secrets], gitCredentials: [...gitCredentials], connections: [...connections] }
  }
  return {
    ofThread: async (userId, thread) => {
      const [first, ...others] = await access.people('work', subjectOfThread(thread))
      return await namesIn(userId, others.length === 0 && first === userId ? [thread] : [])
    },
    ofWorkspace: async (userId, workspaceId) => {
      const shared: ThreadRow[] = []
      for (const id of await store.idsIn(workspaceId, { areDeleted: false })) {
        const row = await store.findAny(id)
        if (row?.is_private === 0 && (await access.personalOwner(row)) === userId) shared.push(row)
      }
      return await namesIn(userId, shared)
    },
  }
}
