import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import { type BrokeredHost, brokeredName, placeholder, startBrokeredHost } from '../floors/brokered-host.ts'
import { MiB } from './memory.ts'

const transferRounds = 5
const transferBytes = 256e6
const requestRounds = 5
const requestsPerRound = 2000
const clients = 32
const firstBytes = 200
const connections = 500
/** Longer than the broker keeps unused connections to hosts when there are many. */
const untilIdleMs = 3000

type Side = 'direct' | 'brokered'

/** Requests with a secret through the broker, each next to the same request directly to the host, over loopback. */
export async function brokering(): Promise<Figure[]> {
  await using host = await startBrokeredHost()
  return [
    ...(await transfers(host)),
    await timesToFirstByte(host),
    await requestsPerSecond(host),
    await memoryOfConnections(),
  ]
}

async function transfers(host: BrokeredHost): Promise<Figure[]> {
  const about = { unit: 'MB/s' as const, floorTitle: 'the same host directly', target: { minRatio: 0.3 } }
  const down = {
    ...emptyFigure({ id: 'broker-download', title: '256 MB from a host through the broker', ...about }),
    ...about,
  }
  const up = {
    ...emptyFigure({ id: 'broker-upload', title: '256 MB to a host through the broker', ...about }),
    ...about,
  }
  const perSecond = (ms: number) => transferBytes / 1e6 / (ms / 1000)
  for (let round = 0; round < transferRounds; round++) {
    down.floorSamples.push(perSecond(await timed(() => download(host, 'direct'))))
    down.samples.push(perSecond(await timed(() => download(host, 'brokered'))))
    up.floorSamples.push(perSecond(await timed(() => upload(host, 'direct'))))
    up.samples.push(perSecond(await timed(() => upload(host, 'brokered'))))
  }
  return [down, up]
}

async function timesToFirstByte(host: BrokeredHost): Promise<Figure> {
  const figure = emptyFigure({
    id: 'broker-first-byte',
    title: 'First byte of a response through the broker beyond that of the host directly',
    floorTitle: null,
    target: { maxP50: 5 },
  })
  const agents = { direct: new Agent({ keepAlive: true }), brokered: new Agent({ keepAlive: true }) }
  const firstByte = async (side: Side) => {
    const start = performance.now()
    const answer = await ask(host, side, { agent: agents[side] })
    const ms = performance.now() - start
    await readAll(answer)
    return ms
  }
  for (let round = 0; round < firstBytes; round++) {
    figure.samples.push(-(await firstByte('direct')) + (await firstByte('brokered')))
  }
  for (const agent of Object.values(agents)) agent.destroy()
  return figure
}

async function requestsPerSecond(host: BrokeredHost): Promise<Figure> {
  const figure: Figure = {
    id: 'broker-requests',
    title: `Requests per second through the broker, ${clients} at a time`,
    unit: '/s',
    samples: [],
    floorSamples: [],
    floorTitle: 'the same host directly',
    target: { minP50: 1000 },
  }
  for (let round = 0; round < requestRounds; round++) {
    figure.floorSamples.push(await load(host, 'direct'))
    figure.samples.push(await load(host, 'brokered'))
  }
  return figure
}

async function load(host: BrokeredHost, side: Side): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const one = async () => await readAll(await ask(host, side, { agent }))
  await Promise.all(Array.from({ length: clients }, one))
  let left = requestsPerRound
  const client = async () => {
    while (left-- > 0) await one()
  }
  const ms = await timed(() => Promise.all(Array.from({ length: clients }, client)))
  agent.destroy()
  return requestsPerRound / (ms / 1000)
}

async function memoryOfConnections(): Promise<Figure> {
  const figure: Figure = {
    ...emptyFigure({
      id: 'broker-memory',
      title: `Memory of a broker (PSS) with ${connections} connections that each made a request`,
      floorTitle: 'the same broker, without connections',
      target: { maxP50: 120 },
    }),
    unit: 'MiB',
  }
  // A process of its own: the one before has grown with its load.
  await using host = await startBrokeredHost()
  figure.floorSamples.push((await host.brokerPss()) / MiB)
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections })
  await Promise.all(
    Array.from({ length: connections }, async () => await readAll(await ask(host, 'brokered', { agent }))),
  )
  await delay(untilIdleMs)
  figure.samples.push((await host.brokerPss()) / MiB)
  agent.destroy()
  return figure
}

function optionsFor(host: BrokeredHost, side: Side): RequestOptions {
  return {
    host: '127.0.0.1',
    port: host.ports[side],
    servername: brokeredName,
    ca: host.authorities[side],
    headers: { host: brokeredName, authorization: `Bearer ${placeholder}` },
  }
}

async function ask(host: BrokeredHost, side: Side, more: RequestOptions): Promise<IncomingMessage> {
  const [answer] = (await once(request({ ...optionsFor(host, side), ...more }).end(), 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`the response is ${answer.statusCode}`)
  return answer
}

async function readAll(answer: IncomingMessage): Promise<number> {
  let bytes = 0
  answer.on('data', (part: Buffer) => {
    bytes += part.length
  })
  await once(answer, 'end')
  return bytes
}

async function download(host: BrokeredHost, side: Side): Promise<void> {
  const bytes = await readAll(await ask(host, side, { agent: false, path: `/bytes/${transferBytes}` }))
  if (bytes !== transferBytes) throw new Error(`${bytes} bytes came`)
}

async function upload(host: BrokeredHost, side: Side): Promise<void> {
  const { headers, ...options } = optionsFor(host, side)
  const length = { 'content-length': String(transferBytes) }
  const sent = request({ ...options, agent: false, method: 'PUT', headers: { ...(headers as object), ...length } })
  const answered = once(sent, 'response')
  const piece = Buffer.alloc(64 * 1024, 'The quick brown fox jumps over the lazy dog. ')
  for (let left = transferBytes; left > 0; left -= piece.length) {
    if (!sent.write(piece.subarray(0, left))) await once(sent, 'drain')
  }
  sent.end()
  const [answer] = (await answered) as [IncomingMessage]
  await readAll(answer)
}
