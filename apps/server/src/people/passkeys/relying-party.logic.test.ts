import { expect, test } from 'vitest'
import { relyingPartyOf } from './relying-party.logic.ts'

const local = { installation: 'test00', baseDomain: '', publicUrl: '' }
const domain = { installation: 'test00', baseDomain: 'example.org', publicUrl: 'https://app.example.org' }

test.each([
  ['localhost:7717', local, { id: 'localhost', origin: 'http://localhost:7717' }],
  ['app.test00.localhost:7717', local, { id: 'app.test00.localhost', origin: 'http://app.test00.localhost:7717' }],
  ['app.example.org', domain, { id: 'app.example.org', origin: 'https://app.example.org' }],
  ['APP.example.org', domain, { id: 'app.example.org', origin: 'https://app.example.org' }],
  ['localhost:7717', domain, { id: 'localhost', origin: 'http://localhost:7717' }],
  ['box.home', domain, { id: 'box.home', origin: 'http://box.home' }],
])('C12: passkeys at %s belong to exactly that host', (host, site, party) => {
  expect(relyingPartyOf(host, site)).toEqual(party)
})

test.each([
  ['127.0.0.1:7717', local],
  ['[::1]:7717', local],
  ['192.168.1.5', domain],
  ['example.org', domain],
  ['test00.localhost', local],
  ['org', domain],
])('C12: there are no passkeys at %s, an IP address or a name above those of previews', (host, site) => {
  expect(() => relyingPartyOf(host, site)).toThrow(expect.objectContaining({ code: 'passkey.host-unsuitable' }))
})
