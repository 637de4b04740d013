import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'

const sizeBytes = 100 * 1024 * 1024
const rounds = 4

/**
 * 100 MB into and out of the sandbox through the API, next to the same bytes over plain HTTP on the loopback interface.
 */
export async function transfers(stage: Stage): Promise<Figure[]> {
  const thread = await stage.newThread()
  await thread.say('/run true')
  const content = randomBytes(sizeBytes)
  await using plain = await startPlainServer()
  const upload = figureOf('upload', '100 MB upload into the sandbox')
  const download = figureOf('download', '100 MB download from the sandbox')
  for (let round = 0; round < rounds; round++) {
    const file = `/home/user/bench-${round}.bin`
    upload.floorSamples.push(await timed(() => plain.put(content)))
    upload.samples.push(await timed(() => stage.client.files.write(thread.id, file, content)))
    download.floorSamples.push(await timed(() => plain.get()))
    download.samples.push(
      await timed(async () => {
        const answer = await stage.client.files.read(thread.id, file)
        const received = Buffer.from(await answer.arrayBuffer())
        if (!received.equals(content)) throw new Error('the download differs from the upload')
      }),
    )
  }
  await stage.client.threads.delete(thread.id)
  return [upload, download]
}

function figureOf(id: string, title: string): Figure {
  return {
    id,
    title,
    unit: 'ms',
    samples: [],
    floorSamples: [],
    floorTitle: 'the same bytes over plain HTTP on the loopback interface, kept in memory',
    target: null,
  }
}

async function startPlainServer() {
  let kept = Buffer.alloc(0)
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end(kept)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      kept = Buffer.concat(chunks)
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    put: async (content: Uint8Array<ArrayBuffer>) => void (await fetch(url, { method: 'PUT', body: content })),
    get: async () => void (await (await fetch(url)).arrayBuffer()),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
