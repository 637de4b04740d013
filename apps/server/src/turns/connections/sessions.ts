import { type McpSession, openSession, type ServerAddress, type SessionOptions } from './mcp-session.ts'
import type { RawTool } from './tool-list.logic.ts'

/** The key of a session. Threads don't share sessions, because servers keep state in them. */
export type SessionPlace = { connectionId: string; revision: number; threadId: string }

export type ServerList = { tools: RawTool[]; isCut: boolean; server: McpSession['server'] }

/** Open sessions with servers, kept for a while after their last use. */
export type Sessions = {
  /** Lists a server's tools in a separate session. */
  list(address: ServerAddress, signal: AbortSignal): Promise<ServerList>
  /**
   * Makes one call in the session of `place`, once or not at all. Before that, `onList` gets the server's tools unless
   * they were listed a moment ago; if it throws, the call is not made.
   */
  call<Value>(
    place: SessionPlace,
    work: {
      address: ServerAddress
      signal: AbortSignal
      onList(list: ServerList): Promise<void>
      make(session: McpSession): Promise<Value>
    },
  ): Promise<Value>
  /** Ends the sessions of a connection. */
  forget(connectionId: string): void
  close(): Promise<void>
}

type KeptSession = {
  place: SessionPlace
  session: McpSession
  listedAt: number
  users: number
  isDoomed: boolean
  timer: NodeJS.Timeout | undefined
}

/** As long as a user may think before the next request. */
const idleMs = 5 * 60_000
/** A list older than this is read again before a call, because an approved tool may have changed. */
const listAgeMs = 20_000

export function makeSessions(options: SessionOptions & { now: () => number }): Sessions {
  const kept = new Map<string, KeptSession>()
  const end = (entry: KeptSession) => {
    entry.isDoomed = true
    clearTimeout(entry.timer)
    const key = keyOf(entry.place)
    if (kept.get(key) === entry) kept.delete(key)
    if (entry.users === 0) void entry.session.close()
  }
  const release = (entry: KeptSession) => {
    entry.users -= 1
    if (entry.users > 0) return
    if (entry.isDoomed) return void entry.session.close()
    entry.timer = setTimeout(() => end(entry), idleMs).unref()
  }
  /** Ends the connection's unused session whose tools were listed longest ago. */
  const endIdle = (connectionId: string) => {
    const idle = [...kept.values()].filter((entry) => entry.place.connectionId === connectionId && entry.users === 0)
    const [oldest] = idle.toSorted((entry, other) => entry.listedAt - other.listedAt)
    if (oldest !== undefined) end(oldest)
    return oldest !== undefined
  }
  const open = (address: ServerAddress, signal: AbortSignal) => {
    const makeRoom = () => address.kind === 'program' && endIdle(address.connectionId)
    return openSession(address, { ...options, signal, makeRoom })
  }
  const take = async (place: SessionPlace, work: { address: ServerAddress; signal: AbortSignal }) => {
    const present = kept.get(keyOf(place))
    const isUsable = present?.place.revision === place.revision && !present.session.hasEnded()
    if (present !== undefined && isUsable) {
      present.users += 1
      clearTimeout(present.timer)
      return { entry: present, isNew: false }
    }
    if (present !== undefined) end(present)
    const session = await open(work.address, work.signal)
    const entry: KeptSession = { place, session, listedAt: 0, users: 1, isDoomed: false, timer: undefined }
    const concurrent = kept.get(keyOf(place))
    // If two calls opened a session at the same time, the second is kept private to its call.
    if (concurrent === undefined) kept.set(keyOf(place), entry)
    else entry.isDoomed = true
    return { entry, isNew: true }
  }
  const relist = async (entry: KeptSession, signal: AbortSignal): Promise<ServerList | undefined> => {
    const isFresh = options.now() - entry.listedAt < listAgeMs && !entry.session.hasNewTools()
    if (isFresh) return undefined
    const list = await entry.session.list(signal)
    entry.listedAt = options.now()
    return { ...list, server: entry.session.server }
  }
  return {
    list: async (address, signal) => {
      const session = await open(address, signal)
      try {
        return { ...(await session.list(signal)), server: session.server }
      } finally {
        void session.close()
      }
    },
    call: async (place, work) => {
      for (let attempt = 0; ; attempt++) {
        const { entry, isNew } = await take(place, work)
        let list: ServerList | undefined
        try {
          list = await relist(entry, work.signal)
        } catch (error) {
          end(entry)
          release(entry)
          // The server may have ended a kept session. Nothing was called in it yet, so a new session is tried.
          if (isNew || attempt > 0 || work.signal.aborted) throw error
          continue
        }
        try {
          if (list !== undefined) await work.onList(list)
          return await work.make(entry.session)
        } catch (error) {
          end(entry)
          throw error
        } finally {
          release(entry)
        }
      }
    },
    forget: (connectionId) => {
      for (const entry of [...kept.values()]) if (entry.place.connectionId === connectionId) end(entry)
    },
    close: async () => {
      const all = [...kept.values()]
      kept.clear()
      await Promise.all(
        all.map((entry) => {
          clearTimeout(entry.timer)
          return entry.session.close()
        }),
      )
    },
  }
}

function keyOf({ connectionId, threadId }: SessionPlace): string {
  return `${connectionId} ${threadId}`
}
