import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { bootHeader, gatewayPaths, hostPaths } from '@threadbox/protocol/host'
import type { TestThread } from '../../stack/installation.ts'
import type { Figure } from '../figure.ts'
import { startBareProxy } from '../floors/bare-proxy.ts'
import { downloadProgram, startDownloadService } from '../floors/download-service.ts'
import type { RequestTarget } from '../load.ts'
import type { Stage } from '../stage.ts'
import { enterPreview } from './previews.ts'

const megabytes = 512
const rounds = 3
const [openPort, loopbackPort] = [8000, 8001]
const program = 'download.cjs'

/** Each hop of a download, from the whole path to the bare service. */
const hops = {
  'preview-download': 'through the whole preview path',
  'preview-download-inside': 'through the whole preview path, from a service that listens on 127.0.0.1 only',
  'preview-download-gateway': 'through the host’s gateway alone',
  'preview-download-direct': 'directly from the address of the sandbox',
  'preview-download-native': 'from the same service outside any sandbox, through a bare proxy',
} as const
type Hop = keyof typeof hops

/**
 * A download of 512 MB from a service, hop by hop, each next to a bare proxy to the same service in the same sandbox.
 */
export async function previewDownload(stage: Stage): Promise<Figure[]> {
  const { thread, sandboxId } = await stage.newAwakeThread()
  await stage.client.files.write(thread.id, `/home/user/${program}`, new Blob([downloadProgram]))
  await serve(stage, { thread, name: 'open', command: `exec node ${program} 0.0.0.0 ${openPort}`, port: openPort })
  const inner = { name: 'inner', command: `exec node ${program} 127.0.0.1 ${loopbackPort}`, port: loopbackPort }
  await serve(stage, { thread, ...inner })
  const { output } = await stage.host.run(sandboxId, 'hostname -I')
  const direct = { host: output.trim().split(' ')[0] ?? '', port: openPort, path: '/', headers: {} }
  await using proxy = await startBareProxy(direct)
  await using native = await startDownloadService()
  await using nativeProxy = await startBareProxy({ host: '127.0.0.1', port: native.port })
  const bare = { ...direct, host: '127.0.0.1', port: proxy.port }
  const asked: Record<Hop, RequestOptions> = {
    'preview-download': await enterPreview(stage, { thread, port: openPort }),
    'preview-download-inside': await enterPreview(stage, { thread, port: loopbackPort }),
    'preview-download-gateway': await atGateway(stage, sandboxId),
    'preview-download-direct': direct,
    'preview-download-native': { ...bare, port: nativeProxy.port } satisfies RequestTarget,
  }
  const floor: number[] = []
  const figures = (Object.keys(hops) as Hop[]).map((id) => figureOf(id, floor))
  for (let round = 0; round < rounds; round++) {
    floor.push(await megabytesPerSecond(bare))
    for (const figure of figures) figure.samples.push(await megabytesPerSecond(asked[figure.id as Hop]))
  }
  await stage.client.threads.delete(thread.id)
  return figures
}

function figureOf(id: Hop, floorSamples: number[]): Figure {
  return {
    id,
    title: `${megabytes} MB ${hops[id]}`,
    unit: 'MB/s',
    samples: [],
    floorSamples,
    floorTitle: 'a bare proxy in front of the same service in the same sandbox',
    target: id === 'preview-download' ? { minRatio: 0.5 } : null,
  }
}

async function serve(
  stage: Stage,
  { thread, ...service }: { thread: TestThread; name: string; command: string; port: number },
): Promise<void> {
  await stage.client.services.start(thread.id, service)
  const isRunning = async () =>
    (await stage.client.services.list(thread.id)).services.some(
      ({ name, status }) => name === service.name && status === 'running',
    )
  while (!(await isRunning())) await delay(50)
}

/** The gateway’s own socket, which the server uses. */
async function atGateway(stage: Stage, sandboxId: string): Promise<RequestOptions> {
  const { body } = await stage.host.request('GET', hostPaths.get(sandboxId))
  const { bootId } = body as { bootId: string }
  return {
    socketPath: stage.host.gatewaySocketPath,
    path: `${gatewayPaths.port(sandboxId, openPort)}/`,
    headers: { [bootHeader]: bootId },
  }
}

/** MB are 10⁶ bytes here, as in the unit of the figure. */
async function megabytesPerSecond(asked: RequestOptions): Promise<number> {
  const start = performance.now()
  const request = httpRequest({ ...asked, agent: false }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`the download answered ${answer.statusCode}`)
  let bytes = 0
  answer.on('data', (part: Buffer) => {
    bytes += part.length
  })
  await once(answer, 'end')
  if (bytes !== megabytes * 1e6) throw new Error(`${bytes} bytes came`)
  return bytes / 1e6 / ((performance.now() - start) / 1000)
}
