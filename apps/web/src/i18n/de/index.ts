import type { en } from '../en/index.ts'
import type { Texts } from '../texts.ts'
import { cards } from './cards.ts'
import { common } from './common.ts'
import { composer } from './composer.ts'
import { sandbox } from './sandbox.ts'
import { sidebar } from './sidebar.ts'
import { threads } from './threads.ts'

export const de: Texts<typeof en> = { common, cards, composer, sandbox, sidebar, threads }
