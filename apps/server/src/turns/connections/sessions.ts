import { type McpSession, openSession, type ServerAddress, type SessionOptions } from './mcp-session.ts'
import type { RawTool } from './tool-list.models.ts'

/** What a session is for. One is not shared between threads: servers keep state in it. */
export type SessionPlace = { connectionId: string; revision: number; threadId: string }

export type ServerList = { tools: RawTool[]; isCut: boolean; server: McpSession['server'] }

/** Open sessions with servers, kept for a while after their last use. */
export type Sessions = {
  /** Lists the tools of a server in a session of its own. */
  list(address: ServerAddress, signal: AbortSignal): Promise<ServerList>
  /**
   * Makes one call in the session of its place. `onList` is told what the server lists before the call, unless that was
   * looked at a moment ago, and keeps the call from being made by throwing. A call is made once or not at all.
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
  /** Ends what was opened for a connection. */
  forget(connectionId: string): void
  close(): Promise<void>
}

type Kept = {
  place: SessionPlace
  session: McpSession
  listedAt: number
  users: number
  isDoomed: boolean
  timer: NodeJS.Timeout | undefined
}

/** As long as a person may think before they ask for the next thing. */
const idleMs = 5 * 60_000
/** A list that was seen this long ago is looked at again before a call: what was approved may have been changed. */
const listAgeMs = 20_000

export function makeSessions(options: SessionOptions & { now: () => number }): Sessions {
  const kept = new Map<string, Kept>()
  const end = (one: Kept) => {
    one.isDoomed = true
    clearTimeout(one.timer)
    const key = keyOf(one.place)
    if (kept.get(key) === one) kept.delete(key)
    if (one.users === 0) void one.session.close()
  }
  const release = (one: Kept) => {
    one.users -= 1
    if (one.users > 0) return
    if (one.isDoomed) return void one.session.close()
    one.timer = setTimeout(() => end(one), idleMs).unref()
  }
  /** Ends the session of a connection that was left alone for longest. */
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
    const isUsable = present?.place.revision === place.revision && !present.session.isOver()
    if (present !== undefined && isUsable) {
      present.users += 1
      clearTimeout(present.timer)
      return { one: present, isNew: false }
    }
    if (present !== undefined) end(present)
    const session = await open(work.address, work.signal)
    const one: Kept = { place, session, listedAt: 0, users: 1, isDoomed: false, timer: undefined }
    const meanwhile = kept.get(keyOf(place))
    // Of two calls that opened one at once, one keeps its own for itself.
    if (meanwhile === undefined) kept.set(keyOf(place), one)
    else one.isDoomed = true
    return { one, isNew: true }
  }
  const look = async (one: Kept, signal: AbortSignal): Promise<ServerList | undefined> => {
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
          list = await look(one, work.signal)
        } catch (error) {
          end(one)
          release(one)
          // A session that was kept may be over for the server: nothing was called in it yet.
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
