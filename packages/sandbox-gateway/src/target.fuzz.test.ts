import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, constantFrom, oneof, property, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { headersForClient, headersForSandbox, isHostOnly, targetOf } from './target.logic.ts'

const paths = array(
  oneof(foreignText(12), constantFrom('/', '..', '.', '%2e', '%2f', '//', 'init', 'INIT', '?', 'tunnel/1')),
  { maxLength: 6 },
).map((parts) => parts.join(''))
const headers = array(
  tuple(
    oneof(
      constantFrom('Connection', 'x-access-token', 'X-Threadbox-Boot', 'transfer-encoding', 'upgrade', 'x-a'),
      foreignText(12),
    ),
    oneof(foreignText(), constantFrom('x-a, x-access-token', 'chunked')),
  ),
  { maxLength: 10 },
)

test('a path that any server could read as one of the host’s own is one, however it is written', () =>
  checkProperty(
    'gateway-host-only-paths',
    property(paths, (path) => {
      const target = targetOf(`/v1/sandboxes/abc/guest/${path}`)
      // No request has white space or control characters in its path.
      if (target === undefined || !/^[^\0-\x20\x7f]*$/.test(path)) return
      expect(target).toMatchObject({ sandboxId: 'abc', kind: 'guest' })
      const url = URL.parse(`http://guest${target.path}`)
      if (/^\/(init|disk|prewarm|template)$/.test(url?.pathname ?? '')) expect(isHostOnly(target)).toBe(true)
    }),
    { runs: 500 },
  ))

test('any URL is a target with a valid port, or none', () =>
  checkProperty(
    'gateway-targets',
    property(
      oneof(
        foreignText(80),
        paths.map((path) => `/v1/sandboxes/abc/port/${path}`),
      ),
      (url) => {
        const target = targetOf(url)
        if (target === undefined) return
        expect(target.port).toBeGreaterThan(0)
        expect(target.port).toBeLessThan(65_536)
      },
    ),
  ))

test('a sandbox gets one access token, its own, and no header of the client’s connection', () =>
  checkProperty(
    'gateway-headers',
    property(headers, (pairs) => {
      const target = { sandboxId: 'abc', kind: 'guest', port: 49_983, path: '/' } as const
      const found = headersForSandbox({ rawHeaders: pairs.flat(), target, accessToken: 'own', isUpgrade: false })
      const named = (name: string) =>
        found.filter((_, index) => index % 2 === 1 && found[index - 1]?.toLowerCase() === name)
      expect(named('x-access-token')).toEqual(['own'])
      expect(named('connection')).toEqual([])
      expect(headersForClient(pairs.flat()).length % 2).toBe(0)
    }),
  ))
