import type { ModelOutput } from '../record/turn-record.ts'

/** More names than this don’t help to understand a failure. */
const shown = 10

/** Adds what the network policy refused to the output that the model gets. */
export function withRefusedNames(output: ModelOutput, names: readonly string[]): ModelOutput {
  const more = names.length > shown ? `, and ${names.length - shown} more` : ''
  const line = `blocked by the network policy: ${names.slice(0, shown).join(', ')}${more}`
  return { ...output, text: output.text === '' ? line : `${output.text.replace(/\n$/, '')}\n${line}` }
}
