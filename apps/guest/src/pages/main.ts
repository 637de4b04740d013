import { readFileSync, writeSync } from 'node:fs'
import { pageLookSchema } from '@threadbox/protocol/guest'
import type { Browser } from './browser.ts'
import { checkPage } from './look.ts'

/** `look <JSON>`: prints one line of JSON and exits. SIGTERM ends the browser first. */
async function main(): Promise<void> {
  process.title = 'threadbox-look'
  let browser: Browser | undefined
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      browser?.close()
      process.exit(1)
    })
  }
  const report = await checkPage(pageLookSchema.parse(JSON.parse(process.argv[2] ?? '')), {
    memoryBytes: memoryOfMachine(),
    environment: process.env,
    onBrowser: (started) => {
      browser = started
    },
  })
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0))
}

function memoryOfMachine(): number {
  return Number(/^MemTotal:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0) * 1024
}

main().catch((error: unknown) => {
  writeSync(2, `${String(error)}\n`)
  process.exit(1)
})
