import { randomBytes } from 'node:crypto'
import type { ThreadboxError } from '@threadbox/errors'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import { type PageName, pageWords } from './page-words.ts'

export type PreviewPage = { html: string; policy: string }

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:Canvas;color:CanvasText}
main{max-width:30rem;padding:2rem}h1{font-size:1.25rem;margin:0 0 .5rem}p{margin:.5rem 0}
code{font-size:.85rem;opacity:.7}a{color:LinkText}`

/**
 * Checks in the background whether the page can be shown, and reloads it then. Such requests do not count as use: they
 * neither wake a sandbox nor keep it awake.
 */
const script = `
let left=150
const look=async()=>{
  const answer=await fetch(location.href,{method:'HEAD',cache:'no-store',redirect:'manual'}).catch(()=>undefined)
  const state=answer?.headers.get('threadbox-preview')
  if(answer!==undefined&&state!==document.body.dataset.state)return location.reload()
  if(--left>0)setTimeout(look,document.hidden?5000:1000)
}
setTimeout(look,1000)`

/** A page of the preview server itself. It holds no data: people without access see it, too. */
export function makePage(options: {
  page: PageName
  language: string | undefined
  error: ThreadboxError
  /** Value of the response’s header `threadbox-preview`. */
  state: string
  appOrigin: string
  /** `frame-ancestors` directive: only the app can show the page in a frame. */
  ancestors: string
}): PreviewPage {
  const { page, error, state, appOrigin } = options
  const words = pageWords(options.language)
  const { title, text, action } = words[page]
  const nonce = randomBytes(16).toString('base64')
  const isWaiting = page === 'waking' || page === 'nothing-here' || page === 'asleep'
  const target = page === 'private' ? `href="${escapeHtml(appOrigin)}/" target="_blank" rel="noopener"` : 'href=""'
  const html = `<!doctype html>
<html lang="${words.language}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">
<style nonce="${nonce}">${style}</style></head>
<body data-state="${escapeHtml(state)}"><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text(error))}</p>
${action === '' ? '' : `<p><a ${target}>${escapeHtml(action)}</a></p>`}<p><code>${escapeHtml(error.code)}</code></p></main>
${isWaiting ? `<script nonce="${nonce}">${script}</script>` : ''}</body></html>
`
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    options.ancestors,
  ].join('; ')
  return { html, policy }
}
