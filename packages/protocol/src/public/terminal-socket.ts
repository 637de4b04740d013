/** Character limit of one `input`; longer text is sent in several. */
export const maxTerminalInput = 32 * 1024

/** Why the server closed a terminal’s socket; other codes have their standard WebSocket meaning. */
export const terminalCloseCodes = {
  /** Ended or lost: no more output will come. */
  over: 4000,
  /** The session has ended, or the user lost access to the thread. */
  loggedOut: 4001,
  /** The terminal was closed. */
  gone: 4004,
  /** It acknowledged nothing for a long time: attach again at the offset that was reached. */
  stalled: 4008,
} as const
