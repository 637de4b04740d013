import type { Terminal } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { afterClosing, chosenTerminal, readTerminalView } from './terminal-view.models.ts'

const terminal = (id: string, status: Terminal['status'] = 'running'): Terminal => ({
  id,
  title: id,
  status,
  exitCode: null,
  createdAt: 1,
})

test('O6: the tab that was in front is there again, else one that lives', () => {
  const terminals = [terminal('a', 'lost'), terminal('b', 'suspended'), terminal('c')]
  expect(chosenTerminal(terminals, 'c')?.id).toBe('c')
  expect(chosenTerminal(terminals, 'a')?.id).toBe('a')
  expect(chosenTerminal(terminals, 'gone')?.id).toBe('b')
  expect(chosenTerminal([terminal('a', 'ended')], null)?.id).toBe('a')
  expect(chosenTerminal([], 'a')).toBeNull()
})

test('a closed tab makes room for its neighbour', () => {
  const terminals = [terminal('a'), terminal('b'), terminal('c')]
  expect(afterClosing(terminals, 'b')).toBe('c')
  expect(afterClosing(terminals, 'c')).toBe('b')
  expect(afterClosing([terminal('a')], 'a')).toBeNull()
})

test('what cannot be read is nothing remembered', () => {
  expect(readTerminalView({ chosen: 'a' })).toEqual({ chosen: 'a' })
  for (const value of [null, 1, 'a', { chosen: 1 }, []]) expect(readTerminalView(value)).toEqual({ chosen: null })
})
