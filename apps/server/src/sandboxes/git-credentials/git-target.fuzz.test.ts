import { isThreadboxError } from '@threadbox/errors'
import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, constantFrom, dictionary, ipV4, oneof, property } from 'fast-check'
import { expect, test } from 'vitest'
import { allowedAddressesOf } from '../../platform/outbound/addresses.logic.ts'
import { gitAddressOf } from './git-address.logic.ts'
import {
  answerHeaders,
  isSite,
  redirectedTo,
  requestHeaders,
  serverPathOf,
  siteOf,
  targetOf,
} from './git-target.logic.ts'

const parts = array(
  oneof(
    foreignText(10),
    constantFrom('/', '..', 'owner', 'name.git', '/info/refs?service=git-upload-pack', '/git-receive-pack', '%2e'),
  ),
  { maxLength: 8 },
)
const targets = parts.map((given) => `/github.com/${given.join('')}`)

test('a request that is passed on asks for a repository by a plain path, and is sent as it was checked', () =>
  checkProperty(
    'git-targets',
    property(constantFrom('GET', 'POST'), oneof(targets, foreignText(60)), (method, target) => {
      const found = targetOf(method, target)
      if (found === undefined) return
      expect(`/${found.site}${serverPathOf(found)}`).toBe(target)
      expect(new URL(serverPathOf(found), 'https://github.com').pathname).toBe(serverPathOf(found).split('?')[0])
    }),
    { runs: 500 },
  ))

test('a redirect leads to another repository of the same server or nowhere', () =>
  checkProperty(
    'git-redirects',
    property(
      oneof(
        foreignText(60),
        targets,
        targets.map((path) => `https://github.com${path}`),
        constantFrom('//evil.example/a/info/refs?service=git-upload-pack'),
      ),
      (location) => {
        const target = targetOf('GET', '/github.com/a/b/info/refs?service=git-upload-pack')
        if (target === undefined) throw new Error('the target is valid')
        const found = redirectedTo(target, { location, address: 'https://github.com' })
        if (found !== undefined) expect(targetOf('GET', found)?.site).toBe('github.com')
      },
    ),
  ))

test('any address is the origin of a server that a path can name, or an error with a code', () =>
  checkProperty(
    'git-addresses',
    property(
      oneof(
        foreignText(),
        ipV4(),
        constantFrom('github.com', 'http://0x7f.1', 'https://[::ffff:127.0.0.1]', '2130706433'),
      ),
      (text) => {
        try {
          const origin = gitAddressOf(text, allowedAddressesOf(''))
          expect(isSite(siteOf(origin))).toBe(true)
          expect(new URL(origin).hostname).not.toMatch(/^(127\.|10\.|192\.168\.|\[::(1|ffff:7f))/)
        } catch (error) {
          if (!isThreadboxError(error)) throw error
        }
      },
    ),
    { runs: 500 },
  ))

test('headers that pass between git and its server are few, short and printable', () =>
  checkProperty(
    'git-headers',
    property(
      dictionary(
        oneof(
          constantFrom('accept', 'content-length', 'user-agent', 'authorization', 'set-cookie', '__proto__'),
          foreignText(8),
        ),
        foreignText(600),
      ),
      (headers) => {
        for (const passed of [requestHeaders(headers), answerHeaders(headers)]) {
          expect(Object.keys(passed)).not.toContain('authorization')
          expect(Object.keys(passed)).not.toContain('set-cookie')
          for (const value of Object.values(passed)) expect(value).toMatch(/^[\x20-\x7e]{0,500}$/)
        }
      },
    ),
  ))
