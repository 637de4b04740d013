import {
  type Attachment,
  type Display,
  type Entry,
  type ToolCallEntry,
  withMathMarks,
} from '@threadbox/protocol/public'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { math } from 'micromark-extension-math'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import { attachmentKey } from '../../threads/public.ts'
import { isImage } from '../../turns/public.ts'
import { type DiagramDrawer, makeDiagramDrawer } from './diagrams.ts'
import {
  bytesAt,
  callLine,
  callProblem,
  displayText,
  type ExportSource,
  inputText,
  isImageType,
  mcpCallTexts,
  missingNote,
  resultBytes,
  wholeOutput,
} from './exported-call.ts'
import { mathHtml } from './math-html.ts'

/**
 * The conversation as one self-contained page. What people, models and programs wrote is shown and never acts: Markdown
 * is written without its HTML, HTML results are in iframes without permissions, and the page’s policy allows no scripts
 * and no loading.
 */
export async function* htmlOf(
  source: ExportSource,
  /** `intro`: a line of text below the title; `action`: a link below that. */
  thread: { title: string; entries: readonly Entry[]; intro?: string; action?: { text: string; href: string } },
): AsyncGenerator<string> {
  await using diagrams = makeDiagramDrawer()
  const title = escapeHtml(thread.title)
  yield `<!doctype html>\n<html lang="und"><head><meta charset="utf-8">\n${policy}\n<title>${title}</title>\n${style}</head>\n<body><main>\n<h1>${title}</h1>\n`
  if (thread.intro !== undefined) yield `<p class="note">${escapeHtml(thread.intro)}</p>\n`
  if (thread.action !== undefined) {
    const { href, text } = thread.action
    yield `<p><a href="${escapeHtml(href)}" rel="noreferrer">${escapeHtml(text)}</a></p>\n`
  }
  for (const entry of thread.entries) yield await entryHtml(source, entry, diagrams)
  yield '</main></body></html>\n'
}

const policy =
  '<meta http-equiv="content-security-policy" content="default-src \'none\'; style-src \'unsafe-inline\'; img-src data:">' +
  '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">'
const style = `<style>
:root{color-scheme:light dark}
body{margin:0;font:15px/24px system-ui,sans-serif;background:Canvas;color:CanvasText}
main{max-width:760px;margin:0 auto;padding:32px 16px}
h1{font-size:22px;line-height:28px}
.me{margin:24px 0 16px;padding:8px 14px;border-radius:12px;background:color-mix(in srgb,CanvasText 8%,Canvas);white-space:pre-wrap;overflow-wrap:anywhere}
.call{margin:12px 0;border:1px solid color-mix(in srgb,CanvasText 18%,Canvas);border-radius:8px;overflow:hidden}
.call>pre,.call>p,.call>.shown{margin:0;padding:10px 14px}
.call>*+*{border-top:1px solid color-mix(in srgb,CanvasText 12%,Canvas)}
pre{overflow:auto;font:12.5px/20px ui-monospace,monospace}
.source{background:color-mix(in srgb,CanvasText 4%,Canvas)}
.note{font-size:13px;opacity:.75}
img{max-width:100%;height:auto}
iframe{width:100%;height:320px;border:0;background:#fff}
table{border-collapse:collapse}td,th{border:1px solid color-mix(in srgb,CanvasText 18%,Canvas);padding:4px 8px}
</style>`

async function entryHtml(source: ExportSource, entry: Entry, diagrams: DiagramDrawer): Promise<string> {
  if (entry.kind === 'user-message') {
    const attachments = await Promise.all(entry.attachments.map((each) => attachmentHtml(source, each)))
    return `<div class="me">${escapeHtml(entry.text)}${attachments.join('')}</div>\n`
  }
  if (entry.kind === 'text') return `<div class="say">${await withDiagrams(markdownHtml(entry.text), diagrams)}</div>\n`
  return entry.kind === 'tool-call' ? await callHtml(source, entry) : ''
}

/** Without `allowDangerousHtml`, HTML in the text is shown as text, and only web addresses stay links. */
function markdownHtml(text: string): string {
  return micromark(withMathMarks(text), {
    extensions: [gfm(), math({ singleDollarTextMath: false })],
    htmlExtensions: [gfmHtml(), mathHtml()],
  })
}

/** Matches only what {@link markdownHtml} writes: the same characters in a message are escaped. */
const diagramCode = /<pre><code class="language-mermaid">([\s\S]*?)<\/code><\/pre>/g

/** Replaces diagrams with images; a diagram that cannot be drawn here stays as source with a note. */
async function withDiagrams(html: string, diagrams: DiagramDrawer): Promise<string> {
  const parts: string[] = []
  let from = 0
  for (const found of html.matchAll(diagramCode)) {
    const svg = await diagrams.draw(unescapeHtml(found[1] ?? ''))
    const note = '<p class="note">Exports show this kind of diagram as source.</p>'
    const shown = svg === null ? found[0] + note : `<p>${imageHtml('image/svg+xml', Buffer.from(svg), 'Diagram')}</p>`
    parts.push(html.slice(from, found.index), shown)
    from = found.index + found[0].length
  }
  return parts.join('') + html.slice(from)
}

