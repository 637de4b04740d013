import type { DiskSpace } from '@threadbox/protocol/guest'

/** One line of `df`, in bytes. */
export type DfRow = { source: string; fstype: string; size: number; used: number; avail: number; target: string }

type Unit = { kind: 'human'; base: 1024 | 1000 } | { kind: 'blocks'; bytes: number; suffix: string; heading: string }
export type DfField = (typeof fields)[number]
const fields = ['source', 'fstype', 'size', 'used', 'avail', 'pcent', 'target'] as const
export type DfRequest = {
  unit: Unit
  fields: readonly DfField[]
  isPosix: boolean
  isListed: boolean
  selection: string[]
}

/** Arguments of the real `df`, beside the selection. */
export const rowArguments = ['--block-size=1', '--output=source,fstype,size,used,avail,target']

const kibibytes: Unit = { kind: 'blocks', bytes: 1024, suffix: '', heading: '1K-blocks' }
const units: Record<string, Unit> = {
  '-h': { kind: 'human', base: 1024 },
  '--human-readable': { kind: 'human', base: 1024 },
  '-H': { kind: 'human', base: 1000 },
  '--si': { kind: 'human', base: 1000 },
  '-k': kibibytes,
  '-m': { kind: 'blocks', bytes: 1024 ** 2, suffix: '', heading: '1M-blocks' },
}
/** Options that select rows; passed on unchanged. */
const selecting = new Set(['-a', '--all', '-l', '--local', '--sync', '--no-sync', '-v'])
const selectingWithValue = /^(?:-[tx].+|--(?:type|exclude-type)=.+)$/

/**
 * Parses the arguments of `df`; undefined for those that only the real `df` handles (inode counts, help, totals, other
 * fields and block sizes).
 */
export function parseArguments(given: readonly string[]): DfRequest | undefined {
  let unit: Unit | undefined = kibibytes
  let isPosix = false
  let chosen: readonly DfField[] | undefined = ['source', 'size', 'used', 'avail', 'pcent', 'target']
  const selection: string[] = []
  const args = given.flatMap(separate)
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  const files = end === -1 ? [] : args.slice(end + 1)
  for (let index = 0; index < options.length; index += 1) {
    const arg = options[index] ?? ''
    if (units[arg] !== undefined) unit = units[arg]
    else if (arg === '-P' || arg === '--portability') isPosix = true
    else if (arg === '-T' || arg === '--print-type') chosen = ['source', 'fstype', ...(chosen ?? []).slice(1)]
    else if (/^(-B.+|--block-size=.+)$/.test(arg)) unit = blocksOf(arg.replace(/^(-B|--block-size=)/, ''))
    else if (arg === '-B') unit = blocksOf(options[++index] ?? '')
    else if (arg.startsWith('--output=')) chosen = fieldsOf(arg.slice('--output='.length))
    else if (selecting.has(arg) || selectingWithValue.test(arg)) selection.push(arg)
    else if (arg === '-t' || arg === '-x') selection.push(arg, options[++index] ?? '')
    else if (arg.startsWith('-') && arg !== '-') return undefined
    else files.push(arg)
    if (unit === undefined || chosen === undefined) return undefined
  }
  const isListed = options.some((arg) => arg.startsWith('--output='))
  return { unit, fields: chosen, isPosix, isListed, selection: [...selection, '--', ...files] }
}

/** `-hT` as `-h`, `-T`. */
function separate(arg: string): string[] {
  return /^-[hHkmPTalv]{2,}$/.test(arg) ? [...arg.slice(1)].map((letter) => `-${letter}`) : [arg]
}

function blocksOf(size: string): Unit | undefined {
  const match = /^(\d*)([KMGT]?)$/.exec(size)
  if (match === null || size === '') return undefined
  const [, count = '', letter = ''] = match
  const bytes = Number(count || 1) * 1024 ** ['', 'K', 'M', 'G', 'T'].indexOf(letter)
  if (bytes < 1) return undefined
  const heading = letter === '' && bytes === 1024 ? '1K-blocks' : `${count || 1}${letter || 'B'}-blocks`
  return { kind: 'blocks', bytes, suffix: count === '' ? letter : '', heading }
}

