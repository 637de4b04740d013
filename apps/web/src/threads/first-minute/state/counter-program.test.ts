import { expect, test } from 'vitest'
import { counterProgram, lastCountIn } from './counter-program.ts'

test('the last whole line of the log says the count and who counted', () => {
  expect(lastCountIn('')).toBeUndefined()
  expect(lastCountIn('count 1 process 7\ncount 2 process 7\n')).toEqual({ count: 2, process: 7 })
  expect(lastCountIn('count 9 process 7\nTraceback\n')).toEqual({ count: 9, process: 7 })
  // The part of a log may begin and end in the middle of a line.
  expect(lastCountIn('nt 1 process 7\ncount 2 process 7\ncount 3 pro')).toEqual({ count: 2, process: 7 })
})

test('words of any language become part of the program as they are', () => {
  const program = counterProgram({ title: 'Zähler “größer”', since: '</script> $process' })
  expect(program).toContain('Zähler “größer”')
  expect(program.match(/<\/script>/g)).toHaveLength(1)
})
