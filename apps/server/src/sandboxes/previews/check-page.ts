import { randomBytes } from 'node:crypto'
import { escapeHtml } from '../../platform/http/escape-html.ts'

/**
 * Reports to the parent page, and to no origin but the app’s, that the page has loaded, and then whether a WebSocket
 * opens. Twelve seconds for the socket: the app waits longer than that for the result.
 */
const script = `
const {id,app,cookie,socket:address}=document.body.dataset
const say=(socket)=>parent.postMessage({threadbox:'preview-check',id,hasCookie:cookie==='kept',socket},app)
let isOver=false
const end=(outcome)=>{if(!isOver){isOver=true;say(outcome)}}
say('asked')
setTimeout(()=>end('blocked'),12000)
try{
  const socket=new WebSocket(address)
  socket.onmessage=()=>{end('open');socket.close()}
  socket.onerror=socket.onclose=()=>end('blocked')
}catch{end('blocked')}`

/** The page that a check loads into a frame of the app. */
export function makeCheckPage(options: { id: string; appOrigin: string; hasCookie: boolean; socketUrl: string }) {
  const nonce = randomBytes(16).toString('base64')
  const data = { id: options.id, app: options.appOrigin, cookie: options.hasCookie ? 'kept' : 'none' }
  const attributes = Object.entries({ ...data, socket: options.socketUrl })
    .map(([name, value]) => `data-${name}="${escapeHtml(value)}"`)
    .join(' ')
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>threadbox</title><meta name="robots" content="noindex"></head>
<body ${attributes}><script nonce="${nonce}">${script}</script></body></html>
`
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `connect-src ${new URL(options.socketUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${options.appOrigin}`,
  ].join('; ')
  return { html, policy }
}
