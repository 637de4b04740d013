/** A typical service: on the loopback address only, with everything that previews have to carry. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

const [address, port] = [process.argv[2], Number(process.argv[3])]
const chunk = Buffer.alloc(1024 * 1024, 'threadbox ')
let visits = 0
let sentBytes = 0

function download(response, megabytes) {
  response.writeHead(200, { 'content-length': megabytes * chunk.length })
  let left = megabytes
  const more = () => {
    while (left > 0) {
      left -= 1
      sentBytes += chunk.length
      if (!response.write(chunk)) return response.once('drain', more)
    }
    response.end()
  }
  more()
}

const routes = {
  '/login': (request, response) =>
    response
      .writeHead(302, { 'set-cookie': 'who=ada; HttpOnly', location: `http://${request.headers.host}/home` })
      .end(),
  '/home': (request, response) => response.end(JSON.stringify({ cookie: request.headers.cookie ?? '', visits, port })),
  '/count': (_, response) => response.end(String(++visits)),
  '/headers': (request, response) => response.end(JSON.stringify(request.headers)),
  '/events': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let id = 0
    const timer = setInterval(() => response.write(`data: ${++id}\n\n`), 100)
    response.once('close', () => clearInterval(timer))
  },
  '/down': (request, response) => download(response, Number(parameter(request, 'megabytes') ?? 64)),
  '/many-events': async (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const text = 'x'.repeat(1000)
    for (let id = 1; id <= Number(parameter(request, 'count')) && !response.destroyed; id += 1)
      if (!response.write(`id: ${id}\ndata: ${text}\n\n`))
        await Promise.race([once(response, 'drain'), once(response, 'close')])
    response.end()
  },
  '/flood': (_, response) => download(response, 4096),
  '/sent': (_, response) => response.end(String(sentBytes)),
  '/up': (request, response) => {
    const hash = createHash('sha256')
    request.on('data', (part) => hash.update(part))
    request.on('end', () => response.end(hash.digest('hex')))
  },
}

function parameter(request, name) {
  return new URL(request.url, 'http://service').searchParams.get(name)
}

const server = createServer((request, response) => {
  const route = routes[request.url.split('?')[0]]
  if (route === undefined) response.writeHead(404).end('nothing')
  else route(request, response)
})
server.on('upgrade', (request, socket) => {
  const key = createHash('sha1')
  key.update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
  const accept = `Sec-WebSocket-Accept: ${key.digest('base64')}`
  const seen = `X-Seen: ${request.headers.host} ${request.headers.origin}`
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${accept}\r\n${seen}\r\n\r\n`,
  )
  socket.on('error', () => socket.destroy())
  socket.pipe(socket)
})
server.requestTimeout = 0
server.listen(port, address, () => console.log('listening'))
