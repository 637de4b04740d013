import type { ScriptedAnswer, ScriptedFailure } from './model-reply.ts'
import type { RequestView } from './recorded-request.ts'

/** The frames of a response; a `piece` counts for `cutAfterPieces` and `errorAfterPieces`. */
export type Frames = AsyncGenerator<string | { piece: string }>

/** How one provider encodes requests, responses and errors. */
export type Wire = {
  view(body: Record<string, unknown>, path: string): RequestView
  frames(answer: ScriptedAnswer, request: RequestView): Frames
  errorInStream(): string
  error(failure: ScriptedFailure): { status: number; body: unknown }
}
