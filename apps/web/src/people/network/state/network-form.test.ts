import { expect, test } from 'vitest'
import { canBeAllowed, isEmptyList, networkFormOf, networkPolicyOf, outerLevelsOf } from './network-form.ts'

test('a form that is not changed is the policy that it was made from', () => {
  const list = { kind: 'allowlist', names: ['a.org', '*.b.org'], presets: ['github'] } as const
  for (const policy of [null, { kind: 'open' } as const, { kind: 'none' } as const, list]) {
    expect(networkPolicyOf(networkFormOf(policy))).toEqual(policy)
  }
})

test('names are separated by lines, spaces and commas', () => {
  const form = { kind: 'allowlist', names: ' a.org, b.org\n\n*.c.org ', presets: [] } as const
  expect(networkPolicyOf(form)).toEqual({ kind: 'allowlist', names: ['a.org', 'b.org', '*.c.org'], presets: [] })
})

test('a list needs a name or a preset', () => {
  expect(isEmptyList({ kind: 'allowlist', names: ' \n', presets: [] })).toBe(true)
  expect(isEmptyList({ kind: 'allowlist', names: '', presets: ['github'] })).toBe(false)
  expect(isEmptyList({ kind: 'none', names: '', presets: [] })).toBe(false)
})

test('names can be allowed, addresses and damaged names cannot', () => {
  expect(['a.org', 'x-1.a.org', 'a.org:8443', '10.0.0.1', '10.0.0.1:443', 'a', 'a?b.org'].map(canBeAllowed)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})

test('outer levels are those with a policy before the last', () => {
  const levels = [
    { level: 'installation', policy: { kind: 'open' } },
    { level: 'workspace', policy: null },
    { level: 'thread', policy: { kind: 'none' } },
  ] as const
  expect(
    outerLevelsOf({ levels: [...levels], effective: { kind: 'none' }, sources: ['thread'], privateNames: [] }),
  ).toEqual(['installation'])
})
