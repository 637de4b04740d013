import { describe, expect, it } from 'vitest'
import { allowedAddressesOf } from '../../platform/outbound/addresses.logic.ts'
import { gitAddressOf } from './git-address.logic.ts'
import {
  answerHeaders,
  chooseCredential,
  covers,
  redirectedTo,
  requestHeaders,
  serverPathOf,
  siteOf,
  targetOf,
} from './git-target.logic.ts'

const refs = 'info/refs?service=git-upload-pack'

describe('what git asks for', () => {
  it.each([
    ['GET', '/github.com/owner/name/HEAD'],
    ['GET', '/github.com/owner/name/objects/info/packs'],
    ['GET', '/github.com/owner/name.git/info/lfs/objects/batch'],
    ['GET', '/github.com/owner/name/info/refs'],
    ['GET', '/github.com/owner/name/info/refs?service=git-upload-pack&x=1'],
    ['GET', '/github.com/owner/name/info/refs?x=1&service=git-upload-pack'],
    ['GET', '/github.com/owner/name/info/refs?service=git-upload-archive'],
    ['POST', `/github.com/owner/name/${refs}`],
    ['GET', '/github.com/owner/name/git-upload-pack'],
    ['PUT', '/github.com/owner/name/git-receive-pack'],
    ['POST', '/github.com/owner/name/git-upload-pack?x=1'],
    ['GET', `/github.com/owner/../name/${refs}`],
    ['GET', `/github.com/owner/./name/${refs}`],
    ['GET', `/github.com/..${'/..'}/${refs}`],
    ['GET', `/github.com/owner//name/${refs}`],
    ['GET', `/github.com/owner/%2e%2e/name/${refs}`],
    ['GET', `/github.com/owner/na%20me/${refs}`],
    ['GET', `/github.com/owner/name;x/${refs}`],
    ['GET', `/github.com/owner\\name/${refs}`],
    ['GET', `/github.com/own?er/name/${refs}`],
    ['GET', `/github.com/own#er/name/${refs}`],
    ['GET', `/user@github.com/owner/name/${refs}`],
    ['GET', `http://github.com/owner/name/${refs}`],
    ['GET', `//github.com/owner/name/${refs}`],
    ['GET', `/github.com/${refs}`],
    ['GET', `/${refs}`],
    ['GET', `/github.com/owner/name/${refs}\n`],
    ['GET', `/github.com/${'a/'.repeat(31)}${refs}`],
    ['GET', `/github.com/${'a'.repeat(1000)}/b/${refs}`],
    ['CONNECT', 'github.com:443'],
    ['OPTIONS', '*'],
  ])('%s %s is not passed on', (method, target) => {
    expect(targetOf(method, target)).toBeUndefined()
  })

  it.each([
    ['GET', `/github.com/owner/name.git/${refs}`, 'owner/name', '/owner/name.git/info/refs?service=git-upload-pack'],
    ['POST', '/github.com/owner/name/git-upload-pack', 'owner/name', '/owner/name/git-upload-pack'],
    ['POST', '/git.example.org:3000/a/b/c.d/git-receive-pack', 'a/b/c.d', '/a/b/c.d/git-receive-pack'],
    ['GET', '/http+[::1]:80/a/b/info/refs?service=git-receive-pack', 'a/b', '/a/b/info/refs?service=git-receive-pack'],
  ])('%s %s goes to the server unchanged', (method, target, repository, path) => {
    const judged = targetOf(method, target)
    expect(judged?.repository).toBe(repository)
    expect(judged && serverPathOf(judged)).toBe(path)
  })

  it('names its server by the first part of the path, with different names for HTTPS and HTTP', () => {
    expect(siteOf('https://github.com')).toBe('github.com')
    expect(siteOf('http://github.com')).toBe('http+github.com')
    expect(targetOf('GET', `/${siteOf('http://127.0.0.1:80')}/a/b/${refs}`)?.site).toBe('http+127.0.0.1')
  })
})

describe('headers', () => {
  it('of a request carry no credentials, no cookie and no other host', () => {
    const sent = {
      authorization: 'Basic x',
      cookie: 'a=b',
      host: 'other',
      'x-forwarded-for': '1',
      connection: 'close',
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': 'version=2',
      'user-agent': 'curl/8',
      'content-length': '12, 13',
      accept: 'a\r\nx: y',
    }
    expect(requestHeaders(sent)).toEqual({
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': 'version=2',
      'user-agent': 'git/2.0',
    })
    expect(requestHeaders({ 'user-agent': 'git/2.39.5 (Linux)', 'content-length': '12' })).toEqual({
      'user-agent': 'git/2.39.5',
      'content-length': '12',
    })
  })

  it('of a response set no cookie and ask for no credentials', () => {
    const answered = {
      'set-cookie': ['a=b'],
      'www-authenticate': 'Basic',
      location: '/',
      'x-other': '1',
      'content-type': 'application/x-git-upload-pack-result',
      'content-encoding': 'gzip',
    }
    expect(answerHeaders(answered)).toEqual({
      'content-type': 'application/x-git-upload-pack-result',
      'content-encoding': 'gzip',
    })
  })
})

