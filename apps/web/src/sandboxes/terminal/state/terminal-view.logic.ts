import type { Terminal } from '@threadbox/sdk'

/** The terminal that was in front, stored on this device. */
export type TerminalView = { chosen: string | null }

export function readTerminalView(value: unknown): TerminalView {
  const chosen = typeof value === 'object' && value !== null ? (value as Record<string, unknown>).chosen : null
  return { chosen: typeof chosen === 'string' ? chosen : null }
}

/** The tab in front: the one that was, else the first with a running shell, else the first. */
export function chosenTerminal(terminals: readonly Terminal[], chosen: string | null): Terminal | null {
  const isLive = ({ status }: Terminal) => status === 'running' || status === 'suspended'
  return terminals.find(({ id }) => id === chosen) ?? terminals.find(isLive) ?? terminals[0] ?? null
}

/** The terminal that comes to the front when one is closed: the next, else the previous one. */
export function afterClosing(terminals: readonly Terminal[], closed: string): string | null {
  const at = terminals.findIndex(({ id }) => id === closed)
  return (terminals[at + 1] ?? terminals[at - 1])?.id ?? null
}
