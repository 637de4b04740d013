import { z } from 'zod'
import { setting } from './define-settings.ts'

const wholeNumber = (minimum: number, maximum: number) => z.coerce.number().int().min(minimum).max(maximum)

/** The limits of one turn, and how its conversation is kept within a model’s window. */
export const turnSettings = {
  maxTurnSteps: setting<number>({
    doc: 'Maximum model calls in one turn. When it’s reached, the turn stops and offers to continue.',
    environment: 'THREADBOX_MAX_TURN_STEPS',
    schema: wholeNumber(1, 10_000),
    default: 150,
  }),
  maxTurnMinutes: setting<number>({
    doc: 'Maximum duration of one turn in minutes, including commands.',
    environment: 'THREADBOX_MAX_TURN_MINUTES',
    schema: wholeNumber(1, 10_080),
    default: 240,
  }),
  maxTurnTokens: setting<number>({
    doc: 'Maximum tokens in one turn: input, including cached input, plus output.',
    environment: 'THREADBOX_MAX_TURN_TOKENS',
    schema: wholeNumber(1000, 1_000_000_000),
    default: 20_000_000,
  }),
  maxTurnUsd: setting<number>({
    doc: 'Maximum cost of one turn in USD, for models with a known price. 0: no limit.',
    environment: 'THREADBOX_MAX_TURN_USD',
    schema: z.coerce.number().min(0).max(100_000),
    default: 0,
  }),
  maxAnswerTokens: setting<number>({
    doc: 'Maximum output tokens per model call, and at most a quarter of the context window.',
    environment: 'THREADBOX_MAX_ANSWER_TOKENS',
    schema: wholeNumber(256, 1_000_000),
    default: 32_000,
  }),
  compactAtPercent: setting<number>({
    doc: 'How full the context window can get, in percent, before older messages are summarized.',
    environment: 'THREADBOX_COMPACT_AT_PERCENT',
    schema: wholeNumber(20, 95),
    default: 70,
  }),
  toolOutputCharacters: setting<number>({
    doc: 'Maximum characters of tool output given to the model: its beginning and end. The full output is saved to a file that the model can read.',
    environment: 'THREADBOX_TOOL_OUTPUT_CHARACTERS',
    schema: wholeNumber(500, 1_000_000),
    default: 12_000,
  }),
  savedOutputMebibytes: setting<number>({
    doc: 'Maximum size in MiB of an output that is also saved as a file in the sandbox for the agent.',
    environment: 'THREADBOX_SAVED_OUTPUT_MEBIBYTES',
    schema: wholeNumber(0, 10_240),
    default: 32,
  }),
  keptOutputHeadMebibytes: setting<number>({
    doc: 'How many MiB from the beginning of a command’s or cell’s output the server keeps. Applies to commands that start later.',
    environment: 'THREADBOX_KEPT_OUTPUT_HEAD_MEBIBYTES',
    schema: wholeNumber(1, 10_240),
    default: 48,
  }),
  keptOutputTailMebibytes: setting<number>({
    doc: 'How many MiB from the end of a command’s or cell’s output the server keeps at least. Up to an eighth more is kept.',
    environment: 'THREADBOX_KEPT_OUTPUT_TAIL_MEBIBYTES',
    schema: wholeNumber(1, 10_240),
    default: 16,
  }),
  keptOutputThreadMebibytes: setting<number>({
    doc: 'How many MiB of output the server keeps per thread. When it is reached, the first 48 KiB and the last 16 KiB of each further output are kept.',
    environment: 'THREADBOX_KEPT_OUTPUT_THREAD_MEBIBYTES',
    schema: wholeNumber(1, 1_048_576),
    default: 1024,
  }),
}
