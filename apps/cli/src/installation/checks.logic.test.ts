import { expect, test } from 'vitest'
import { parseHostChecks, parseMachineChecks, renderChecks } from './checks.logic.ts'
import { parseEnvironmentFile } from './environment-file.ts'

test('a line of the launcher that is not a check is left out, empty fields stay empty', () => {
  const text = 'kernel\tok\tKernel\t6.1\t\nnonsense\nmemory\tfailed\tMemory\t1 GB\tAdd memory.\nodd\tmaybe\tOdd\t\t\n'
  expect(parseMachineChecks(text)).toEqual([
    { id: 'kernel', state: 'ok', title: 'Kernel', detail: '6.1', cure: '' },
    { id: 'memory', state: 'failed', title: 'Memory', detail: '1 GB', cure: 'Add memory.' },
  ])
})

test('a response of the host that is not a report gives no checks, whatever it is', () => {
  for (const body of [
    undefined,
    null,
    'gone',
    7,
    {},
    { checks: 'x' },
    { checks: [{ id: 1 }, { id: 'a', title: 'b' }] },
  ]) {
    expect(parseHostChecks(body)).toEqual([])
  }
})

test('the fix is shown below a failed check and not below a passed one', () => {
  const text = renderChecks([
    { id: 'a', title: 'Kernel', state: 'ok', detail: '6.1', cure: 'never shown' },
    { id: 'b', title: 'Memory', state: 'failed', detail: '1 GB', cure: 'Add memory.' },
  ])
  expect(text).toBe('✓ Kernel: 6.1\n✗ Memory: 1 GB\n    → Add memory.\n\n2 checks: 1 failed, 0 warnings')
})

test('settings are read from plain lines, values may contain equal signs, comments and invalid lines are skipped', () => {
  expect(parseEnvironmentFile('# c\nTHREADBOX_A=1\nTHREADBOX_B=x=y z\n\nnot a line\nlower=1\nEMPTY=\n')).toEqual({
    THREADBOX_A: '1',
    THREADBOX_B: 'x=y z',
    EMPTY: '',
  })
})
