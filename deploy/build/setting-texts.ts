import type { FoundSetting } from './docs-sources.ts'

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The allowed values of a setting, as Markdown. */
export function allowedBy(schema: FoundSetting['setting']['schema']): string {
  const facts = schema.toJSONSchema({ unrepresentable: 'any', io: 'output' })
  if (facts.enum !== undefined) return facts.enum.map((value) => `\`${textOf(value)}\``).join(', ')
  const parts = [facts.type ?? 'text']
  if (facts.minimum !== undefined) parts.push(`from ${facts.minimum}`)
  if (facts.maximum !== undefined && facts.maximum !== Number.MAX_SAFE_INTEGER) parts.push(`to ${facts.maximum}`)
  if (facts.pattern !== undefined) parts.push(`like \`${facts.pattern}\``)
  return parts.join(' ')
}
