import { expect, test } from 'vitest'
import { readSteps } from './steps.logic.ts'

test('steps are in the order of the setup, regardless of the order of their files', () => {
  const steps = readSteps([
    { id: 'start', text: 'waiting\tStart\t0\t-\t\n' },
    { id: 'packages', text: 'done\tDebian packages\t12340\t36000000\t\n' },
    { id: 'image', text: 'running\tBase image\t900\t-\tPython environment\n' },
  ])
  expect(steps.map((step) => step.id)).toEqual(['packages', 'image', 'start'])
  expect(steps[0]).toMatchObject({ state: 'done', seconds: 12.34, downloadedBytes: 36_000_000 })
  expect(steps[1]).toMatchObject({ now: 'Python environment', downloadedBytes: null })
})

test('a step file that is empty, half-written or in an unknown state is skipped', () => {
  expect(
    readSteps([
      { id: 'a', text: '' },
      { id: 'b', text: 'done' },
      { id: 'c', text: 'odd\tOdd\t1\t-\t\n' },
    ]),
  ).toEqual([])
})
