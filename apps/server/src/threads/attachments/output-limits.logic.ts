import { leastKept, type OutputLimits } from './output-writer.ts'

/**
 * What is kept of a call's output if the other calls of its thread have kept `threadBytes`. With less room than a call
 * can keep, its head and tail shrink alike, down to what every call keeps.
 */
export function outputLimitsOf(
  most: { headBytes: number; tailBytes: number; threadBytes: number },
  threadBytes: number,
): OutputLimits {
  const { headBytes, tailBytes } = most
  const share = Math.max(0, most.threadBytes - threadBytes) / (headBytes + tailBytes)
  if (share >= 1) return { headBytes, tailBytes, from: 'call' }
  return {
    headBytes: Math.max(leastKept.headBytes, Math.floor(headBytes * share)),
    tailBytes: Math.max(leastKept.tailBytes, Math.floor(tailBytes * share)),
    from: 'thread',
  }
}
