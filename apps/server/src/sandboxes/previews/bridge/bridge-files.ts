import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Logger } from '@threadbox/telemetry'

/** Paths of the scripts on the origin of every preview. */
const bridgePath = '/.threadbox/bridge.js'
const painterPath = '/.threadbox/painter.js'

/** The script that is put into pages, and the one that it loads for a screenshot. Both are built with the app. */
export type BridgeFiles = {
  /** Paths that a page’s policy has to allow. */
  paths: readonly string[]
  /** The tag that is put into a page. `isInline`: with the script itself, for policies that ignore URLs. */
  tag(options: { appOrigin: string; isInline: boolean }): string
  /** Hash of the inline script, as in a policy. */
  inlineHash: string
  /** Responds to a request for one of the scripts; returns false for other requests. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
}

/** Undefined if the app was not built or this server does not serve it: pages then stay as their services made them. */
export function readBridgeFiles(options: { webDirectory: string; logger: Logger }): BridgeFiles | undefined {
  if (options.webDirectory === '') return undefined
  const read = (name: string) => readFileSync(join(options.webDirectory, 'preview-bridge', name))
  try {
    return makeBridgeFiles({ bridge: read('bridge.js'), painter: read('painter.js') })
  } catch (error) {
    options.logger.warn({ err: error }, 'previews have no screenshots, because the built app lacks their scripts')
    return undefined
  }
}

function makeBridgeFiles({ bridge, painter }: { bridge: Buffer; painter: Buffer }): BridgeFiles {
  const files = new Map([
    [bridgePath, { content: bridge, version: versionOf(bridge) }],
    [painterPath, { content: painter, version: versionOf(painter) }],
  ])
  const addressOf = (path: string) => `${path}?v=${files.get(path)?.version}`
  const text = bridge.toString('utf8').trim().replaceAll('</script', '<\\/script')
  return {
    paths: [...files.keys()],
    inlineHash: `sha256-${createHash('sha256').update(text).digest('base64')}`,
    tag: ({ appOrigin, isInline }) => {
      const data = `data-app="${escaped(appOrigin)}" data-painter="${escaped(addressOf(painterPath))}"`
      return isInline
        ? `<script ${data}>${text}</script>`
        : `<script src="${escaped(addressOf(bridgePath))}" ${data}></script>`
    },
    answer: (request, response) => {
      const url = new URL(request.url ?? '/', 'http://preview')
      const file = files.get(url.pathname)
      if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return false
      const isCurrent = url.searchParams.get('v') === file.version
      response.writeHead(200, {
        'content-type': 'text/javascript; charset=utf-8',
        'content-length': file.content.length,
        'cache-control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      })
      response.end(request.method === 'HEAD' ? undefined : file.content)
      return true
    },
  }
}

function versionOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12)
}

function escaped(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
