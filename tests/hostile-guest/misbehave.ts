import { getServers } from 'node:dns'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { controlPath, hostilePort, type Rule, type Script, type ScriptUse, type Step } from './script.ts'

/** On the disk of the sandbox. */
const keptFile = '/var/lib/hostile-guest.json'

let rules: Rule[] = readKept()
let use: ScriptUse = { applied: rules.map(() => 0), connections: 0, failedConnections: 0 }
/** Of the host and the server, and of this guest to others. */
const clients = new Set<Socket>()
const opened = new Set<Socket>()

/**
 * Takes requests away from the servers of the guest in this process. It sees them first, so a rule needs neither the
 * token nor a route that exists.
 */
const emitOriginally = Server.prototype.emit
Server.prototype.emit = function emit(this: Server, event: string, ...values: never[]): boolean {
  const [request, response] = values as unknown as [IncomingMessage, ServerResponse | Socket]
  if (event === 'connection') keepTrack(values[0] as unknown as Socket)
  if (event === 'request' && request.url === controlPath) {
    void takeOrder(request, response as ServerResponse)
    return true
  }
  const steps = event === 'request' || event === 'upgrade' ? stepsFor(request) : undefined
  if (steps === undefined)
    return (emitOriginally as (event: string, ...values: never[]) => boolean).call(this, event, ...values)
  void perform(request.socket, steps)
  return true
}

createServer((_request, response) => void response.writeHead(404).end()).listen(hostilePort)

function keepTrack(socket: Socket): void {
  clients.add(socket)
  socket.once('close', () => clients.delete(socket))
}

function stepsFor({ method, url }: IncomingMessage): readonly Step[] | undefined {
  const index = rules.findIndex(({ requests }) => new RegExp(requests).test(`${method} ${url}`))
  const steps = rules[index]?.steps
  if (steps === undefined) return undefined
  use.applied[index] = (use.applied[index] ?? 0) + 1
  return steps.some((step) => step.do === 'obey') ? undefined : steps
}

async function perform(socket: Socket, steps: readonly Step[]): Promise<void> {
  socket.on('error', () => undefined)
  // What the client sends is read and forgotten.
  socket.resume()
  for (const step of steps) {
    if (step.do === 'close') return void socket.end()
    if (step.do === 'send') await send(socket, step)
  }
}

async function send(socket: Socket, { bytes, times = 1, everyMs }: Extract<Step, { do: 'send' }>): Promise<void> {
  const once = Buffer.from(bytes, 'base64')
  const count = times === 'endless' ? Number.POSITIVE_INFINITY : times
  // Small pieces go out together, so that the network gets as much as it takes.
  const together = everyMs === undefined ? Math.max(1, Math.min(count, Math.floor(262_144 / once.length))) : 1
  const piece = together === 1 ? once : Buffer.concat(Array.from({ length: together }, () => once))
  for (let left = count; left > 0 && !socket.destroyed; left -= together) {
    const part = left < together ? piece.subarray(0, left * once.length) : piece
    if (!socket.write(part)) await drained(socket)
    if (everyMs !== undefined) await delay(everyMs)
  }
}

async function drained(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const events = ['drain', 'close'] as const
  for (const event of events) socket.once(event, resolve)
  await promise
  for (const event of events) socket.off(event, resolve)
}

async function takeOrder(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    const script = (await json(request)) as Script
    rules = script.rules
    use = { applied: rules.map(() => 0), connections: 0, failedConnections: 0 }
    if (script.isKept === true) writeFileSync(keptFile, JSON.stringify(rules))
    else rmSync(keptFile, { force: true })
    for (const socket of opened) socket.destroy()
    if (script.cuts === true) for (const socket of clients) if (socket !== request.socket) socket.destroy()
    if (script.connect !== undefined) await openConnections(script.connect)
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(use))
}

async function openConnections({ port, count }: NonNullable<Script['connect']>): Promise<void> {
  const [host = ''] = getServers()
  for (let left = count; left > 0; left -= 250) {
    await Promise.all(Array.from({ length: Math.min(left, 250) }, () => openOne({ host, port })))
  }
}

async function openOne(target: { host: string; port: number }): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ ...target, timeout: 2000 })
  opened.add(socket)
  socket.once('connect', () => resolve(true))
  socket.once('timeout', () => resolve(false))
  socket.on('error', () => resolve(false))
  socket.once('close', () => opened.delete(socket))
  const isOpen = await promise
  socket.setTimeout(0)
  if (isOpen) use.connections += 1
  else use.failedConnections += 1
}

function readKept(): Rule[] {
  try {
    return JSON.parse(readFileSync(keptFile, 'utf8')) as Rule[]
  } catch {
    return []
  }
}
