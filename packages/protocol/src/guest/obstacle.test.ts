import { expect, test } from 'vitest'
import { obstacleSchema } from './obstacle.ts'

test('an obstacle is a code, none, or the English of an older guest', () => {
  expect(['', 'terminal'].map((one) => obstacleSchema.parse(one))).toEqual(['', 'terminal'])
  const worded = ['It ran in a terminal, whose screen is gone.', 'It read from another program.', 'It is a teapot.']
  expect(worded.map((one) => obstacleSchema.parse(one))).toEqual(['terminal', 'piped-input', 'unknown'])
})
