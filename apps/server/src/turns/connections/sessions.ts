import { type McpSession, openSession, type ServerAddress, type SessionOptions } from './mcp-session.ts'
import type { RawTool } from './tool-list.models.ts'

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
  const end = (one: KeptSession) => {
    one.isDoomed = true
    clearTimeout(one.timer)
    const key = keyOf(one.place)
    if (kept.get(key) === one) kept.delete(key)
    if (one.users === 0) void one.session.close()
  }
  const release = (one: KeptSession) => {
    one.users -= 1
    if (one.users > 0) return
    if (one.isDoomed) return void one.session.close()
    one.timer = setTimeout(() => end(one), idleMs).unref()
  }
  /** Ends the connection's unused session whose tools were listed longest ago. */
  const endIdle = (connectionId: string) => {
    const idle = [...kept.values()].filter((one) => one.place.connectionId === connectionId && one.users === 0)
    const [oldest] = idle.toSorted((one, other) => one.listedAt - other.listedAt)
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
      return { one: present, isNew: false }
    }
    if (present !== undefined) end(present)
    const session = await open(work.address, work.signal)
    const one: KeptSession = { place, session, listedAt: 0, users: 1, isDoomed: false, timer: undefined }
    const concurrent = kept.get(keyOf(place))
    // If two calls opened a session at the same time, the second is kept private to its call.
    if (concurrent === undefined) kept.set(keyOf(place), one)
    else one.isDoomed = true
    return { one, isNew: true }
  }
  const relist = async (one: KeptSession, signal: AbortSignal): Promise<ServerList | undefined> => {
    const isFresh = options.now() - one.listedAt < listAgeMs && !one.session.hasNewTools()
    if (isFresh) return undefined
    const list = await one.session.list(signal)
    one.listedAt = options.now()
    return { ...list, server: one.session.server }
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
        const { one, isNew } = await take(place, work)
        let list: ServerList | undefined
        try {
          list = await relist(one, work.signal)
        } catch (error) {
          end(one)
          release(one)
          // The server may have ended a kept session. Nothing was called in it yet, so a new session is tried.
          if (isNew || attempt > 0 || work.signal.aborted) throw error
          continue
        }
        try {
          if (list !== undefined) await work.onList(list)
          return await work.make(one.session)
        } catch (error) {
          end(one)
          throw error
        } finally {
          release(one)
        }
      }
    },
    forget: (connectionId) => {
      for (const one of [...kept.values()]) if (one.place.connectionId === connectionId) end(one)
    },
    close: async () => {
      const all = [...kept.values()]
      kept.clear()
      await Promise.all(
        all.map((one) => {
          clearTimeout(one.timer)
          return one.session.close()
        }),
      )
    },
  }
}

function keyOf({ connectionId, threadId }: SessionPlace): string {
  return `${connectionId} ${threadId}`
}
