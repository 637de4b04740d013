export type NotebookOutput =
  | { kind: 'text'; text: string; isError: boolean }
  | { kind: 'image'; address: string }
  | { kind: 'html'; html: string }

export type NotebookCell = {
  kind: 'markdown' | 'code' | 'raw'
  source: string
  count: number | null
  outputs: NotebookOutput[]
}
export type Notebook = { language: string; cells: NotebookCell[]; isCut: boolean }

const maximumCells = 200

/** The content of a Jupyter notebook; null if the text isn’t one. All values are treated as text. */
export function notebookOf(text: string): Notebook | null {
  const book = parse(text)
  if (!isObject(book) || !Array.isArray(book.cells)) return null
  const metadata = isObject(book.metadata) ? book.metadata : {}
  const language = isObject(metadata.language_info) ? textOf(metadata.language_info.name) : ''
  const cells = book.cells.filter(isObject).slice(0, maximumCells).map(cellOf)
  return { language: language || 'python', cells, isCut: book.cells.length > maximumCells }
}

function cellOf(cell: Record<string, unknown>): NotebookCell {
  const kind = cell.cell_type === 'markdown' || cell.cell_type === 'code' ? cell.cell_type : 'raw'
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.filter(isObject).flatMap(outputOf) : []
  const count = typeof cell.execution_count === 'number' ? cell.execution_count : null
  return { kind, source: textOf(cell.source), count, outputs }
}

function outputOf(output: Record<string, unknown>): NotebookOutput[] {
  if (output.output_type === 'stream')
    return [{ kind: 'text', text: plain(textOf(output.text)), isError: output.name === 'stderr' }]
  if (output.output_type === 'error') {
    const trace = Array.isArray(output.traceback) ? output.traceback.map(textOf).join('\n') : textOf(output.evalue)
    return [{ kind: 'text', text: plain(trace), isError: true }]
  }
  const data = isObject(output.data) ? output.data : {}
  for (const type of ['image/png', 'image/jpeg']) {
    const image = textOf(data[type]).replace(/\s/g, '')
    if (/^[A-Za-z0-9+/]+=*$/.test(image)) return [{ kind: 'image', address: `data:${type};base64,${image}` }]
  }
  const html = textOf(data['text/html'])
  if (html !== '') return [{ kind: 'html', html }]
  const shown = textOf(data['text/plain'])
  return shown === '' ? [] : [{ kind: 'text', text: plain(shown), isError: false }]
}

/** Removes terminal colors. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed here
  return text.replace(/\u001b\[[\d;]*[A-Za-z]/g, '')
}

/** Notebooks store a text as one string or as its lines. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
