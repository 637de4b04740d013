import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { codeForVariables } from './kernel-variables.logic.ts'

type Variables = Record<string, string>

/** Runs the change in a Python with the variables `own`; returns the `T_…` that it then has, and the names that it leaves. */
function change({ own, before, now }: { own: Variables; before: Variables; now: Variables }): unknown {
  const code = `known = [*globals()]
${codeForVariables(before, now)}
left = [name for name in globals() if name not in [*known, 'known']]
import json, os
print(json.dumps([{name: value for name, value in os.environ.items() if name.startswith('T_')}, left]))`
  const words = Object.entries(own).map(([name, value]) => `${name}=${value}`)
  return JSON.parse(execFileSync('env', [...words, 'python3', '-c', code], { encoding: 'utf8' }))
}

test('a kernel that has the variables is left alone', () => {
  expect(codeForVariables({}, {})).toBeUndefined()
  expect(codeForVariables({ T_A: 'x' }, { T_A: 'x' })).toBeUndefined()
})

test('a running kernel gets variables and loses those that are taken away, except what its own code has set', () => {
  const value = 'quotes \'" and \\, a line\nand ü😀'
  expect(change({ own: { T_OWN: 'mine' }, before: {}, now: { T_A: value } })).toEqual([
    { T_OWN: 'mine', T_A: value },
    [],
  ])
  const own = { T_A: '1', T_B: '2', T_C: '3' }
  expect(change({ own, before: { T_A: '1', T_B: 'other' }, now: { T_C: 'new' } })).toEqual([
    { T_B: '2', T_C: 'new' },
    [],
  ])
})
