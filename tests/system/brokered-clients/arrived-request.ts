/** A request as it arrived at the hosts: `text` is its version, method, path and credential. */
export type ArrivedRequest = { at: number; host: string; text: string }
