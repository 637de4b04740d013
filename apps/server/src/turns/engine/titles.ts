import { excerptOfText } from '../../platform/texts/excerpt.logic.ts'
import { callPaidModel } from '../models/paid-call.ts'
import type { TurnRecord } from '../record/turn-record.ts'
import { estimateTokens } from './history.logic.ts'
import { titleSystem } from './system-prompt.ts'
import { payerOf, type Recording, type TurnDependencies } from './turn-dependencies.ts'

/**
 * Automatic titles of threads: the first words of the message immediately, the model's suggestion after the first turn.
 */
export type Titles = {
  fromMessage(threadId: string, text: string): Promise<void>
  afterTurn(turn: TurnRecord): Promise<void>
}

const maxTitleCharacters = 60
const titleTimeoutMs = 30_000

export function makeTitles(
  dependencies: Pick<TurnDependencies, 'log' | 'logger' | 'models' | 'store' | 'system' | 'threads'>,
): Titles {
  const { store, models, logger } = dependencies
  return {
    fromMessage: async (threadId, text) => {
      const facts = await dependencies.threads.facts(threadId)
      const title = titleFrom(text)
      if (facts?.titleSource === 'none' && title !== '') await dependencies.threads.setAutomaticTitle(threadId, title)
    },
    afterTurn: async (turn) => {
      try {
        if (turn.mode !== 'agent' || (await store.countAgentTurns(turn.threadId)) !== 1) return
        const facts = await dependencies.threads.facts(turn.threadId)
        const model = await models.usable(turn.modelId)
        if (facts === undefined || facts.titleSource === 'person' || model === undefined) return
        let title = ''
        const request = {
          model: model.client,
          system: titleSystem,
          messages: [{ role: 'user' as const, content: await conversationOf(dependencies, turn) }],
          tools: {},
          // Reasoning models need room to think before the title.
          maxOutputTokens: 1024,
          signal: AbortSignal.timeout(titleTimeoutMs),
        }
        const inputTokens = estimateTokens([request.system, request.messages])
        const payer = payerOf(turn, facts)
        await callPaidModel(
          dependencies.models.ledger,
          { request, spend: { id: dependencies.system.newId('usage'), payer, kind: 'title', model, inputTokens } },
          async (part) => {
            if (part.kind === 'block-delta' && part.id.startsWith('text:')) title += part.text
          },
        )
        const clean = titleFrom(title.replace(/^["'“„«]+|["'”“»]+$/g, ''))
        if (clean !== '') await dependencies.threads.setAutomaticTitle(turn.threadId, clean)
      } catch (error) {
        // The title stays the first words, because a title isn't worth a failed turn.
        logger.debug({ err: error, threadId: turn.threadId }, 'no title from the model')
      }
    },
  }
}

/** The first words of a text on one line. */
export function titleFrom(text: string): string {
  const line = text
    .replace(/^\s*\/(run|python)\s+/, '')
    .replace(/```[^\n]*\n?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= maxTitleCharacters) return line
  const cut = line.slice(0, maxTitleCharacters)
  const space = cut.lastIndexOf(' ')
  return `${(space > 20 ? cut.slice(0, space) : cut).trimEnd()}…`
}

async function conversationOf(dependencies: Pick<Recording, 'log'>, turn: TurnRecord): Promise<string> {
  const entries = await dependencies.log.entries(turn.threadId)
  const texts = entries
    .filter((entry) => entry.turnId === turn.id)
    .flatMap((entry) => {
      if (entry.kind === 'user-message') return [`User: ${excerptOfText(entry.text, 1500).text}`]
      return entry.kind === 'text' ? [`Agent: ${excerptOfText(entry.text, 1000).text}`] : []
    })
  return excerptOfText(texts.join('\n\n'), 4000).text
}
