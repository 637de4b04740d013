import type { ScriptedAnswer, ScriptedFailure } from './model-reply.ts'
import type { RequestView } from './recorded-request.ts'

/** Frames of an answer; a `piece` is one that counts for `cutAfterPieces` and `errorAfterPieces`. */
export type Frames = AsyncGenerator<string | { piece: string }>

/** How one provider writes requests, answers and errors. */
export type Wire = {
  view(body: Record<string, unknown>, path: string): RequestView
  frames(answer: ScriptedAnswer, request: RequestView): Frames
  errorInStream(): string
  error(failure: ScriptedFailure): { status: number; body: unknown }
}
