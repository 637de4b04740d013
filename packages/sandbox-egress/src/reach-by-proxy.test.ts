import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isWithoutProxy } from './no-proxy.logic.ts'
import { makeProxyReach } from './reach-by-proxy.ts'
import type { Reached } from './reach-name.ts'
import { portOf, tcpServer } from './relay.test-utils.ts'

const never = new AbortController().signal
let proxy: Server
let asked: IncomingMessage[]
let respond: (socket: Socket) => void

beforeEach(async () => {
  asked = []
  proxy = createServer()
  proxy.on('connect', (request, socket: Socket) => {
    asked.push(request)
    socket.on('error', () => undefined)
    respond(socket)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
})

afterEach(() => {
  proxy.closeAllConnections()
  proxy.close()
})

const direct = async (): Promise<Reached> => ({ refused: 'name-unresolved' })
const reach = (url = `http://us%40er:pass@127.0.0.1:${portOf(proxy)}`, address = '') =>
  makeProxyReach({ url, address, except: 'inside.example.org, .local' }, direct)

test('a name is reached through the proxy, which resolves it, and bytes right after its response are kept', async () => {
  const server = tcpServer((socket) => socket.resume().on('end', () => socket.end(' the end')))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  respond = (socket) => {
    const upstream = connect({ host: '127.0.0.1', port: portOf(server), allowHalfOpen: true })
    socket.write('HTTP/1.1 200 Connection established\r\n\r\nearly')
    socket.pipe(upstream).pipe(socket)
  }
  const reached = await reach()({ name: 'api.example.org', port: 443, ranges: [], signal: never })
  if ('refused' in reached) throw new Error(reached.refused)
  reached.socket.end('request')
  expect(await text(reached.socket)).toBe('early the end')
  expect(asked[0]).toMatchObject({ url: 'api.example.org:443', method: 'CONNECT' })
  const credentials = Buffer.from('us@er:pass').toString('base64')
  expect(asked[0]?.headers).toMatchObject({
    host: 'api.example.org:443',
    'proxy-authorization': `Basic ${credentials}`,
  })
  server.close()
})

test.each([403, 407, 502, 204])('a proxy that responds %i has not reached the name', async (status) => {
  respond = (socket) => void socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
  expect(await reach()({ name: 'a.example.org', port: 443, ranges: [], signal: never })).toEqual({
    refused: 'unreachable',
  })
})

test('a proxy that ends, sends something else or isn’t running has not reached the name', async () => {
  respond = (socket) => socket.destroy()
  expect(await reach()({ name: 'a.example.org', port: 443, ranges: [], signal: never })).toEqual({
    refused: 'unreachable',
  })
  respond = (socket) => void socket.end('SSH-2.0\r\n')
  expect(await reach()({ name: 'a.example.org', port: 443, ranges: [], signal: never })).toEqual({
    refused: 'unreachable',
  })
  const gone = reach('http://127.0.0.1:1')
  expect(await gone({ name: 'a.example.org', port: 443, ranges: [], signal: never })).toEqual({
    refused: 'unreachable',
  })
})

test('an attempt ends with its signal, and a connection that was made does not', async () => {
  const stopping = new AbortController()
  respond = () => stopping.abort()
  const attempt = reach()({ name: 'a.example.org', port: 443, ranges: [], signal: stopping.signal })
  expect(await attempt).toEqual({ refused: 'unreachable' })
  const later = new AbortController()
  respond = (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n')
  const reached = await reach()({ name: 'a.example.org', port: 443, ranges: [], signal: later.signal })
  later.abort()
  if ('refused' in reached) throw new Error(reached.refused)
  expect(reached.socket.destroyed).toBe(false)
  reached.socket.destroy()
})

test('the address of a proxy with a name is not looked up', async () => {
  respond = (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n')
  const named = reach(`http://proxy.invalid:${portOf(proxy)}`, '127.0.0.1')
  expect(await named({ name: 'a.example.org', port: 443, ranges: [], signal: never })).toHaveProperty('socket')
})

test('G2: names in private networks are reached directly', async () => {
  const ranges = ['10.1.2.0/24']
  const reached = await reach()({ name: 'git.corp.example', port: 443, ranges, signal: never })
  expect([reached, asked]).toEqual([{ refused: 'name-unresolved' }, []])
})

test('excepted names are reached directly', async () => {
  expect(await reach()({ name: 'a.inside.example.org', port: 443, ranges: [], signal: never })).toEqual({
    refused: 'name-unresolved',
  })
  expect(asked).toEqual([])
})

test.each([
  ['a.example.org', 'example.org', true],
  ['example.org', '.example.org', true],
  ['example.org', 'x, *.Example.org', true],
  ['badexample.org', 'example.org', false],
  ['a.example.org', '*', true],
  ['a.example.org', '', false],
  ['a.example.org', ',,', false],
])('%s with the exceptions “%s”', (name, except, expected) => expect(isWithoutProxy(name, except)).toBe(expected))
