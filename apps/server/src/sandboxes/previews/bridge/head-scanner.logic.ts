export type HeadScanner = {
  /** Returns as much of the page as is final, with the insertion. */
  push(text: string): string
  /** Returns the rest. */
  end(): string
}

/** Limit of what is held back to find the end of a tag. From a longer tag on, the page is passed on unread. */
const longestTag = 64 * 1024
const rawElements = new Set(['script', 'style', 'title', 'noscript'])
const headElements = new Set([...rawElements, 'meta', 'link', 'base'])
const byteOrderMark = '\u00ef\u00bb\u00bf'
const utf16Marks = ['\u00ff\u00fe', '\u00fe\u00ff']

/**
 * Reads the beginning of a page as it arrives and inserts a text before its first script: after the tags that open the
 * page, and after the declaration of its encoding, which browsers look up in the first 1024 bytes only. Policies in the
 * head are changed. Only the head is read, and only the beginning of a tag is held back. Texts are bytes as Latin-1, so
 * that pages in all encodings that contain ASCII pass through unchanged.
 */
export function makeHeadScanner(options: { insertion: string; changePolicy: (policy: string) => string }): HeadScanner {
  let held = ''
  let isAtStart = true
  let isInserted = false
  let isDone = false
  let rawElement: string | undefined

  const insert = () => {
    if (isInserted) return ''
    isInserted = true
    return options.insertion
  }
  const finish = () => {
    isDone = true
    const rest = held
    held = ''
    return insert() + rest
  }
  const take = (length: number) => {
    const taken = held.slice(0, length)
    held = held.slice(length)
    return taken
  }
  /** One step; undefined if more of the page is needed. */
  const step = (): string | undefined => {
    if (rawElement !== undefined) {
      const end = held.toLowerCase().indexOf(`</${rawElement}`)
      if (end >= 0) rawElement = undefined
      return end >= 0 ? take(end) : take(Math.max(0, held.length - 12)) || undefined
    }
    if (isAtStart) {
      if ([byteOrderMark, ...utf16Marks].some((mark) => held.length < mark.length && mark.startsWith(held)))
        return undefined
      isAtStart = false
      // Two bytes per character: such a page can be neither read nor changed here.
      if (utf16Marks.some((mark) => held.startsWith(mark))) isInserted = true
      if (held.startsWith(byteOrderMark)) return take(byteOrderMark.length)
    }
    const space = /^[ \t\n\f\r]+/.exec(held)?.[0].length ?? 0
    if (space > 0) return take(space)
    if (held === '') return undefined
    if (held[0] !== '<') return finish()
    const length = tagLength(held)
    if (length === undefined) return held.length > longestTag ? finish() : undefined
    return readTag(take(length))
  }
  const readTag = (tag: string): string => {
    if (/^<[!?]/.test(tag)) return tag
    const [, slash = '', name = ''] = /^<(\/?)([a-z0-9]*)/i.exec(tag) ?? []
    const element = name.toLowerCase()
    const opensPage = slash === '' && (element === 'html' || element === 'head')
    if (opensPage && !isInserted) return tag
    const isHead = slash === '' ? headElements.has(element) : rawElements.has(element)
    if (!isHead) {
      held = tag + held
      return finish()
    }
    if (slash === '' && rawElements.has(element)) rawElement = element
    if (element !== 'meta') return insert() + tag
    if (!isInserted && /charset/i.test(tag)) return tag
    return insert() + withPolicy(tag, options.changePolicy)
  }
  return {
    push: (text) => {
      if (isDone) return text
      held += text
      let out = ''
      while (!isDone) {
        const certain = step()
        if (certain === undefined) break
        out += certain
      }
      return out
    },
    end: () => (isDone ? '' : finish()),
  }
}

/** Length of the tag, comment or declaration at the start of a text; undefined if its end has not arrived. */
function tagLength(text: string): number | undefined {
  if (text.startsWith('<!--')) {
    const end = text.indexOf('-->', 4)
    return end < 0 ? undefined : end + 3
  }
  // Can still become a comment.
  if ('<!--'.startsWith(text)) return undefined
  const match = /^<(?:[^>"']|"[^"]*"|'[^']*')*>/.exec(text)
  return match?.[0].length
}

const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

/** Returns a `meta` tag with its policy changed; any other tag unchanged. */
function withPolicy(tag: string, changePolicy: (policy: string) => string): string {
  const attributes = [...tag.slice(5).matchAll(attribute)].map((match) => ({
    name: (match[1] ?? '').toLowerCase(),
    value: match[2] ?? match[3] ?? match[4] ?? '',
    start: 5 + match.index,
    length: match[0].length,
  }))
  const kind = attributes.find(({ name }) => name === 'http-equiv')?.value.toLowerCase()
  const content = attributes.find(({ name }) => name === 'content')
  if (kind !== 'content-security-policy' || content === undefined) return tag
  const changed = encoded(changePolicy(decoded(content.value)))
  return `${tag.slice(0, content.start)}content="${changed}"${tag.slice(content.start + content.length)}`
}

const entities: Record<string, string> = { '&quot;': '"', '&#39;': "'", '&#x27;': "'", '&apos;': "'", '&amp;': '&' }

function decoded(text: string): string {
  return text.replace(/&(?:quot|#39|#x27|apos|amp);/gi, (entity) => entities[entity.toLowerCase()] ?? entity)
}

function encoded(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}
