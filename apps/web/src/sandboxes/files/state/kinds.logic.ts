/** How a file is shown. A file of kind `text` may turn out to be binary once its first bytes are loaded. */
export type FileKind =
  | 'text'
  | 'markdown'
  | 'csv'
  | 'excel'
  | 'old-excel'
  | 'image'
  | 'pdf'
  | 'html'
  | 'notebook'
  | 'audio'
  | 'video'
  | 'archive'

const kindOfEnding: Record<string, FileKind> = {
  ...each('markdown', 'md markdown'),
  ...each('csv', 'csv tsv'),
  ...each('excel', 'xlsx xlsm'),
  ...each('old-excel', 'xls xlsb'),
  ...each('image', 'png jpg jpeg gif webp svg avif bmp ico'),
  ...each('pdf', 'pdf'),
  ...each('html', 'html htm'),
  ...each('notebook', 'ipynb'),
  ...each('audio', 'mp3 wav ogg oga opus flac m4a aac'),
  ...each('video', 'mp4 webm m4v ogv mov'),
  ...each(
    'archive',
    'zip gz tgz bz2 xz zst tar 7z rar whl jar docx pptx so o a bin exe pyc parquet db sqlite pkl npy npz',
  ),
}

/** Kinds whose bytes are text that you can edit. */
const textKinds: ReadonlySet<FileKind> = new Set(['text', 'markdown', 'csv', 'html', 'notebook'])

const languageOfEnding: Record<string, string> = {
  ...each('bash', 'sh bash zsh'),
  ...each('javascript', 'js mjs cjs jsx'),
  ...each('typescript', 'ts mts cts tsx'),
  ...each('python', 'py pyi'),
  ...each('markdown', 'md markdown'),
  ...each('yaml', 'yaml yml'),
  ...each('xml', 'html htm xml svg vue'),
  ...each('json', 'json ipynb jsonl'),
  ...each('ini', 'ini toml cfg conf env'),
  ...each('cpp', 'cpp cc cxx hpp h'),
  ...each('diff', 'diff patch'),
  ...each('rust', 'rs'),
  ...each('c', 'c'),
  ...each('css', 'css scss'),
  ...each('go', 'go'),
  ...each('java', 'java'),
  ...each('r', 'r'),
  ...each('sql', 'sql'),
}

function each<Value>(value: Value, endings: string): Record<string, Value> {
  return Object.fromEntries(endings.split(' ').map((ending) => [ending, value]))
}

function endingOf(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
}

export function kindOf(name: string): FileKind {
  return kindOfEnding[endingOf(name)] ?? 'text'
}

export function isTextKind(kind: FileKind): boolean {
  return textKinds.has(kind)
}

/** The language for syntax colors of a file name; empty if there is none. */
export function languageOf(name: string): string {
  if (/^dockerfile$/i.test(name)) return 'dockerfile'
  return languageOfEnding[endingOf(name)] ?? ''
}

/** Decodes bytes as text; null if they aren’t text. With `isWhole`, a cut character at the end is an error. */
export function textOf(bytes: Uint8Array, isWhole: boolean): string | null {
  if (bytes.subarray(0, 8192).includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole })
  } catch {
    return null
  }
}
