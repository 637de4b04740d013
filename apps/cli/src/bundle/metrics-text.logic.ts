/** Labels of our metrics. None has the name of a person, a thread, a model or a place. */
const labels = [
  'version',
  'process',
  'state',
  'way',
  'reason',
  'kind',
  'phase',
  'end',
  'provider',
  'outcome',
  'quota',
  'route',
  'status',
  'direction',
  'le',
]
const samplePattern = /^(threadbox_[a-z_]{1,80})(?:\{(.*)\})? (-?[0-9.e+-]+|NaN|[+-]Inf)$/
const labelPattern = /^([a-z]{1,20})="([A-Za-z0-9.+_-]{0,40})"$/

/** The samples of our own metrics, with the labels above and values that are words or numbers. Others are left out. */
export function bundledMetrics(text: string): string {
  const lines = text.split('\n').filter((line) => {
    const [, name, given = ''] = samplePattern.exec(line) ?? []
    return name !== undefined && (given === '' || given.split(',').every(isShown))
  })
  return lines.map((line) => `${line}\n`).join('')
}

function isShown(label: string): boolean {
  const [, name] = labelPattern.exec(label) ?? []
  return name !== undefined && labels.includes(name)
}
