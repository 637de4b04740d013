/** Characters of one `input`; a longer text is sent in several. */
export const maxTerminalInput = 32 * 1024

/** Why the server closed a socket of a terminal; other numbers mean what they mean for every WebSocket. */
export const terminalCloseCodes = {
  /** Nothing more will come: ended or lost. */
  over: 4000,
  /** The login has ended, or the thread is no longer this person's. */
  loggedOut: 4001,
  /** Closed by somebody. */
  gone: 4004,
  /** It drew nothing for a long time: attach again at the offset that was reached. */
  stalled: 4008,
} as const
