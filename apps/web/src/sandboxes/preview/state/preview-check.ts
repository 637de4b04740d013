import { previewFrameSandbox, type ThreadboxClient } from '@threadbox/sdk'
import { type BrowserProbe, findingsOf, type PreviewFinding, probeOf } from './preview-findings.logic.ts'

/** The wait for a browser that reports nothing about a failed frame. */
const nothingMs = 20_000
/** The check page reports before it counts as loaded; an error page of the browser never does. */
const afterLoadMs = 3000
/** Longer than the page itself waits for its socket. */
const socketMs = 15_000

/** Tests in a hidden frame whether previews work in this browser. */
export async function checkPreviews(client: ThreadboxClient, signal: AbortSignal): Promise<PreviewFinding[]> {
  const check = await client.previews.check(signal)
  const { url, origin } = check
  return findingsOf(check, url === null || origin === null ? null : await listen({ url, origin }, signal))
}

async function listen(check: { url: string; origin: string }, signal: AbortSignal): Promise<BrowserProbe> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const id = new URL(check.url).searchParams.get('id') ?? ''
  const frame = document.createElement('iframe')
  let probe: BrowserProbe = null
  let timer = setTimeout(resolve, nothingMs)
  const waitFor = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(resolve, ms)
  }
  const onMessage = ({ source, origin, data }: MessageEvent) => {
    if (source === null || source !== frame.contentWindow || origin !== check.origin) return
    const message = probeOf(data, id)
    if (message === null) return
    probe = message
    if (message.socket === 'asked') waitFor(socketMs)
    else resolve()
  }
  frame.hidden = true
  frame.setAttribute('sandbox', previewFrameSandbox)
  frame.onload = () => {
    if (probe === null) waitFor(afterLoadMs)
  }
  frame.src = check.url
  addEventListener('message', onMessage)
  signal.addEventListener('abort', () => resolve())
  document.body.append(frame)
  await promise
  clearTimeout(timer)
  removeEventListener('message', onMessage)
  frame.remove()
  return probe
}
