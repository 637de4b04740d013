import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestThread } from '../../stack/installation.ts'
import { emptyFigure, type Figure } from '../figure.ts'
import { startBareProxy } from '../floors/bare-proxy.ts'
import { firstByte, type Load, loadOf, type RequestTarget } from '../load.ts'
import type { Stage } from '../stage.ts'
import { dropFrozen } from './pausing.ts'

/** A browser opens six connections to a page; two browsers at the same time need little more. */
const load = { requests: 600, clients: 8 }
const loadRounds = 8
const [openPort, loopbackPort] = [8000, 8001]
/** Headers that a browser sends when a person opens a page in a frame of the app. */
const visit = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-site' }

const program = `
const { createServer } = require('node:http')
const answer = (request, response) => response.end('hello')
createServer(answer).listen(${openPort}, '0.0.0.0')
createServer(answer).listen(${loopbackPort}, '127.0.0.1')
`

/** Small responses of a service through the whole stack, and the first one after a pause. */
export async function previews(stage: Stage): Promise<Figure[]> {
  const { thread, sandboxId } = await stage.newAwakeThread()
  await stage.client.files.write(thread.id, '/home/user/hello.cjs', new Blob([program]))
  await stage.client.services.start(thread.id, { name: 'hello', command: 'node hello.cjs', port: openPort })
  while ((await stage.client.services.list(thread.id)).services[0]?.status !== 'running') await delay(50)
  const page = await enterPreview(stage, { thread, port: openPort })
  const figures = [
    ...(await ratesOf(stage, { thread, sandboxId, page })),
    ...(await firstBytes(stage, { thread, sandboxId, page })),
  ]
  await stage.client.threads.delete(thread.id)
  return figures
}

async function ratesOf(
  stage: Stage,
  { thread, sandboxId, page }: { thread: TestThread; sandboxId: string; page: RequestTarget },
) {
  const { output } = await stage.host.run(sandboxId, 'hostname -I')
  const direct = { host: output.trim().split(' ')[0] ?? '', port: openPort, path: '/', headers: {} }
  await using proxy = await startBareProxy(direct)
  const bare = { ...direct, host: '127.0.0.1', port: proxy.port }
  const inner = await enterPreview(stage, { thread, port: loopbackPort })
  const loads: Record<'page' | 'inner' | 'bare' | 'direct', Load[]> = { page: [], inner: [], bare: [], direct: [] }
  for (let round = 0; round < loadRounds; round++) {
    loads.direct.push(await loadOf(direct, load))
    loads.bare.push(await loadOf(bare, load))
    loads.page.push(await loadOf(page, load))
    loads.inner.push(await loadOf(inner, load))
  }
  const figure = (about: { id: string; title: string; of: Load[]; floor: Load[]; floorTitle: string }): Figure[] => {
    const { id, of, floor, floorTitle } = about
    const kind = { floorTitle, target: null }
    const title = `${about.title}, ${load.clients} at the same time`
    return [
      {
        ...kind,
        id: `${id}-rate`,
        title: `${title}: requests`,
        unit: '/s',
        samples: of.map((each) => each.perSecond),
        floorSamples: floor.map((each) => each.perSecond),
      },
      {
        ...kind,
        id: `${id}-p99`,
        title: `${title}: slowest hundredth`,
        unit: 'ms',
        samples: of.map((each) => each.p99Ms),
        floorSamples: floor.map((each) => each.p99Ms),
      },
    ]
  }
  const bareTitle = 'a bare proxy in front of the same service'
  const [outside, inside] = [
    'Small page through the whole preview path',
    'The same, from a service that listens on 127.0.0.1 only',
  ]
  return [
    ...figure({ id: 'preview', title: outside, of: loads.page, floor: loads.bare, floorTitle: bareTitle }),
    ...figure({ id: 'preview-inside', title: inside, of: loads.inner, floor: loads.bare, floorTitle: bareTitle }),
    ...figure({
      id: 'preview-direct',
      title: `${outside}, again`,
      of: loads.page,
      floor: loads.direct,
      floorTitle: 'directly to the address of the sandbox',
    }),
  ]
}

async function firstBytes(
  stage: Stage,
  { thread, sandboxId, page }: { thread: TestThread; sandboxId: string; page: RequestTarget },
) {
  const floorTitle = 'the same page of an awake sandbox'
  const title = 'Visit to a preview whose sandbox is paused, until its first byte'
  const frozen = emptyFigure({ id: 'preview-wake-frozen', title: `${title}, from RAM`, floorTitle, target: null })
  const memory = emptyFigure({ id: 'preview-wake-memory', title: `${title}, from disk`, floorTitle, target: null })
  const visited = { ...page, headers: { ...page.headers, ...visit } }
  const visitMs = async () => {
    const start = performance.now()
    return (await firstByte(visited, false)) - start
  }
  for (let round = 0; round < stage.rounds * 2; round++) {
    const figure = round % 2 === 0 ? frozen : memory
    figure.floorSamples.push(await visitMs())
    await stage.client.sandboxes.pause(thread.id)
    if (figure === memory) await dropFrozen(stage, sandboxId)
    figure.samples.push(await visitMs())
  }
  return [frozen, memory]
}

/** Enters a preview as a browser does: the one-time address is exchanged for a cookie. */
export async function enterPreview(
  stage: Stage,
  { thread, port }: { thread: TestThread; port: number },
): Promise<RequestTarget> {
  const preview = await stage.client.previews.open(thread.id, { port })
  if (preview.url === null) throw new Error(preview.unavailable?.message)
  const { host, pathname, search } = new URL(preview.url)
  const place = { host: '127.0.0.1', port: stage.server.port }
  const request = httpRequest({ ...place, path: pathname + search, headers: { host, ...visit }, agent: false }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.resume()
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0]
  if (cookie === undefined) throw new Error(`the way in answered ${answer.statusCode}`)
  return { ...place, path: '/', headers: { host, cookie } }
}
