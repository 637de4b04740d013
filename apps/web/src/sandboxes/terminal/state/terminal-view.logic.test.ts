import type { Terminal } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { afterClosing, chosenTerminal, readTerminalView } from './terminal-view.logic.ts'

const terminal = (id: string, status: Terminal['status'] = 'running'): Terminal => ({
  id,
  title: id,
  status,
  exitCode: null,
  createdAt: 1,
})

test('O6: the tab that was in front is in front again, else one that is running', () => {
  const terminals = [terminal('a', 'lost'), terminal('b', 'suspended'), terminal('c')]
  expect(chosenTerminal(terminals, 'c')?.id).toBe('c')
  expect(chosenTerminal(terminals, 'a')?.id).toBe('a')
  expect(chosenTerminal(terminals, 'gone')?.id).toBe('b')
  expect(chosenTerminal([terminal('a', 'ended')], null)?.id).toBe('a')
  expect(chosenTerminal([], 'a')).toBeNull()
})

test('the next tab replaces a closed one, or the previous if it was the last', () => {
  const terminals = [terminal('a'), terminal('b'), terminal('c')]
  expect(afterClosing(terminals, 'b')).toBe('c')
  expect(afterClosing(terminals, 'c')).toBe('b')
  expect(afterClosing([terminal('a')], 'a')).toBeNull()
})

test('stored text that cannot be read counts as nothing remembered', () => {
  expect(readTerminalView({ chosen: 'a' })).toEqual({ chosen: 'a' })
  for (const value of [null, 1, 'a', { chosen: 1 }, []]) expect(readTerminalView(value)).toEqual({ chosen: null })
})
