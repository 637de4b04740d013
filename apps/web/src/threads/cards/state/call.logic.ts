import type { ToolCallEntry } from '@threadbox/sdk'

/** The input of a call, parsed from what the model wrote, which can be anything. */
export type CallInput = {
  command: string
  code: string
  path: string
  pattern: string
  /** For calls about a service. */
  name: string
  service: string
  url: string
  description: string
}

export function inputOf(entry: ToolCallEntry): CallInput {
  const input = typeof entry.input === 'object' && entry.input !== null ? (entry.input as Record<string, unknown>) : {}
  const text = (...names: string[]) => {
    for (const name of names) if (typeof input[name] === 'string') return input[name]
    return ''
  }
  return {
    command: text('command'),
    code: text('code'),
    path: text('path'),
    pattern: text('pattern', 'query'),
    name: text('name'),
    service: text('service'),
    url: text('url'),
    description: text('description', 'title', 'caption'),
  }
}

/** How long a call ran, or has been running; null if it hasn’t started. */
export function elapsedMsOf(entry: ToolCallEntry, now: number): number | null {
  if (entry.startedAt === null) return null
  return Math.max(0, (entry.endedAt ?? now) - entry.startedAt)
}

export type CallOutcome = 'waiting' | 'awaiting-approval' | 'running' | 'ok' | 'failed' | 'stopped' | 'interrupted'

/**
 * How a call ended, for its mark. A command with a nonzero exit code has failed, although the call itself succeeded.
 */
export function outcomeOf(entry: ToolCallEntry): CallOutcome {
  switch (entry.status) {
    case 'waiting':
    case 'awaiting-approval':
    case 'running':
    case 'stopped':
    case 'interrupted':
      return entry.status
    case 'failed':
      return 'failed'
    case 'succeeded':
      if (entry.result?.kind === 'command' && entry.result.exitCode !== 0 && entry.result.exitCode !== null)
        return 'failed'
      if (entry.result?.kind === 'python' && entry.result.traceback !== null) return 'failed'
      return 'ok'
  }
}

/** True if a card is open before the reader has opened or closed it. */
export function isOpenByDefault(entry: ToolCallEntry): boolean {
  const outcome = outcomeOf(entry)
  if (entry.tool === 'run_python') {
    const displays = entry.result?.kind === 'python' ? entry.result.displays.length : 0
    return displays > 0 || outcome === 'failed'
  }
  if (entry.result?.kind === 'image') return true
  if (entry.result?.kind === 'connection' && entry.result.images.length > 0) return true
  return outcome === 'failed' || outcome === 'interrupted'
}

/** A traceback with its innermost frame first: the line that failed, then its caller, then the rest. */
export function tracebackInnermostFirst(traceback: string): { error: string; frames: string[] } {
  const lines = traceback.trimEnd().split('\n')
  const errorAt = lines.findLastIndex((line) =>
    /^[\w.]+(?:Error|Exception|Warning|Interrupt|Exit|Iteration)\b|^[A-Z]\w*: /.test(line),
  )
  const error = errorAt < 0 ? (lines.at(-1) ?? '') : lines.slice(errorAt).join('\n')
  const body = lines.slice(0, errorAt < 0 ? -1 : errorAt)
  const frames: string[] = []
  for (const line of body) {
    if (/^Traceback \(most recent/.test(line) || /^-{20,}$/.test(line)) continue
    const isFrame = /^ {2}File "|^(?:File|Cell) .*|^\S.*:\d+(?:, in |$)/.test(line)
    if (isFrame || frames.length === 0) frames.push(line)
    else frames[frames.length - 1] += `\n${line}`
  }
  return {
    error,
    frames: frames
      .map((frame) => frame.trimEnd())
      .filter((frame) => frame.trim() !== '')
      .reverse(),
  }
}
