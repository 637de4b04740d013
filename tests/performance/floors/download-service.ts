import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'

/** `node <program> <address> <port>`: responds to every request with 512 MB, and prints the port it listens on. */
export const downloadProgram = `
const { createServer } = require('node:http')
const [address, port] = process.argv.slice(-2)
const chunk = Buffer.alloc(1e6, 'threadbox ')
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-length': 512 * chunk.length })
  let left = 512
  const more = () => {
    while (left-- > 0) if (!response.write(chunk)) return response.once('drain', more)
    response.end()
  }
  more()
})
server.listen(Number(port), address, () => console.log(server.address().port))
`

/** The same service as in the sandbox, as a process of this machine. */
export async function startDownloadService(): Promise<AsyncDisposable & { port: number }> {
  const child = spawn(process.execPath, ['-e', downloadProgram, '--', '127.0.0.1', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    port: Number(String(line)),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
