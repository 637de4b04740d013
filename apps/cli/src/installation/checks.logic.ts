export const checkStates = ['ok', 'warning', 'failed', 'skipped'] as const
export type CheckState = (typeof checkStates)[number]

/** The result of one check. `cure` (the suggested fix) is empty if there is nothing to do. */
export type Check = {
  id: string
  title: string
  state: CheckState
  detail: string
  cure: string
  /** What was found, and the numbers in it: from the host daemon. */
  code?: string
  numbers?: Record<string, number>
}

/** Parses checks of the launcher: one per line, with `id`, `state`, `title`, `detail` and `cure` separated by tabs. */
export function parseMachineChecks(text: string): Check[] {
  return text.split('\n').flatMap((line) => {
    const [id, state, title, detail, fix] = line.split('\t')
    if (!id || !title || !isState(state)) return []
    return [{ id, title, state, detail: detail ?? '', cure: fix ?? '' }]
  })
}

/** Parses checks in a response of the host daemon, and skips entries that don’t have their shape. */
export function parseHostChecks(body: unknown): Check[] {
  const checks = (body as { checks?: unknown } | null)?.checks
  if (!Array.isArray(checks)) return []
  return checks.flatMap((check: Record<string, unknown>) => {
    const { id, title, state, detail, cure, code, values } = check
    if (typeof id !== 'string' || typeof title !== 'string' || !isState(state)) return []
    const finding = typeof code === 'string' ? { code, numbers: numbersOf(values) } : {}
    return [{ id, title, state, detail: textOf(detail), cure: textOf(cure), ...finding }]
  })
}

const marks: Record<CheckState, string> = { ok: '✓', warning: '!', failed: '✗', skipped: '–' }

/** Renders checks as lines of text: mark, title and result, with the fix below a problem. */
export function renderChecks(checks: readonly Check[]): string {
  const lines = checks.flatMap((check) => [
    `${marks[check.state]} ${check.title}${check.detail ? `: ${check.detail}` : ''}`,
    ...(check.cure && check.state !== 'ok' ? [`    → ${check.cure}`] : []),
  ])
  const failed = checks.filter((check) => check.state === 'failed').length
  const warnings = checks.filter((check) => check.state === 'warning').length
  const summary = `${checks.length} checks: ${failed} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`
  return [...lines, '', summary].join('\n')
}

function isState(value: unknown): value is CheckState {
  return checkStates.some((state) => state === value)
}

function numbersOf(values: unknown): Record<string, number> {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>)
  return Object.fromEntries(entries.filter(isNumberOfCheck))
}

function isNumberOfCheck(entry: [string, unknown]): entry is [string, number] {
  return /^[a-zA-Z0-9]{1,30}$/.test(entry[0]) && typeof entry[1] === 'number'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
