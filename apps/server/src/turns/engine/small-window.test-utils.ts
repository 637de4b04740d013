import type { NoticeEntry } from '@threadbox/protocol/public'
import { wholeText } from '@threadbox/testkit'
import { expect } from 'vitest'
import { estimateTokens } from './history.logic.ts'
import type { TestBench } from './turns.test-utils.ts'

export const windowTokens = 8192

/**
 * A model with a window of 8,192 tokens that rejects larger requests, as real models do. Its summary keeps what the
 * product asks of a summary: decisions (here: sentences with that word) from the earlier summary and since then.
 */
export function scriptSmallModel(bench: TestBench) {
  const sizes: number[] = []
  const summaries: string[] = []
  bench.model.when((request) => {
    const tokens = estimateTokens(request.body)
    sizes.push(tokens)
    if (tokens > windowTokens) return { failure: 'context-full' }
    if (request.tools.length === 0 && request.system.includes('summary')) {
      const decisions = new Set(wholeText(request).match(/Decision: [^.\n]+\./g) ?? [])
      const text = [...decisions].join(' ')
      summaries.push(text)
      return { text: `Summary. ${text}`, usage: { inputTokens: tokens, outputTokens: 50 } }
    }
    return undefined
  })
  return { sizes, summaries }
}

export async function compactionsOf(bench: TestBench): Promise<NoticeEntry[]> {
  const entries = await bench.entries()
  return entries.filter((entry): entry is NoticeEntry => entry.kind === 'notice' && entry.code === 'compacted')
}

/** Runs a conversation of this many turns with the small window, and checks the result. */
export async function haveLongConversation(bench: TestBench, turnCount: number): Promise<void> {
  const { sizes, summaries } = scriptSmallModel(bench)
  await bench.connect({ provider: 'openai-compatible', contextTokens: windowTokens })
  bench.model.reply(
    { calls: [{ name: 'write_file', input: { path: 'sales.csv', content: 'a,b\n1,2\n' } }] },
    { text: 'Written. Decision: all amounts are in euros.' },
  )
  await bench.say('Write sales.csv. Decision: the year begins in April.')
  for (let turn = 2; turn <= turnCount; turn++) {
    bench.model.reply({ text: `Answer ${turn}: ${'words and more words '.repeat(6)}` })
    await bench.say(`Question ${turn}: ${'what about this? '.repeat(6)}`)
  }
  const last = bench.model.requests.at(-1)
  expect(last === undefined ? '' : wholeText(last)).toContain('Decision: the year begins in April.')
  expect(last === undefined ? '' : wholeText(last)).toContain('Decision: all amounts are in euros.')
  expect(last === undefined ? '' : wholeText(last)).toContain('sales.csv')
  expect(last?.messages.at(-1)?.text).toContain(`Question ${turnCount}`)
  expect((await compactionsOf(bench)).length).toBeGreaterThan(turnCount / 100)
  expect(summaries.length).toBe((await compactionsOf(bench)).length)
  expect(Math.max(...sizes)).toBeLessThan(windowTokens)
  const turns = await bench.dependencies.store.turnsFrom(bench.threadId, 1)
  expect(turns).toHaveLength(turnCount)
  expect(turns.every((turn) => turn.status === 'finished')).toBe(true)
  expect((await bench.entries()).filter((entry) => entry.kind === 'user-message')).toHaveLength(turnCount)
}
