import type { sandbox as source } from '../en/sandbox.ts'
import type { Texts } from '../texts.ts'

export const sandbox: Texts<typeof source> = {}
