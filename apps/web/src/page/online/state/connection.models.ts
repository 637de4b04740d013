import type { StreamStatus } from '@threadbox/sdk'

/** What is known about the way to the server. Times are ms since epoch. */
export type Connection = {
  isOpen: boolean
  /** When the stream was last open; null until it was open once. */
  lastContactAt: number | null
  /** Since when there is no stream; null while there is one. */
  lostAt: number | null
  /** When it is tried again by itself; null while it is being tried. */
  nextAttemptAt: number | null
}

export const unknownConnection: Connection = {
  isOpen: false,
  lastContactAt: null,
  lostAt: null,
  nextAttemptAt: null,
}

/** Folds what the stream reported into what is known. */
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

/** A stream that is renewed within this time is not worth a word: a reload of the server takes about as long. */
export const bannerDelayMs = 1500

export type Banner = {
  /** `offline`: the browser itself has no network. `no-answer`: it has, and the server does not answer. */
  cause: 'offline' | 'no-answer'
  lastContactAt: number | null
  secondsToNextAttempt: number | null
}

/** What the banner says now; null while there is nothing to say. */
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
