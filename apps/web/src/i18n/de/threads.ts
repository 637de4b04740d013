import type { threads as source } from '../en/threads.ts'
import type { Texts } from '../texts.ts'

export const threads: Texts<typeof source> = {}
