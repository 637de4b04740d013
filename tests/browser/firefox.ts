import { noteStart } from '@threadbox/testkit'
import puppeteer, { type Browser } from 'puppeteer-core'
import { openQuietNetwork } from './quiet-network.ts'

/**
 * Debian’s Firefox, which sees these ports and nothing else of the machine. Playwright drives only its own Firefox
 * build; this one is driven over WebDriver BiDi, as every Firefox can be.
 */
export async function startFirefox(
  ...servers: { port: number }[]
): Promise<{ browser: Browser; connections(): number } & AsyncDisposable> {
  await using cleanup = new AsyncDisposableStack()
  const ports = servers.map(({ port }) => port)
  const network = cleanup.use(await openQuietNetwork(ports, 'firefox'))
  noteStart('browser')
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: network.executablePath,
    debuggingPort: network.debuggingPort,
    defaultViewport: { width: 1280, height: 800 },
    timeout: 120_000,
    protocolTimeout: 120_000,
  })
  cleanup.defer(() => browser.close())
  const kept = cleanup.move()
  return { browser, connections: network.connections, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
