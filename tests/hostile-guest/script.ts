/** What a hostile guest does on one connection, step by step. After the last step the connection stays open, silent. */
export type Step =
  /** Writes bytes (base64) as they are, HTTP heads included; `endless`: as long as the other side reads. */
  | { do: 'send'; bytes: string; times?: number | 'endless'; everyMs?: number }
  | { do: 'close' }
  /** The real guest responds. */
  | { do: 'obey' }

/** Applies to the requests whose line (`GET /files?path=…`) matches; the first matching rule decides. */
export type Rule = { requests: string; steps: Step[] }

/** What a guest does from the time that it gets this, at `controlPath`. */
export type Script = {
  rules: Rule[]
  /** Cuts all connections that are open, so that what follows the guest comes back. */
  cuts?: boolean
  /** Kept on the disk of the sandbox: applies again from the first request of the next boot. */
  isKept?: boolean
  /** Connections to the sandbox’s name server, to open and to keep open. */
  connect?: { port: number; count: number }
}

/** How often each rule was applied, and how many connections are open. */
export type ScriptUse = { applied: number[]; connections: number; failedConnections: number }

/** `POST` a {@link Script}, `GET` a {@link ScriptUse}. */
export const controlPath = '/hostile'
/** A service of the guest itself, whose requests the rules see too. */
export const hostilePort = 8080
