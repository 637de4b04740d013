/** Why a sandbox is awake. Each is an observed fact with the time it was last true (ms since epoch). */
export const awakeReasons = ['turn', 'cpu', 'request', 'terminal', 'hold'] as const
export type AwakeReason = (typeof awakeReasons)[number]
