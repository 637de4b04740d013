import { z } from 'zod'
import { setting } from './define-settings.ts'

const wholeNumber = (minimum: number, maximum: number) => z.coerce.number().int().min(minimum).max(maximum)

/** What one turn may use, and how its conversation is kept within a model’s window. */
export const turnSettings = {
  maxTurnSteps: setting<number>({
    doc: 'Most answers of the model in one turn before it is stopped with the offer to continue.',
    environment: 'THREADBOX_MAX_TURN_STEPS',
    schema: wholeNumber(1, 10_000),
    default: 150,
  }),
  maxTurnMinutes: setting<number>({
    doc: 'Longest time one turn may take, in minutes, commands included.',
    environment: 'THREADBOX_MAX_TURN_MINUTES',
    schema: wholeNumber(1, 10_080),
    default: 240,
  }),
  maxTurnTokens: setting<number>({
    doc: 'Most tokens one turn may use: what the model reads, cached parts included, and what it writes.',
    environment: 'THREADBOX_MAX_TURN_TOKENS',
    schema: wholeNumber(1000, 1_000_000_000),
    default: 20_000_000,
  }),
  maxTurnUsd: setting<number>({
    doc: 'Most money one turn may cost, in USD. Counts only models whose price is known. 0: no limit.',
    environment: 'THREADBOX_MAX_TURN_USD',
    schema: z.coerce.number().min(0).max(100_000),
    default: 0,
  }),
  maxAnswerTokens: setting<number>({
    doc: 'Longest single answer of the model, in tokens; at most a quarter of its window is used for it.',
    environment: 'THREADBOX_MAX_ANSWER_TOKENS',
    schema: wholeNumber(256, 1_000_000),
    default: 32_000,
  }),
  compactAtPercent: setting<number>({
    doc: 'How full the model’s window may get before older parts of the conversation are summarised for it.',
    environment: 'THREADBOX_COMPACT_AT_PERCENT',
    schema: wholeNumber(20, 95),
    default: 70,
  }),
  toolOutputCharacters: setting<number>({
    doc: 'How much of an output the model is given: beginning and end. The rest is in a file that it can read.',
    environment: 'THREADBOX_TOOL_OUTPUT_CHARACTERS',
    schema: wholeNumber(500, 1_000_000),
    default: 12_000,
  }),
  savedOutputMebibytes: setting<number>({
    doc: 'Largest output that is also saved as a file in the sandbox for the agent, in MiB. The user’s copy has no limit.',
    environment: 'THREADBOX_SAVED_OUTPUT_MEBIBYTES',
    schema: wholeNumber(0, 10_240),
    default: 32,
  }),
}
