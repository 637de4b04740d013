/** A sample of the text format of Prometheus. */
export type Sample = { name: string; labels: Record<string, string>; value: number }

const helpOf = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/
const typeOf = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/
const sampleOf = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|[-+]?[0-9.]+(?:e[-+]?[0-9]+)?)$/
const labelsOf = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)",?/gy

/** Reads it as strictly as Prometheus does, and throws at what that would reject. */
export function parsePrometheusText(text: string): { samples: Sample[]; types: Map<string, string> } {
  if (!text.endsWith('\n')) throw new Error('the last line must end')
  const types = new Map<string, string>()
  const helped = new Set<string>()
  const seen = new Set<string>()
  const samples: Sample[] = []
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, helpName] = helpOf.exec(line) ?? []
    const [, typeName, type] = typeOf.exec(line) ?? []
    if (helpName !== undefined) {
      if (helped.has(helpName)) throw new Error(`second HELP of ${helpName}`)
      helped.add(helpName)
      continue
    }
    if (typeName !== undefined && type !== undefined) {
      if (types.has(typeName)) throw new Error(`second TYPE of ${typeName}`)
      types.set(typeName, type)
      continue
    }
    samples.push(sampleIn(line, { types, seen }))
  }
  return { samples, types }
}

function sampleIn(line: string, { types, seen }: { types: Map<string, string>; seen: Set<string> }): Sample {
  const [, name = '', labelText = '', value = ''] = sampleOf.exec(line) ?? []
  if (name === '') throw new Error(`not a sample: ${line}`)
  const labels: Record<string, string> = {}
  labelsOf.lastIndex = 0
  while (labelsOf.lastIndex < labelText.length) {
    const [, label = '', content = ''] = labelsOf.exec(labelText) ?? []
    if (label === '' || label in labels) throw new Error(`bad labels: ${line}`)
    labels[label] = content
  }
  const family = name.replace(/_(bucket|sum|count)$/, '')
  const type = types.get(name) ?? types.get(family)
  if (type === undefined) throw new Error(`no TYPE before ${name}`)
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`a counter is called ${name}`)
  const key = `${name}${JSON.stringify(labels)}`
  if (seen.has(key)) throw new Error(`twice: ${line}`)
  seen.add(key)
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}
