/** Code on a page. `mark` is what follows the language in the Markdown, which says how the block is to be read. */
export type CodeBlock = { language: string; mark: string; text: string }

export function blocksInMarkdown(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\S+)(?: (.*))?\n([\s\S]*?)\n```$/gm)].map(
    ([, language = '', mark = '', text = '']) => ({ language, mark, text }),
  )
}

/** The same in the built page, as a reader sees it: it doesn’t show marks. */
export function blocksInHtml(html: string): Pick<CodeBlock, 'language' | 'text'>[] {
  return [...html.matchAll(/<pre data-language="([^"]+)"[^>]*>(.*?)<\/pre>/gs)].map(([, language = '', code = '']) => {
    const lines = code.split(/<div class="(?:[^"]* )?ec-line[ "]/).slice(1)
    return { language, text: lines.map(textOf).join('\n') }
  })
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', nbsp: ' ' }

/** The text of a line of code; `line` begins within the line’s own tag. */
function textOf(line: string): string {
  return line
    .replace(/^[^>]*>/, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
    })
    .replaceAll('\n', '')
}
