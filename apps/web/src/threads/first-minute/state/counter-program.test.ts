import { expect, test } from 'vitest'
import { counterProgram, lastCountIn } from './counter-program.ts'

test('the last complete line of the log gives the count and the process', () => {
  expect(lastCountIn('')).toBeUndefined()
  expect(lastCountIn('count 1 process 7\ncount 2 process 7\n')).toEqual({ count: 2, process: 7 })
  expect(lastCountIn('count 9 process 7\nTraceback\n')).toEqual({ count: 9, process: 7 })
  // The log excerpt may begin and end in the middle of a line.
  expect(lastCountIn('nt 1 process 7\ncount 2 process 7\ncount 3 pro')).toEqual({ count: 2, process: 7 })
})

test('texts in any language become part of the program unchanged', () => {
  const program = counterProgram({ title: 'Zähler “größer”', since: '</script> $process' })
  expect(program).toContain('Zähler “größer”')
  expect(program.match(/<\/script>/g)).toHaveLength(1)
})
