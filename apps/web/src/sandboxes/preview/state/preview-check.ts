import { previewFrameSandbox, type ThreadboxClient } from '@threadbox/sdk'
import { findingsOf, type Heard, heardOf, type PreviewFinding } from './preview-findings.models.ts'

/** A browser that says nothing about a frame that fails gives it this long. */
const nothingMs = 20_000
/** A page speaks before it counts as loaded; a browser's own page in its place never does. */
const afterLoadMs = 3000
/** Longer than the page itself waits for its socket. */
const socketMs = 15_000

/** Finds out by trying, in a frame that nobody sees, what previews would meet in this browser. */
export async function checkPreviews(client: ThreadboxClient, signal: AbortSignal): Promise<PreviewFinding[]> {
  const check = await client.previews.check(signal)
  const { url, origin } = check
  return findingsOf(check, url === null || origin === null ? null : await listen({ url, origin }, signal))
}

async function listen(check: { url: string; origin: string }, signal: AbortSignal): Promise<Heard> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const id = new URL(check.url).searchParams.get('id') ?? ''
  const frame = document.createElement('iframe')
  let heard: Heard = null
  let timer = setTimeout(resolve, nothingMs)
  const waitFor = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(resolve, ms)
  }
  const onMessage = ({ source, origin, data }: MessageEvent) => {
    if (source === null || source !== frame.contentWindow || origin !== check.origin) return
    const said = heardOf(data, id)
    if (said === null) return
    heard = said
    if (said.socket === 'asked') waitFor(socketMs)
    else resolve()
  }
  frame.hidden = true
  frame.setAttribute('sandbox', previewFrameSandbox)
  frame.onload = () => {
    if (heard === null) waitFor(afterLoadMs)
  }
  frame.src = check.url
  addEventListener('message', onMessage)
  signal.addEventListener('abort', () => resolve())
  document.body.append(frame)
  await promise
  clearTimeout(timer)
  removeEventListener('message', onMessage)
  frame.remove()
  return heard
}
