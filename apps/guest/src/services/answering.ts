import { request } from 'node:http'
import { connect } from 'node:net'

/**
 * A page that a development server builds at its first request takes a while; a server with another protocol stays
 * silent.
 */
const answerMs = 5_000
const connectMs = 1_000

/**
 * Tells whether a port responds: any HTTP response counts, as does an accepted connection that uses another protocol,
 * or stays silent for a while.
 */
export async function answers(target: { address: string; port: number }, signal: AbortSignal): Promise<boolean> {
  if (!(await accepts(target, signal))) return false
  return await new Promise((resolve) => {
    const asked = request(
      { host: target.address, port: target.port, path: '/', method: 'GET', agent: false, signal, timeout: answerMs },
      (response) => {
        response.destroy()
        resolve(true)
      },
    )
    asked.once('timeout', () => {
      asked.destroy()
      resolve(true)
    })
    asked.once('error', (error) => resolve(!isRefusal(error) && !signal.aborted))
    asked.end()
  })
}

function accepts(target: { address: string; port: number }, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: target.address, port: target.port, signal })
    const settle = (value: boolean) => {
      socket.destroy()
      resolve(value)
    }
    socket.setTimeout(connectMs, () => settle(false))
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}

/**
 * It closed the connection before sending anything, as a server does that is about to end or expects another protocol.
 */
function isRefusal(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
}