function fieldsOf(list: string): DfField[] | undefined {
  const asked = list.split(',')
  const known = asked.filter((field): field is DfField => fields.includes(field as DfField))
  return known.length === asked.length ? known : undefined
}

/** Parses the output of {@link rowArguments}. */
export function parseRows(output: string): DfRow[] {
  return output.split('\n').flatMap((line) => {
    const match = /^(\S+)\s+(\S+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(.+)$/.exec(line)
    if (match === null) return []
    const [, source = '', fstype = '', size, used, avail, target = ''] = match
    return [{ source, fstype, size: Number(size), used: Number(used), avail: Number(avail), target }]
  })
}

/** Read-only mounts of threadbox itself, from a file system of the host: the user cannot fill them. */
const ownMounts = /^(\/\.guest|\/skills|\/etc\/(hosts|resolv\.conf|ssl\/certs\/ca-certificates\.crt))$/

/** The rows to print: a full listing leaves out threadbox's own mounts, unless `-a` requests all. */
export function shownRows(rows: readonly DfRow[], { selection }: DfRequest): DfRow[] {
  const isWhole = selection.at(-1) === '--' && !selection.includes('-a') && !selection.includes('--all')
  return rows.filter(({ target }) => !isWhole || !ownMounts.test(target))
}

/** The root's row with the disk's own limit, instead of the file system that it shares with other sandboxes. */
export function withDiskSpace(row: DfRow, { usedBytes, limitBytes }: DiskSpace): DfRow {
  if (row.target !== '/') return row
  const used = Math.min(usedBytes, limitBytes)
  return { ...row, size: limitBytes, used, avail: Math.min(limitBytes - used, row.avail) }
}

/** Formats rows as GNU `df` prints them. */
export function formatRows(rows: readonly DfRow[], request: DfRequest): string {
  const cells = [
    request.fields.map((field) => headingOf(field, request)),
    ...rows.map((row) => request.fields.map((field) => cellOf(row, { field, unit: request.unit }))),
  ]
  const widths = request.fields.map((field, column) =>
    Math.max(minWidths[field], ...cells.map((line) => line[column]?.length ?? 0)),
  )
  const lines = cells.map((line) =>
    line
      .map((cell, column) => {
        const field = request.fields[column]
        const isText = field === 'source' || field === 'fstype' || field === 'target'
        if (column === line.length - 1 && isText) return cell
        return isText ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
      })
      .join(' '),
  )
  return `${lines.join('\n')}\n`
}

const minWidths: Record<DfField, number> = { source: 14, fstype: 4, size: 5, used: 5, avail: 5, pcent: 4, target: 0 }

function headingOf(field: DfField, { unit, isPosix, isListed }: DfRequest): string {
  const isHuman = unit.kind === 'human'
  if (field === 'size') return isHuman ? 'Size' : isPosix ? `${unit.bytes}-blocks` : unit.heading
  if (field === 'pcent') return isPosix ? 'Capacity' : 'Use%'
  if (field === 'avail') return isHuman || isListed ? 'Avail' : 'Available'
  return { source: 'Filesystem', fstype: 'Type', used: 'Used', target: 'Mounted on' }[field]
}

function cellOf(row: DfRow, { field, unit }: { field: DfField; unit: Unit }): string {
  if (field === 'source' || field === 'fstype' || field === 'target') return row[field]
  if (field !== 'pcent') return sizeText(row[field], unit)
  const whole = row.used + row.avail
  return whole === 0 ? '-' : `${Math.ceil((row.used / whole) * 100)}%`
}

/** Rounds up, as `df` does: a full disk is never shown as less. */
function sizeText(bytes: number, unit: Unit): string {
  if (unit.kind === 'blocks') return `${Math.ceil(bytes / unit.bytes)}${unit.suffix}`
  const letters = ['', unit.base === 1000 ? 'k' : 'K', 'M', 'G', 'T', 'P']
  let power = 0
  let value = bytes
  while (value >= unit.base && power < letters.length - 1) {
    value /= unit.base
    power += 1
  }
  const rounded = power > 0 && value < 10 ? Math.ceil(value * 10) / 10 : Math.ceil(value)
  if (rounded >= unit.base && power < letters.length - 1) return `1.0${letters[power + 1]}`
  return `${power > 0 && rounded < 10 ? rounded.toFixed(1) : rounded}${letters[power]}`
}