describe('which credential is used', () => {
  const all = { id: 'all', repositories: [], access: 'read' }
  const one = { id: 'one', repositories: ['team/app'], access: 'read' }
  const owner = { id: 'owner', repositories: ['team/*'], access: 'push' }

  it('one for other repositories is not', () => {
    expect(chooseCredential([one], 'team/app2')).toBeUndefined()
    expect(chooseCredential([one], 'team/App')).toBeUndefined()
    expect(chooseCredential([owner], 'team2/app')).toBeUndefined()
    expect(covers(['team/*'], 'team/app')).toBe(true)
  })

  it('one that names the repository precedes one for all, and one that can push precedes one that cannot', () => {
    expect(chooseCredential([all, one], 'team/app')?.id).toBe('one')
    expect(chooseCredential([all, one, owner], 'team/app')?.id).toBe('owner')
    expect(chooseCredential([all, one], 'team/other')?.id).toBe('all')
  })
})

describe('a redirect', () => {
  const target = targetOf('GET', `/github.com/old/name/${refs}`)
  const to = (location: string) => target && redirectedTo(target, { location, address: 'https://github.com' })

  it.each([
    'https://evil.example/new/name/info/refs?service=git-upload-pack',
    '//evil.example/new/name/info/refs?service=git-upload-pack',
    'http://github.com/new/name/info/refs?service=git-upload-pack',
    'https://github.com:444/new/name/info/refs?service=git-upload-pack',
    'https://x@github.com/new/name/info/refs?service=git-upload-pack',
    'https://github.com/login?return_to=/old/name',
    'https://github.com/new/name/info/refs?service=git-receive-pack',
    '',
  ])('to %s is not followed', (location) => {
    expect(to(location)).toBeUndefined()
  })

  it('to another repository of the same server becomes a git request inside the sandbox, which is checked again', () => {
    const inside = '/github.com/new/name/info/refs?service=git-upload-pack'
    expect(to('https://github.com/new/name/info/refs?service=git-upload-pack')).toBe(inside)
    expect(to('/new/name/info/refs?service=git-upload-pack')).toBe(inside)
  })
})

describe('the address of a server', () => {
  const allowed = allowedAddressesOf('git.internal, 10.1.0.0/16')
  it.each([
    ['', 'git-credential.address-invalid'],
    ['http://github.com', 'git-credential.address-invalid'],
    ['ssh://git@github.com', 'git-credential.address-invalid'],
    ['https://github.com/owner/name', 'git-credential.address-invalid'],
    ['https://github.com?x', 'git-credential.address-invalid'],
    ['https://me:token@github.com', 'git-credential.address-invalid'],
    ['127.0.0.1', 'git-credential.address-refused'],
    ['localhost:3000', 'git-credential.address-refused'],
    ['https://[::ffff:10.0.0.1]', 'git-credential.address-refused'],
    ['169.254.169.254', 'git-credential.address-refused'],
    ["git'hub.example", 'git-credential.address-invalid'],
    ['git!hub.example', 'git-credential.address-invalid'],
    ['git~hub.example', 'git-credential.address-invalid'],
  ])('%s is refused: %s', (text, code) => {
    expect(() => gitAddressOf(text, allowed)).toThrow(expect.objectContaining({ code }))
  })
  it.each([
    ['github.com', 'https://github.com'],
    ['GitHub.com/', 'https://github.com'],
    ['git.example.org:3000', 'https://git.example.org:3000'],
    ['http://git.internal:3000', 'http://git.internal:3000'],
    ['http://10.1.2.3', 'http://10.1.2.3'],
    ['git_server.example.org', 'https://git_server.example.org'],
    ['https://[2606:4700::1111]:3000', 'https://[2606:4700::1111]:3000'],
    ['bücher.example', 'https://xn--bcher-kva.example'],
  ])('%s is %s, and git requests for it are recognized', (text, address) => {
    expect(gitAddressOf(text, allowed)).toBe(address)
    expect(targetOf('GET', `/${siteOf(address)}/owner/name/${refs}`)?.site).toBe(siteOf(address))
  })
})
