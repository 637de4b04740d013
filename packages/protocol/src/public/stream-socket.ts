/** Streams that one socket carries at the same time. A page follows two: its user and its thread. */
export const maxStreams = 16

/** Characters that the server sends before it waits for an `ack`, and after which a client sends one. */
export const streamWindow = { maxUnacknowledged: 256 * 1024, acknowledgeAfter: 64 * 1024 } as const

/** The longest interval between messages; a client that receives nothing for two and a half of these reconnects. */
export const streamAliveEveryMs = 15_000

/** Why the server closed a socket of streams; other codes have their standard WebSocket meaning. */
export const streamCloseCodes = {
  /** The session or the API key has ended. */
  signedOut: 4001,
  /** The client acknowledged nothing for a minute: open the streams again after the last `seq`. */
  stalled: 4008,
} as const
