import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, boolean, constantFrom, dictionary, oneof, property, record, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { endToEnd, isOwnCookie, pairsOf } from './header-pairs.logic.ts'
import { makePreviewNames } from './preview-names.logic.ts'
import { headersForService } from './request-headers.logic.ts'
import { headersForBrowser } from './response-headers.logic.ts'
import { isForeign, judgeVisit } from './visits.logic.ts'

const names = makePreviewNames({
  installation: '',
  baseDomain: 'box.example',
  publicUrl: '',
  allowedHosts: '',
  listenHost: '127.0.0.1',
})
const host = '8000-abcdefgh27.box.example:7717'
const headerNames = [
  ...['cookie', 'Cookie', 'set-cookie', 'connection', 'Connection', 'upgrade', 'host', 'origin', 'x-forwarded-for'],
  ...['threadbox-session', 'Forwarded', 'x-frame-options', 'location', 'content-security-policy', 'x-custom'],
]
const values = oneof(
  foreignText(),
  constantFrom('__Host-threadbox-session=1; a=b', ' Threadbox-x=2;Domain=box.example; Path=/', 'cookie, x-custom'),
  constantFrom('http://localhost:8000/a', "frame-ancestors *; default-src 'self', frame-ancestors 'none'"),
)
const headers = array(tuple(oneof(constantFrom(...headerNames), foreignText(12)), values), { maxLength: 12 })

test('a service never gets a cookie of the app, a header of one connection, or a forged address', () =>
  checkProperty(
    'preview-request-headers',
    property(headers, boolean(), (pairs, isUpgrade) => {
      const given = { host, port: 8000, clientAddress: '192.0.2.7', isUpgrade, names }
      const found = pairsOf(headersForService({ ...given, rawHeaders: pairs.flat() }))
      const all = (name: string) => found.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value)
      for (const cookie of all('cookie').join(';').split(';'))
        expect(isOwnCookie(cookie.split('=')[0] ?? '')).toBe(false)
      expect(all('x-forwarded-for')).toEqual(['192.0.2.7'])
      expect(all('host')).toHaveLength(1)
      expect(all('connection')).toEqual([])
      expect(found.filter(([name]) => /^threadbox-/i.test(name))).toEqual([])
    }),
  ))

test('a service can’t set a cookie beyond its own host, one of the app, or the frames that show it', () =>
  checkProperty(
    'preview-response-headers',
    property(headers, boolean(), (pairs, isFramed) => {
      const given = { origin: `http://${host}`, port: 8000, appOrigin: 'http://app.box.example:7717', isFramed }
      const found = pairsOf(headersForBrowser({ ...given, rawHeaders: pairs.flat() }))
      for (const [name, value] of found) {
        if (name.toLowerCase() !== 'set-cookie') continue
        const [cookie = '', ...attributes] = value.split(';')
        expect(isOwnCookie(cookie.split('=')[0] ?? '')).toBe(false)
        expect(attributes.filter((attribute) => /^\s*domain\s*=/i.test(attribute))).toEqual([])
      }
      const policies = found.filter(([name]) => name.toLowerCase() === 'content-security-policy')
      expect(policies.at(-1)?.[1]).toContain('frame-ancestors')
      expect(policies.slice(0, -1).filter(([, value]) => /(^|[;,])\s*frame-ancestors(\s|$)/i.test(value))).toEqual([])
    }),
  ))

test('headers are the same after they were passed on once more', () =>
  checkProperty(
    'preview-end-to-end-headers',
    property(headers, (pairs) => {
      const once = endToEnd(pairsOf(pairs.flat()))
      expect(endToEnd(once)).toEqual(once)
    }),
  ))

test('any request is judged, and only a page that a person opened can wake a sandbox', () =>
  checkProperty(
    'preview-visits',
    property(
      constantFrom('GET', 'POST', 'HEAD', 'get'),
      record({
        names: dictionary(
          constantFrom(
            'accept',
            'origin',
            'referer',
            'sec-fetch-mode',
            'sec-fetch-dest',
            'sec-fetch-site',
            'sec-fetch-user',
            'purpose',
          ),
          oneof(
            foreignText(30),
            constantFrom('navigate', 'document', 'text/html', 'same-origin', 'cross-site', 'null', `http://${host}`),
          ),
        ),
      }),
      (method, given) => {
        const visit = judgeVisit(method, given.names)
        if (visit.mayWake)
          expect({ ...visit, method }).toEqual({ isPage: true, isDeliberate: true, mayWake: true, method: 'GET' })
        const address = names.addressOf(host)
        if (address !== undefined) isForeign({ method, headers: given.names, address, host, names })
      },
    ),
  ))

test('any hostname is the address of a preview or not, and an address leads back to its hostname', () =>
  checkProperty(
    'preview-hostnames',
    property(oneof(foreignText(80), constantFrom(host, host.toUpperCase())), (text) => {
      const found = names.addressOf(text)
      if (found !== undefined) expect(names.addressOf(new URL(names.originOf(found, host)).host)).toEqual(found)
      names.portOfSibling(text, { label: 'abcdefgh27', host })
      names.isAppOrigin(text, host)
    }),
  ))