function unescapeHtml(text: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' }
  return text.replaceAll(/&(lt|gt|quot|amp);/g, (whole, name: string) => characters[name] ?? whole)
}

async function attachmentHtml({ blobs, threadId, fileAddress }: ExportSource, attachment: Attachment): Promise<string> {
  const { id, name, mediaType } = attachment
  const bytes =
    isImage(attachment) && isImageType(mediaType) ? await bytesAt(blobs, attachmentKey(threadId, id)) : undefined
  return bytes === undefined
    ? `<div class="note">${fileLink(fileAddress?.({ attachmentId: id }), name)}</div>`
    : `<div>${imageHtml(mediaType, bytes, name)}</div>`
}

function fileLink(address: string | undefined, name: string): string {
  return address === undefined
    ? escapeHtml(name)
    : `<a href="${escapeHtml(address)}" download="${escapeHtml(name)}">${escapeHtml(name)}</a>`
}

async function callHtml(source: ExportSource, call: ToolCallEntry): Promise<string> {
  const output = await wholeOutput(source, call)
  const { text } = output
  const missing = missingNote(output)
  const problem = callProblem(call)
  const isRun = call.tool === 'run_command' || call.tool === 'run_python'
  const written = isRun ? inputText(call, call.tool === 'run_python' ? 'code' : 'command') : callLine(call)
  const parts = [
    `<pre class="source">${escapeHtml(written)}</pre>`,
    text.trim() === '' ? '' : `<pre>${escapeHtml(text)}</pre>`,
    missing === '' ? '' : `<p class="note">${missing}</p>`,
    await resultHtml(source, call),
    problem === null ? '' : `<p class="note">${escapeHtml(problem)}</p>`,
  ]
  return `<section class="call">${parts.join('')}</section>\n`
}

async function resultHtml(source: ExportSource, call: ToolCallEntry): Promise<string> {
  const { result } = call
  if (result?.kind === 'file') {
    const address = source.fileAddress?.(result)
    return address === undefined ? '' : `<p>${fileLink(address, result.path.split('/').at(-1) ?? 'file')}</p>`
  }
  if (result?.kind === 'diff') return `<pre>${escapeHtml(result.diff)}</pre>`
  if (result?.kind === 'image' && isImageType(result.mediaType)) {
    const bytes = await resultBytes(source, result)
    return bytes === undefined ? '' : `<div class="shown">${imageHtml(result.mediaType, bytes, result.path)}</div>`
  }
  if (result?.kind === 'connection') {
    const texts = mcpCallTexts(call).map((part) => `<pre>${escapeHtml(part)}</pre>`)
    const bytes = await Promise.all(result.images.map((image) => resultBytes(source, image)))
    const images = result.images.map((image, index) => {
      const found = bytes[index]
      return found === undefined ? '' : `<div class="shown">${imageHtml(image.mediaType, found, 'Result')}</div>`
    })
    return [...texts, ...images].join('')
  }
  if (result?.kind !== 'python') return ''
  const shown = await Promise.all(result.displays.map((display) => displayHtml(source, display)))
  return `${shown.join('')}${result.traceback === null ? '' : `<pre>${escapeHtml(result.traceback)}</pre>`}`
}

/** The first form that a page without scripts can show: an image, a table in a frame, text. */
async function displayHtml(source: ExportSource, { items }: Display): Promise<string> {
  const image = items.find(({ mediaType }) => isImageType(mediaType))
  if (image !== undefined) {
    const inline = image.text === undefined ? undefined : Buffer.from(image.text)
    const bytes = inline ?? (await resultBytes(source, { url: image.url ?? '', sizeBytes: image.sizeBytes }))
    if (bytes !== undefined) return `<div class="shown">${imageHtml(image.mediaType, bytes, 'Result')}</div>`
  }
  const page = items.find(({ mediaType }) => mediaType === 'text/html')
  const text = page === undefined ? undefined : await displayText(source, page)
  if (text !== undefined) {
    return `<div class="shown"><iframe sandbox title="Result" srcdoc="${escapeHtml(text)}"></iframe></div>`
  }
  const plain = items.find(({ mediaType }) => mediaType === 'text/plain')
  const words = plain === undefined ? undefined : await displayText(source, plain)
  return words === undefined
    ? `<p class="note">${escapeHtml(items[0]?.mediaType ?? '')}</p>`
    : `<pre>${escapeHtml(words)}</pre>`
}

function imageHtml(mediaType: string, bytes: Buffer, name: string): string {
  return `<img alt="${escapeHtml(name)}" src="data:${mediaType};base64,${bytes.toString('base64')}">`
}
