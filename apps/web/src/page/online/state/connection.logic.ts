import type { StreamStatus } from '@threadbox/sdk'

/** The state of the connection to the server. Times are ms since epoch. */
export type Connection = {
  isOpen: boolean
  /** When the stream was last open; null if it never was. */
  lastContactAt: number | null
  /** Since when there is no stream; null while there is one. */
  lostAt: number | null
  /** The time of the next automatic attempt; null while one is in progress. */
  nextAttemptAt: number | null
}

export const unknownConnection: Connection = {
  isOpen: false,
  lastContactAt: null,
  lostAt: null,
  nextAttemptAt: null,
}

/** Returns the connection after a status reported by the stream. */
export function withStatus(connection: Connection, status: StreamStatus, now: number): Connection {
  switch (status.state) {
    case 'open':
      return { isOpen: true, lastContactAt: now, lostAt: null, nextAttemptAt: null }
    case 'connecting':
      return { ...lost(connection, now), nextAttemptAt: null }
    case 'waiting':
      return { ...lost(connection, now), nextAttemptAt: now + status.delayMs }
  }
}

function lost(connection: Connection, now: number): Connection {
  return {
    ...connection,
    isOpen: false,
    lastContactAt: connection.isOpen ? now : connection.lastContactAt,
    lostAt: connection.lostAt ?? now,
  }
}

/** A stream that reconnects within this time shows no banner: a server restart takes about as long. */
export const bannerDelayMs = 1500

export type Banner = {
  /** `offline`: the browser has no network. `no-answer`: it has one, and the server doesn’t respond. */
  cause: 'offline' | 'no-answer'
  lastContactAt: number | null
  secondsToNextAttempt: number | null
}

/** What the banner shows now; null if it isn’t shown. */
export function bannerOf(connection: Connection, options: { now: number; isBrowserOnline: boolean }): Banner | null {
  const { now, isBrowserOnline } = options
  if (connection.isOpen || connection.lostAt === null) return null
  if (isBrowserOnline && now - connection.lostAt < bannerDelayMs) return null
  const wait = connection.nextAttemptAt === null ? null : Math.ceil((connection.nextAttemptAt - now) / 1000)
  return {
    cause: isBrowserOnline ? 'no-answer' : 'offline',
    lastContactAt: connection.lastContactAt,
    secondsToNextAttempt: wait === null || wait <= 0 ? null : wait,
  }
}
