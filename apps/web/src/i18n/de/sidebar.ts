import type { sidebar as source } from '../en/sidebar.ts'
import type { Texts } from '../texts.ts'

export const sidebar: Texts<typeof source> = {}
